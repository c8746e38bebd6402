package sandbox

import (
	"context"
	"time"
)

// GameInfo is what a player knows when a game begins.
type GameInfo struct {
	GameID     string
	Color      string // "white" or "black"
	InitialFEN string // "" = the usual start
	Variant    Variant
	Control    TimeControl
	Seed       uint64 // drawn from the server's seed, for this seat of this game
}

// View is a game as a player sees it at one moment.
type View struct {
	GameInfo
	Moves        []string // from the initial position; castling as the stream writes it
	FEN          string   // of the current position
	MyTurn       bool
	Mine, Theirs time.Duration // clocks at this moment; 0 without clocks
	MyDraw       bool          // my own draw offer stands
	TheirDraw    bool          // the other offers a draw
	MyTakeback   bool
	TheirTake    bool // the other proposes a takeback
	TheyAreGone  bool // the other's absence has been announced
	Chat         []string
	Calls        int // how often Act has been called in this game before
	Over         bool
	Status       string
	Winner       string
}

// Action is what a player does. The zero value does nothing until the game changes. Its
// parts happen in the order of the fields.
type Action struct {
	After    time.Duration // waits first; a move, an offer or the end of the game cancels the action
	Leave    bool          // leaves the game, as by closing the page
	Drop     bool          // leaves by losing the connection
	Return   bool          // comes back
	Chat     string        // says this to the players
	Takeback Answer        // proposes or accepts; cancels or declines
	Draw     Answer        // offers or accepts; withdraws or declines
	Abort    bool
	Resign   bool
	Claim    Answer // Yes claims the win against an absent opponent, No claims the draw
	Move     string // UCI; an illegal one makes the player resign, one out of turn is dropped
	// OfferDraw goes with Move.
	OfferDraw bool
	Wake      time.Duration // calls Act again after so long even if nothing changed; 0 = does not
}

// Answer is yes, no, or nothing said.
type Answer int8

// The answers.
const (
	Unsaid Answer = iota
	Yes
	No
)

// Opponent plays one side of one game for the server. Act is called at the start and
// after each change of the game (a move, an offer, a chat line, the end), one call at a
// time; ctx ends when the moves change or the game ends. It may take its time: a clock runs.
// An error makes the player resign.
type Opponent interface {
	Act(ctx context.Context, v View) (Action, error)
}

// Closer is an Opponent that wants to know when it is not needed any more.
type Closer interface{ Close() error }

// OpponentFunc makes an Opponent of a function.
type OpponentFunc func(ctx context.Context, v View) (Action, error)

// Act calls f.
func (f OpponentFunc) Act(ctx context.Context, v View) (Action, error) { return f(ctx, v) }

// OpponentSpec is an account that the server plays.
type OpponentSpec struct {
	Name      string
	Title     string // "BOT" or ""
	Rating    int    // 0 = 1500, or 2000 for a bot
	Deviation int
	Takebacks bool // allows takebacks

	// New makes the player of one game. It is called with a lock of the game held and must not call
	// the Server.
	New func(GameInfo) Opponent
	// Answer decides on a challenge to this account: "" accepts, anything else declines with that
	// reason. nil accepts. The record is of the challenge as made.
	Answer func(ChallengeRecord) (declineReason string)
	// AnswerDelay is the time until a challenge is answered.
	AnswerDelay time.Duration
	// Plans are challenges that this account makes, side by side.
	Plans []Plan
	// FlagsOthers lets a player without the title BOT claim the other's flag as a web page
	// does: as soon as the grace is over, rather than at the next tick.
	FlagsOthers bool
}

func (o OpponentSpec) account() AccountSpec {
	return AccountSpec{
		Name: o.Name, Title: o.Title, Rating: o.Rating, Deviation: o.Deviation, Takebacks: o.Takebacks,
		Token: "lip_sandbox_own_" + accountID(o.Name),
	}
}

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

// Do acts for any seat of a game, as its player's Opponent would; After and Wake are not
// looked at. It returns the server's refusal, if it refused.
func (s *Server) Do(gameID, account string, a Action) error {
	g, acc := s.game(gameID), s.account(account)
	if g == nil || acc == nil || g.seatOf(acc) == nil {
		return refuse(404, "No such game")
	}
	st := g.seatOf(acc)
	if refused := s.doFor(g, st, a); refused != nil {
		return refused
	}
	return nil
}

func (s *Server) doFor(g *game, st *seat, a Action) *apiError {
	if a.Leave || a.Drop || a.Return {
		g.mu.Lock()
		switch {
		case a.Return && st.present == 0:
			g.join(st)
		case a.Leave || a.Drop:
			g.leave(st, a.Leave)
		}
		g.mu.Unlock()
	}
	if a.Chat != "" {
		if refused := g.speak(st, roomPlayer, a.Chat); refused != nil {
			return refused
		}
	}
	if a.Takeback != Unsaid {
		g.answerTakeback(st, a.Takeback == Yes)
	}
	if a.Draw != Unsaid {
		g.answerDraw(st, a.Draw == Yes)
	}
	switch {
	case a.Abort:
		return g.abort(st)
	case a.Resign:
		return g.resign(st)
	case a.Claim == Yes:
		return g.claim(st, "victory", true)
	case a.Claim == No:
		return g.claim(st, "draw", false)
	case a.Move != "":
		return g.move(st, a.Move, a.OfferDraw)
	}
	return nil
}
