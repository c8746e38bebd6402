package arena

import (
	"context"
	"fmt"
	"io"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"zeitnot/engine/pgn"
)

// Run plays the match. It returns when all games are played, the SPRT is decided, an engine
// cannot be started, or ctx ends; the result holds what was played until then. All
// contestants are closed.
func Run(ctx context.Context, m Match) (Result, error) {
	result := m.newResult()
	if err := m.Check(); err != nil {
		return result, err
	}
	if m.MoveLimit <= 0 {
		m.MoveLimit = 5 * time.Minute
	}
	run := &run{Match: m, fixtures: m.pairings(), late: map[int]Record{}, result: result, next: 1}
	for _, r := range m.Played {
		if err := run.fits(r); err != nil {
			return result, err
		}
		r.Earlier = true
		run.late[r.Number] = r
	}
	return run.play(ctx)
}

// run is a match under way.
type run struct {
	Match
	fixtures [][2]int // the pairings

	// late are games whose turn to be counted has not come: an earlier one is not over.
	late    map[int]Record
	next    int // the number of the next game to count
	result  Result
	decided bool
}

// fits tells whether an earlier game can be one of this match.
func (m *run) fits(r Record) error {
	if r.Number < 1 {
		return fmt.Errorf("arena: game %d was played before: games count from 1", r.Number)
	}
	if f := m.fixture(r.Number, m.fixtures); f.white != r.White || f.black != r.Black {
		return fmt.Errorf("arena: game %d was played before by other players", r.Number)
	}
	if r.Fault != NoFault && r.FaultBy != r.White && r.FaultBy != r.Black {
		return fmt.Errorf("arena: game %d was lost by a fault of player %d, who did not play it", r.Number, r.FaultBy)
	}
	if r.Result != pgn.WhiteWins && r.Result != pgn.BlackWins && r.Result != pgn.Draw {
		return fmt.Errorf("arena: game %d was played before with the result %q", r.Number, r.Result)
	}
	for _, e := range r.Effort {
		if e.Moves < 0 || e.Moves == 0 && e != (Effort{}) {
			return fmt.Errorf("arena: game %d was played before with the effort of %d moves", r.Number, e.Moves)
		}
	}
	return nil
}

func (m *run) play(ctx context.Context) (Result, error) {
	playing, stop := context.WithCancel(ctx)
	defer stop()
	// What was played before may be all there is.
	fault := m.count()
	if m.decided || fault != nil {
		return m.result, fault
	}
	group, playing := errgroup.WithContext(playing)
	open := m.open()
	numbers, records := make(chan int), make(chan Record)
	group.Go(func() error {
		defer close(numbers)
		for _, n := range open {
			select {
			case numbers <- n:
			case <-playing.Done():
				return nil
			}
		}
		return nil
	})
	for range min(max(1, m.Concurrency), len(open)) {
		group.Go(func() error { return m.table(playing, numbers, records) })
	}
	ended := make(chan error, 1)
	go func() { // ends with the group; its end is received below
		ended <- group.Wait()
		close(records)
	}()
	for r := range records {
		if m.decided || fault != nil {
			continue // stopped already
		}
		if m.OnFinished != nil {
			fault = m.OnFinished(r)
		}
		m.late[r.Number] = r
		if fault == nil {
			fault = m.count()
		}
		if m.decided || fault != nil {
			stop()
		}
	}
	if err := <-ended; fault == nil {
		fault = err
	}
	if fault == nil && !m.decided && m.next <= m.Total() {
		fault = ctx.Err()
	}
	return m.result, fault
}

// open are the numbers of the games that are still to be played.
func (m *run) open() []int {
	var open []int
	for n := m.next; n <= m.Total(); n++ {
		if _, done := m.late[n]; !done {
			open = append(open, n)
		}
	}
	return open
}

// count counts the games whose turn has come, and passes them on.
func (m *run) count() error {
	for !m.decided && m.next <= m.Total() {
		r, ok := m.late[m.next]
		if !ok {
			return nil
		}
		delete(m.late, m.next)
		m.result.add(r, m.fixture(m.next, m.fixtures))
		m.next++
		m.decided = m.result.decided()
		if m.PGN != nil {
			if _, err := io.WriteString(m.PGN, r.PGN); err != nil {
				return fmt.Errorf("write game %d: %w", r.Number, err)
			}
		}
		if m.OnGame != nil {
			m.OnGame(r, m.result.clone())
		}
	}
	return nil
}

// table plays one game after the other. It keeps the contestants of the last game for
// the next one, and no others: each may be a process with a large table.
func (m *run) table(ctx context.Context, numbers <-chan int, records chan<- Record) error {
	seats := map[int]Contestant{}
	defer func() { leave(seats, func(int) bool { return true }) }()
	for n := range numbers {
		f := m.fixture(n, m.fixtures)
		leave(seats, func(player int) bool { return player != f.white && player != f.black })
		for _, player := range []int{f.white, f.black} {
			if seats[player] != nil {
				continue
			}
			s, err := m.Players[player].Make(ctx)
			if err != nil {
				if ctx.Err() != nil {
					return nil
				}
				return fmt.Errorf("player %s: %w", m.Players[player].Name, err)
			}
			seats[player] = s
		}
		g := m.newGame(n, f, [2]Contestant{seats[f.white], seats[f.black]})
		r, ok := g.play(ctx)
		if !ok {
			return nil // stopped; half a game counts for nothing
		}
		// Whoever was at fault starts afresh.
		leave(seats, func(player int) bool { return r.Fault != NoFault && player == r.FaultBy })
		select {
		case records <- r:
		case <-ctx.Done():
			return nil
		}
	}
	return nil
}

// leave closes the contestants of some players, all at the same time: a process may take a
// while to end.
func leave(seats map[int]Contestant, whose func(player int) bool) {
	var closing sync.WaitGroup
	for player, s := range seats {
		if whose(player) {
			closing.Go(func() { s.Close() }) // what it says at its end changes no result
			delete(seats, player)
		}
	}
	closing.Wait()
}
