package sandbox

import (
	"context"
	"time"
)

// drive lets a seat's Opponent play. The caller holds the game's mutex.
func (s *Server) drive(g *game, st *seat) {
	s.spawn(func(ctx context.Context) {
		d := driver{s: s, g: g, st: st}
		d.run(ctx)
		if c, ok := st.opponent.(Closer); ok {
			_ = c.Close() // its owner hears of it; the game is over either way
		}
	})
}

// driver carries one Opponent through its game.
type driver struct {
	s     *Server
	g     *game
	st    *seat
	calls int
}

func (d *driver) run(ctx context.Context) {
	for {
		if !d.s.waitUp(ctx) {
			return
		}
		d.g.mu.Lock()
		view, changed, ply, over := d.view(), d.g.changed, d.g.ply(), d.g.status.Over()
		d.g.mu.Unlock()
		action, err := d.act(ctx, view, ply)
		d.calls++
		if err != nil {
			action = Action{Resign: true}
		}
		if ctx.Err() != nil {
			return
		}
		wake := d.perform(ctx, action, ply, view)
		if over || !d.await(ctx, changed, wake) {
			return
		}
	}
}

// act asks the Opponent, and ends its context as soon as the moves change.
func (d *driver) act(ctx context.Context, v View, ply int) (Action, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		for d.stands(ply) {
			d.g.mu.Lock()
			changed := d.g.changed
			d.g.mu.Unlock()
			if !d.stands(ply) {
				break
			}
			select {
			case <-changed:
			case <-ctx.Done():
				return
			}
		}
		if !v.Over {
			cancel()
		}
	}()
	a, err := d.st.opponent.Act(ctx, v)
	if ctx.Err() != nil {
		a, err = Action{}, nil // the position that it thought about is gone
	}
	cancel()
	<-watched
	return a, err
}

// stands tells whether the game still goes on at this ply.
func (d *driver) stands(ply int) bool {
	d.g.mu.Lock()
	defer d.g.mu.Unlock()
	return !d.g.status.Over() && d.g.ply() == ply
}

// perform carries out an action; it returns when Act wants to be called again.
func (d *driver) perform(ctx context.Context, a Action, ply int, v View) (wake time.Duration) {
	if a.After > 0 && !d.pause(ctx, a.After, ply, v) {
		return 0
	}
	if !d.s.waitUp(ctx) {
		return 0
	}
	if !v.MyTurn || !d.stands(ply) {
		a.Move = ""
	}
	refused := d.s.doFor(d.g, d.st, a)
	if refused != nil && a.Move != "" && d.stands(ply) {
		_ = d.g.resign(d.st) // an illegal move: the player gives up rather than hang
	}
	return a.Wake
}

// pause waits, as long as the moves and the other's offers stay as the view showed them.
func (d *driver) pause(ctx context.Context, wait time.Duration, ply int, v View) bool {
	t := time.NewTimer(wait)
	defer t.Stop()
	other := d.g.other(d.st)
	for {
		d.g.mu.Lock()
		changed := d.g.changed
		same := other.drawOffer == v.TheirDraw && other.takeback == v.TheirTake
		d.g.mu.Unlock()
		if !same || !v.Over && !d.stands(ply) {
			return false
		}
		select {
		case <-t.C:
			return true
		case <-changed:
		case <-ctx.Done():
			return false
		}
	}
}

// await waits for the next change after the view, for wake, or for the moment in which the
// player may flag the other. It returns false when the server ends.
func (d *driver) await(ctx context.Context, changed <-chan struct{}, wake time.Duration) bool {
	var alarm <-chan time.Time
	if wake > 0 {
		t := time.NewTimer(wake)
		defer t.Stop()
		alarm = t.C
	}
	for {
		var flag <-chan time.Time
		if wait, ok := d.flagWait(); ok {
			t := time.NewTimer(wait)
			defer t.Stop()
			flag = t.C
		}
		select {
		case <-changed:
			return true
		case <-alarm:
			return true
		case <-flag:
			d.g.checkFlag(true)
		case <-ctx.Done():
			return false
		}
	}
}

// flagWait is how long until a web player may claim the other's flag.
func (d *driver) flagWait() (time.Duration, bool) {
	if d.st.bot() || d.st.account == nil || !d.st.account.opponent.FlagsOthers {
		return 0, false
	}
	d.g.mu.Lock()
	defer d.g.mu.Unlock()
	if d.g.clock == nil || d.g.status.Over() || d.g.turn() == d.st.color {
		return 0, false
	}
	wait, ok := d.g.clock.flagIn(time.Now(), true)
	return max(wait, 10*time.Millisecond), ok
}

// view is the game for the seat. The caller holds the game's mutex.
func (d *driver) view() View {
	g, st := d.g, d.st
	other := g.other(st)
	now := time.Now()
	v := View{
		GameInfo: GameInfo{GameID: g.id, Color: st.color.String(), InitialFEN: g.initialFEN, Variant: g.variant, Control: g.control},
		Moves:    append([]string(nil), g.uci...), FEN: g.play.Position().FEN(),
		MyTurn: !g.status.Over() && g.turn() == st.color,
		Mine:   g.left(st.color, now), Theirs: g.left(other.color, now),
		MyDraw: st.drawOffer, TheirDraw: other.drawOffer, MyTakeback: st.takeback, TheirTake: other.takeback,
		TheyAreGone: other.wasGone, Calls: d.calls, Over: g.status.Over(), Status: g.status.String(), Winner: g.winner,
	}
	for _, l := range g.chat {
		v.Chat = append(v.Chat, l.user+": "+l.text)
	}
	return v
}
