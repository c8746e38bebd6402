package measure

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"zeitnot/lichess/sandbox"
)

// faultCase is something that goes wrong in the middle of a game.
type faultCase struct {
	name string // for people and for Options.Faults
	what string // in one line
	// strike lets it happen, while the rival is about to move.
	strike func(ctx context.Context, m *latency, game string) error
}

// inject is a fault of the next occurrence in the game.
func inject(spec string) func(context.Context, *latency, string) error {
	return func(_ context.Context, m *latency, game string) error {
		faults, err := sandbox.ParseFaults(spec)
		if err != nil {
			return err
		}
		for _, f := range faults {
			f.Game = game
			if _, err := m.server.Inject(f); err != nil {
				return err
			}
		}
		return nil
	}
}

// cut ends the game's stream.
func cut(how sandbox.Kind) func(context.Context, *latency, string) error {
	return func(_ context.Context, m *latency, game string) error {
		if m.server.CutStreams(botName, game, how) == 0 {
			return errors.New("the bot has no stream of its game open")
		}
		return nil
	}
}

// siteDown is how long a restart of the server lasts.
const siteDown = 3 * time.Second

func faultCases() []faultCase {
	return []faultCase{
		{"429", "a move is refused with 429, once", inject("status move code=429 times=1")},
		{"502", "a move is answered 502, three times", inject("status move code=502 times=3")},
		{"lost", "a move is taken and its answer never comes", inject("lost move times=1")},
		{"cut", "the game's stream ends as if all were said", cut(sandbox.Cut)},
		{"reset", "the connection of the game's stream is reset", cut(sandbox.Reset)},
		{"silence", "the game's stream stays open and says nothing more", cut(sandbox.Silent)},
		{"restart", fmt.Sprintf("the server is away for %v", siteDown), func(_ context.Context, m *latency, _ string) error {
			m.server.Restart(siteDown)
			return nil
		}},
		{"kill", "the bot is killed by SIGKILL and started again at once", func(ctx context.Context, m *latency, _ string) error {
			return m.again(ctx)
		}},
	}
}

// FaultNames are the names of the cases, in the order in which they are played.
func FaultNames() []string {
	var names []string
	for _, c := range faultCases() {
		names = append(names, c.name)
	}
	return names
}

// CheckFaultNames says which name is none.
func CheckFaultNames(names []string) error {
	_, err := casesNamed(names)
	return err
}

func casesNamed(names []string) ([]faultCase, error) {
	all := faultCases()
	for _, name := range names {
		if !slices.Contains(FaultNames(), name) {
			return nil, fmt.Errorf("fault %q: want some of %s", name, strings.Join(FaultNames(), ", "))
		}
	}
	return slices.DeleteFunc(all, func(c faultCase) bool { return !slices.Contains(names, c.name) }), nil
}

const (
	// strikeAt is the rival's move before which a fault strikes, judgedFor how many of the
	// bot's moves from then on tell how it got over it: a bot may send the move that was hit
	// and be stuck afterwards.
	strikeAt, judgedFor = 6, 3
)

// errNoGame means that the bot does not play a game that is begun.
var errNoGame = errors.New("it takes no game")

// faults plays a game for each case.
func (m *latency) faults(ctx context.Context, r *Report, cases []faultCase) error {
	fresh := false // the bot was started for this case
	for i := 0; i < len(cases); i++ {
		c := cases[i]
		m.Progress("fault: " + c.what)
		result, err := m.fault(ctx, c)
		if errors.Is(err, errNoGame) && !fresh && len(r.Faults) > 0 {
			// It got over the fault before, and yet it did not.
			last := &r.Faults[len(r.Faults)-1]
			last.GoesOn, last.Recovery, last.Gave = false, 0, fmt.Sprintf("the game went on, but in %v it took no other", m.Patience)
			if err := m.afresh(ctx); err != nil {
				return err
			}
			fresh = true
			i--
			continue
		}
		if err != nil {
			return fmt.Errorf("fault %s: %w", c.name, err)
		}
		fresh = false
		r.Faults = append(r.Faults, result)
		r.Memory.note(m.bot, &r.Memory.Playing)
		if !result.GoesOn {
			if err := m.afresh(ctx); err != nil {
				return err
			}
			fresh = true
		}
	}
	r.Memory.note(m.bot, &r.Memory.Ended)
	return nil
}

// afresh starts the bot anew: whatever it is stuck in is not to spoil the next case.
func (m *latency) afresh(ctx context.Context) error {
	m.bot.Kill()
	if err := m.offline(ctx); err != nil {
		return err
	}
	_, err := m.start(ctx)
	return err
}

// fault plays a game in which something goes wrong.
func (m *latency) fault(ctx context.Context, c faultCase) (Fault, error) {
	result := Fault{Name: c.name, What: c.what}
	reached, struck := make(chan struct{}), make(chan struct{})
	p := newRival(m.Think, func(ctx context.Context, move int) bool {
		if move == strikeAt {
			close(reached)
			select {
			case <-struck:
			case <-ctx.Done():
			}
		}
		return move < strikeAt+judgedFor
	})
	id, err := m.begin(p, nil)
	if err != nil {
		return result, err
	}
	// Until the fault strikes the bot has to play; what it does then is what we want to know.
	err = m.await(ctx, func(ctx context.Context) error {
		select {
		case <-reached:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	})
	if errors.Is(err, errPatience) {
		err = fmt.Errorf("%w: %w", errNoGame, m.doesNotPlay(id))
		_ = m.server.Do(id, rivalName, sandbox.Action{Resign: true}) // it may have ended meanwhile
	}
	began := time.Now()
	if err == nil {
		err = c.strike(ctx, m, id)
	}
	close(struck)
	if err != nil {
		return result, err
	}
	g, err := m.over(ctx, id)
	if err != nil {
		return result, err
	}
	result.judge(g, began)
	m.awaitNoGame(ctx)
	return result, nil
}

// over waits for the end of a game, and makes one after the patience.
func (m *latency) over(ctx context.Context, id string) (sandbox.GameRecord, error) {
	var g sandbox.GameRecord
	err := m.await(ctx, func(ctx context.Context) (err error) {
		g, err = m.server.WaitFinished(ctx, id)
		return err
	})
	if !errors.Is(err, errPatience) {
		return g, err
	}
	if err := m.server.Do(id, rivalName, sandbox.Action{Resign: true}); err != nil {
		return g, err
	}
	return m.server.WaitFinished(ctx, id)
}

// judge reads from a finished game how the bot got over the fault: by the moves that it
// made from then on, of which the slowest is what the fault cost. The first one counts from
// the fault.
func (f *Fault) judge(g sandbox.GameRecord, struck time.Time) {
	moves := 0
	for _, mv := range g.Moves {
		if mv.Color != "black" || mv.Ply < 2*strikeAt {
			continue
		}
		took := mv.Took
		if moves == 0 {
			took = mv.At.Sub(struck)
		}
		moves++
		f.Recovery = max(f.Recovery, Millis(took))
	}
	if f.GoesOn = moves == judgedFor; !f.GoesOn {
		f.Recovery = 0
		f.Gave = fmt.Sprintf("%d moves in %v, then %v", moves, g.Ended.Sub(struck).Round(time.Second), g.Status)
	}
}

// again kills the bot and starts it again with the state that it left.
func (m *latency) again(ctx context.Context) error {
	m.bot.Kill()
	if err := m.offline(ctx); err != nil {
		return err
	}
	_, err := m.startIn(ctx, fmt.Sprintf("%s/%d", m.dir, m.dirs))
	return err
}
