package measure

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"zeitnot/lichess/sandbox"
)

// timing collects the times of one game. A nil one collects nothing.
type timing struct {
	mu      sync.Mutex // guards everything below
	game    string
	shown   map[int]time.Time // by plies on the board
	arrived []time.Time       // of the bot's moves, in order
}

// begin says which game it is.
func (t *timing) begin(game string) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.game, t.shown = game, map[int]time.Time{}
}

// stateSent takes note of when the bot was shown a position, the first time.
func (t *timing) stateSent(s sandbox.StateSent) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, known := t.shown[s.Ply]; !known && s.GameID == t.game {
		t.shown[s.Ply] = s.At
	}
}

// requested takes note of when a move came, as far as it was taken.
func (t *timing) requested(q sandbox.Request) {
	if t == nil || q.Endpoint != sandbox.EndpointMove || q.Status != 200 {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if q.Game == t.game {
		t.arrived = append(t.arrived, q.At)
	}
}

// warmUp is how many of the bot's first moves in a game are not counted: they have a new
// connection and cold caches.
const warmUp = 3

// answers are the times from a position's being shown to the arrival of the move in it. The
// bot has the odd plies.
func (t *timing) answers() []time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	var times []time.Duration
	for i, at := range t.arrived {
		if shown, ok := t.shown[2*i+1]; ok && i >= warmUp {
			times = append(times, at.Sub(shown))
		}
	}
	return times
}

// answers measures how fast the bot moves when it has but one move.
func (m *latency) answers(ctx context.Context, r *Report, c *control) error {
	var wire, moved, posts []time.Duration
	for len(wire) < m.Moves {
		left := min(m.Moves-len(wire), forcedMoves-warmUp)
		var failed error
		p := newRival(m.Think, func(ctx context.Context, move int) bool {
			if move%memoryEvery == memoryAt {
				r.Memory.note(m.bot, &r.Memory.Playing)
			}
			took, err := c.post(ctx)
			if move > warmUp {
				posts = append(posts, took)
			}
			if failed = err; err == nil {
				m.Progress(fmt.Sprintf("answer %d of %d", len(wire)+max(0, move-warmUp), m.Moves))
			}
			return err == nil && move <= left+warmUp
		})
		t := &timing{}
		g, err := m.play(ctx, p, t)
		if err == nil {
			err = failed
		}
		if err != nil {
			return err
		}
		times := t.answers()
		if len(times) == 0 {
			return fmt.Errorf("the bot ended game %s: %v after %d plies; %s", g.ID, g.Status, len(g.Moves), m.lastWords())
		}
		wire = append(wire, times...)
		for _, mv := range g.Moves {
			if mv.Color == "black" && mv.Ply > 2*warmUp {
				moved = append(moved, mv.Took)
			}
		}
	}
	r.Answers = Answers{Control: timesOf(posts), Wire: timesOf(wire), Move: timesOf(moved)}
	if p50 := r.Answers.Control.P50; p50 > 0 {
		r.Answers.ControlPosts = r.Answers.Wire.P50 / p50
	}
	return nil
}

// memoryEvery is after how many moves the memory is looked at, on the rival's time, for the
// first time in a game before move memoryAt.
const memoryEvery, memoryAt = 50, 10

// gameControl is of all games: enough for a bot that sits a rate limit out.
func gameControl() sandbox.TimeControl {
	return sandbox.ClockControl(10*time.Minute, 5*time.Second)
}

// begin starts a forced game against the rival.
func (m *latency) begin(p *rival, t *timing) (id string, err error) {
	m.mu.Lock()
	m.rival, m.timing = p, t
	m.mu.Unlock()
	return m.server.StartGame(sandbox.GameSpec{White: rivalName, Black: botName, FEN: forcedStart, Control: gameControl()})
}

// play plays a whole game, of which the rival writes nothing any more when it is over. Every
// move of the bot has the patience.
func (m *latency) play(ctx context.Context, p *rival, t *timing) (sandbox.GameRecord, error) {
	id, err := m.begin(p, t)
	if err != nil {
		return sandbox.GameRecord{}, err
	}
	for plies := 0; ; {
		var g sandbox.GameRecord
		err := m.await(ctx, func(ctx context.Context) (err error) {
			g, err = m.server.WaitGame(ctx, id, func(g sandbox.GameRecord) bool { return g.Over() || len(g.Moves) > plies })
			return err
		})
		switch {
		case errors.Is(err, errPatience):
			return g, m.doesNotPlay(id)
		case err != nil:
			return g, err
		case g.Over():
			m.awaitNoGame(ctx)
			return g, p.awaitLeft(ctx)
		}
		plies = len(g.Moves)
	}
}

// awaitNoGame gives the bot a moment to see that its game is over.
func (m *bench) awaitNoGame(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	for m.server.OpenStreams(botName).Games > 0 && ctx.Err() == nil {
		time.Sleep(time.Millisecond)
	}
}
