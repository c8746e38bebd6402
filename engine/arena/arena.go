// Package arena plays matches between two players, each an embedded searcher or a UCI
// process, and says which is stronger and how sure that is. A match whose players are
// limited by nodes or depth is the same, byte for byte, whenever it is played with the same
// seed; a timed one holds for the machine and the hour.
package arena

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"golang.org/x/sync/errgroup"

	"zeitnot/engine/pgn"
)

// Match says what is to be played.
type Match struct {
	Players [2]Player
	// Openings are played in their order, each twice with colours swapped, and again from
	// the first when all are through.
	Openings []Opening
	// Games to play, at least 1. An odd number leaves the last opening half played.
	Games int
	// Concurrency is the number of games at a time; 0 is 1.
	Concurrency int
	Adjudicate  Adjudication
	// SPRT ends the match early when it is decided; nil plays all games.
	SPRT *SPRT
	// Seed is passed on to the contestants; each game has its own, made from it.
	Seed uint64
	// PGN receives each finished game in the order of their numbers; nil drops them.
	PGN io.Writer
	// Event and Date are tags of the PGN; a zero Date is written as unknown.
	Event string
	Date  time.Time
	// MoveLimit is the longest that a move may take without a clock before the engine
	// counts as hung; 0 is five minutes.
	MoveLimit time.Duration
	// OnGame is told each finished game, in the order of their numbers, with the result so
	// far; nil is allowed. It is never called twice at the same time.
	OnGame func(Record, Result)
}

// Player is one side of a match.
type Player struct {
	Name string
	// Make makes a contestant; each of the games that run at a time has its own.
	Make   func(ctx context.Context) (Contestant, error)
	Limits Limits
}

// Limits of a player's thinking. Several may be given; all zero is an error, for then
// no move would ever end.
type Limits struct {
	// Base and Increment are a clock; a Base of 0 is none.
	Base, Increment time.Duration
	// MoveTime is spent on every move; 0 is none.
	MoveTime time.Duration
	// Nodes and Depth of each search; 0 is none.
	Nodes, Depth int
	// Margin is how far below zero the clock may go without loss; 0 is not at all.
	Margin time.Duration
}

// Timed tells that the player's moves depend on how fast the machine is.
func (l Limits) Timed() bool { return l.Base > 0 || l.MoveTime > 0 }

func (l Limits) unlimited() bool { return !l.Timed() && l.Nodes <= 0 && l.Depth <= 0 }

// Record is one finished game.
type Record struct {
	// Number of the game, from 1.
	Number int
	// White is the index of the player with the white pieces.
	White int
	// Result is the game's result as PGN writes it, Reason why it ended.
	Result, Reason string
	// Fault is what player FaultBy did wrong, "" if the game ended on the board.
	Fault   Fault
	FaultBy int
	Plies   int
	Game    pgn.Game
}

// points of the first player: 2 for a win, 1 for a draw.
func (r *Record) points() int {
	switch {
	case r.Result == pgn.Draw:
		return 1
	case (r.Result == pgn.WhiteWins) == (r.White == 0):
		return 2
	}
	return 0
}

// Check says what is wrong with the match, all at once.
func (m *Match) Check() error {
	var faults []error
	if len(m.Openings) == 0 {
		faults = append(faults, errors.New("no openings"))
	}
	if m.Games < 1 {
		faults = append(faults, fmt.Errorf("%d games", m.Games))
	}
	for i, p := range m.Players {
		if p.Limits.unlimited() {
			faults = append(faults, fmt.Errorf("player %d (%s) has no limit: give a time control, nodes or depth", i+1, p.Name))
		}
		if p.Make == nil {
			faults = append(faults, fmt.Errorf("player %d (%s) has no engine", i+1, p.Name))
		}
	}
	if err := errors.Join(faults...); err != nil {
		return fmt.Errorf("arena: %w", err)
	}
	return nil
}

// Run plays the match. It returns when all games are played, the SPRT is decided, an engine
// cannot be started, or ctx ends; the result holds what was played until then. All
// contestants are closed.
func Run(ctx context.Context, m Match) (Result, error) {
	result := Result{
		Players: [2]string{m.Players[0].Name, m.Players[1].Name}, SPRT: m.SPRT,
		Timed: m.Players[0].Limits.Timed() || m.Players[1].Limits.Timed(),
	}
	if err := m.Check(); err != nil {
		return result, err
	}
	if m.MoveLimit <= 0 {
		m.MoveLimit = 5 * time.Minute
	}
	playing, stop := context.WithCancel(ctx)
	defer stop()
	group, playing := errgroup.WithContext(playing)
	numbers, records := make(chan int), make(chan Record)
	group.Go(func() error {
		defer close(numbers)
		for n := 1; n <= m.Games; n++ {
			select {
			case numbers <- n:
			case <-playing.Done():
				return nil
			}
		}
		return nil
	})
	for range max(1, m.Concurrency) {
		group.Go(func() error { return m.table(playing, numbers, records) })
	}
	ended := make(chan error, 1)
	go func() { // ends with the group; its end is received below
		ended <- group.Wait()
		close(records)
	}()

	late := map[int]Record{} // games that ended before an earlier one
	next, decided := 1, false
	var fault error
	for r := range records {
		late[r.Number] = r
		for !decided && fault == nil {
			r, ok := late[next]
			if !ok {
				break
			}
			delete(late, next)
			next++
			result.add(r)
			fault = m.tell(r, result)
			if decided = result.decided(); decided || fault != nil {
				stop()
			}
		}
	}
	if err := <-ended; fault == nil {
		fault = err
	}
	if fault == nil && !decided {
		fault = ctx.Err()
	}
	return result, fault
}

// tell passes a finished game on.
func (m *Match) tell(r Record, sofar Result) error {
	if m.PGN != nil {
		if err := pgn.Write(m.PGN, &r.Game); err != nil {
			return fmt.Errorf("write game %d: %w", r.Number, err)
		}
	}
	if m.OnGame != nil {
		m.OnGame(r, sofar)
	}
	return nil
}

// table plays one game after the other with its own two contestants.
func (m *Match) table(ctx context.Context, numbers <-chan int, records chan<- Record) error {
	var seats [2]Contestant
	defer func() {
		for _, s := range seats {
			if s != nil {
				s.Close()
			}
		}
	}()
	for n := range numbers {
		for i, p := range m.Players {
			if seats[i] != nil {
				continue
			}
			s, err := p.Make(ctx)
			if err != nil {
				if ctx.Err() != nil {
					return nil
				}
				return fmt.Errorf("player %s: %w", p.Name, err)
			}
			seats[i] = s
		}
		g := m.newGame(n, seats)
		r, ok := g.play(ctx)
		if !ok {
			return nil // stopped; half a game counts for nothing
		}
		// Whoever was at fault starts afresh.
		if i := g.faulty; i >= 0 {
			seats[i].Close()
			seats[i] = nil
		}
		select {
		case records <- r:
		case <-ctx.Done():
			return nil
		}
	}
	return nil
}
