package arena

import (
	"context"
	"fmt"
	"time"

	"zeitnot/engine"
	"zeitnot/engine/position"
	"zeitnot/engine/uci"
)

// Contestant thinks for one player, in one game at a time.
type Contestant interface {
	// NewGame forgets the last game. seed is for players that draw lots.
	NewGame(ctx context.Context, seed uint64) error
	// Move chooses a move; an ended ctx makes it answer at once.
	Move(ctx context.Context, t Turn) (engine.Result, error)
	Close() error
}

// Turn is what a contestant is asked.
type Turn struct {
	Game   position.Game
	Limits Limits
	// Arrival is when the turn began, on the clock of engine.Now; 0 in virtual time, where
	// each search begins at zero.
	Arrival time.Duration
	// Remaining is what the own clock shows; it means something if Limits.Base is given.
	// An opponent without a clock is shown with ours.
	Remaining, OpponentRemaining, OpponentIncrement time.Duration
	// Last is what the player's last move of this game took, nil before the first.
	Last *Spent
}

// Spent is what a move took.
type Spent struct {
	// Own is the time of the search, Charged what the clock lost by the move.
	Own, Charged time.Duration
}

// Budget turns the clock of one game into limits, move after move. last is what the player's
// last move took, nil before the first.
type Budget func(c engine.ClockState, last *Spent) engine.Limits

// Embedded makes contestants of a searcher within this program. make is called with the
// seed of each game, but for searchers that are engine.Tunable: those are kept and told that a
// new game begins. plan makes what divides the time of one game; it may be nil if the player
// has no clock.
func Embedded(make func(seed uint64) (engine.Searcher, error), plan func() Budget) func(context.Context) (Contestant, error) {
	return func(context.Context) (Contestant, error) {
		return &embedded{make: make, plan: plan}, nil
	}
}

type embedded struct {
	make     func(uint64) (engine.Searcher, error)
	plan     func() Budget
	budget   Budget // of the running game
	searcher engine.Searcher
}

func (e *embedded) NewGame(_ context.Context, seed uint64) error {
	if e.plan != nil {
		e.budget = e.plan()
	}
	if t, ok := e.searcher.(engine.Tunable); ok {
		t.NewGame()
		return nil
	}
	s, err := e.make(seed)
	if err != nil {
		return fmt.Errorf("make the searcher: %w", err)
	}
	e.searcher = s
	return nil
}

func (e *embedded) Move(ctx context.Context, t Turn) (engine.Result, error) {
	var l engine.Limits
	if t.Limits.Base > 0 {
		if e.budget == nil {
			return engine.Result{}, fmt.Errorf("a clock, and nothing that divides its time")
		}
		l = e.budget(engine.ClockState{
			Remaining: t.Remaining, Increment: t.Limits.Increment, Base: t.Limits.Base,
			MoveNumber: t.Game.OwnMoves(), HasClock: true,
		}, t.Last)
	}
	if d := t.Limits.MoveTime; d > 0 && (l.Hard == nil || d < *l.Hard) {
		l.Hard = &d
	}
	if l.Hard != nil {
		deadline := t.Arrival + *l.Hard
		l.Deadline = &deadline
	}
	t.Limits.count(&l)
	return e.searcher.Search(ctx, t.Game, l, nil)
}

func (e *embedded) Close() error { return nil }

// count puts the limits that do not depend on time into l.
func (l Limits) count(to *engine.Limits) {
	if l.Nodes > 0 {
		to.Nodes = &l.Nodes
	}
	if l.Depth > 0 {
		to.Depth = &l.Depth
	}
}

// Setting is an option of a UCI engine.
type Setting struct{ Name, Value string }

// External makes contestants of a UCI engine, each in a process of its own.
func External(command uci.Command, settings []Setting, patience uci.Patience) func(context.Context) (Contestant, error) {
	return func(ctx context.Context) (Contestant, error) {
		p, err := uci.StartProcess(ctx, command, patience)
		if err != nil {
			return nil, err
		}
		for _, s := range settings {
			if err := p.SetOption(s.Name, s.Value); err != nil {
				p.Close()
				return nil, err
			}
		}
		return &external{p}, nil
	}
}

type external struct{ process *uci.Process }

func (e *external) NewGame(ctx context.Context, _ uint64) error { return e.process.NewGame(ctx) }

func (e *external) Move(ctx context.Context, t Turn) (engine.Result, error) {
	var l engine.Limits
	t.Limits.count(&l)
	if t.Limits.Base <= 0 {
		if d := t.Limits.MoveTime; d > 0 {
			// Soft is what the engine is told; an engine that overruns it is not cut short.
			l.Soft = &d
		}
		return e.process.Search(ctx, t.Game, l, nil)
	}
	clocks := uci.Clocks{White: t.Remaining, Black: t.OpponentRemaining, WhiteIncrement: t.Limits.Increment, BlackIncrement: t.OpponentIncrement}
	if t.Game.Position().SideToMove() == position.Black {
		clocks.White, clocks.Black = clocks.Black, clocks.White
		clocks.WhiteIncrement, clocks.BlackIncrement = clocks.BlackIncrement, clocks.WhiteIncrement
	}
	return e.process.SearchClock(ctx, t.Game, &clocks, l, nil)
}

func (e *external) Close() error { return e.process.Close() }
