package record_test

import (
	"fmt"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rs/zerolog"

	"zeitnot/bot/record"
	"zeitnot/clock"
)

// kind is a kind of store under the contract.
type kind struct {
	name string
	// make makes an empty store and says how to look at what it has once it is closed.
	make func(t *testing.T) (record.Store, func() []record.Remembered)
}

func kinds() []kind {
	return []kind{
		{"memory", func(*testing.T) (record.Store, func() []record.Remembered) {
			m := &record.Memory{}
			return m, m.Games
		}},
		{"sqlite", func(t *testing.T) (record.Store, func() []record.Remembered) {
			path := filepath.Join(t.TempDir(), "zeitnot.db")
			return open(t, path), func() []record.Remembered { return read(t, path) }
		}},
	}
}

func open(t *testing.T, path string) *record.SQLite {
	t.Helper()
	s, err := record.Open(path, zerolog.New(zerolog.NewTestWriter(t)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// under runs a test with every kind of store: act hands over, want is what the closed store
// has then.
func under(t *testing.T, act func(s record.Store), want []record.Remembered) {
	t.Helper()
	for _, k := range kinds() {
		t.Run(k.name, func(t *testing.T) {
			s, look := k.make(t)
			act(s)
			if err := s.Close(); err != nil {
				t.Fatalf("close: %v", err)
			}
			if diff := cmp.Diff(want, look()); diff != "" {
				t.Errorf("what is remembered (-want +got):\n%s", diff)
			}
		})
	}
}

var noon = time.Date(2026, 11, 30, 12, 0, 0, 123_000_000, time.UTC)

func blitz(id string) record.Game {
	return record.Game{
		ID: id, Created: noon, Color: "white", Rating: 2000,
		Opponent: "Anna", OpponentTitle: "BOT", OpponentRating: 1900,
		Speed: "blitz", Variant: "standard", Rated: true,
		Control: &record.Control{Initial: 3 * time.Minute, Increment: 2 * time.Second},
	}
}

func move(id string, ply int) record.Move {
	return record.Move{
		Game: id, Ply: ply, UCI: "e2e4", Clock: new(179_999 * time.Millisecond),
		Soft: 1500 * time.Millisecond, Hard: 4 * time.Second, Used: 1501250 * time.Microsecond,
		Overhead: new(61_500 * time.Microsecond), Mode: record.ModeNormal, Depth: 17, Nodes: 1_234_567,
		Centipawns: new(-31), Source: "search",
	}
}

func won(id string, plies int) record.End {
	return record.End{Game: id, At: noon.Add(time.Minute), Status: "resign", Outcome: record.Win, Plies: plies}
}

func TestGameComesBackAsItWasHandedOver(t *testing.T) {
	g := blitz("abcd1234")
	moves := []record.Move{move(g.ID, 1), move(g.ID, 3), move(g.ID, 5)}
	moves[1].Mode, moves[1].Centipawns, moves[1].Mate = record.ModePonderHit, nil, new(-3)
	moves[2].Mode, moves[2].Overhead = record.ModePremove, new(-4*time.Millisecond)
	end := won(g.ID, 6)
	under(t, func(s record.Store) {
		s.GameStarted(g)
		for _, m := range moves {
			s.Move(m)
		}
		s.GameEnded(end)
	}, []record.Remembered{{Game: g, End: &end, Moves: moves}})
}

func TestWhatIsNotKnownStaysUnknown(t *testing.T) {
	g := record.Game{
		ID: "abcd1234", Created: noon, Color: "black", Opponent: "Anonymous", Speed: "unlimited", Variant: "fromPosition",
		InitialFEN: "4k3/4p3/8/8/8/8/4P3/4K3 w - - 0 1",
	}
	m := record.Move{Game: g.ID, Ply: 2, UCI: "e7e5", Mode: record.ModeNormal, Source: "book", Book: &record.BookMove{Key: 1<<63 | 5, Move: 65535}}
	end := record.End{Game: g.ID, At: noon, Outcome: record.NoOutcome, Plies: 2}
	under(t, func(s record.Store) {
		s.GameStarted(g)
		s.Move(m)
		s.GameEnded(end)
	}, []record.Remembered{{Game: g, End: &end, Moves: []record.Move{m}}})
}

func TestGameThatIsTakenUpAgainIsThereOnce(t *testing.T) {
	g := blitz("abcd1234")
	again := g
	again.Rating = 2010
	under(t, func(s record.Store) {
		s.GameStarted(g)
		s.Move(move(g.ID, 1))
		s.GameStarted(again)
		s.Move(move(g.ID, 3))
	}, []record.Remembered{{Game: g, Moves: []record.Move{move(g.ID, 1), move(g.ID, 3)}}})
}

func TestMovesThatWereTakenBackAreGone(t *testing.T) {
	g := blitz("abcd1234")
	other := move(g.ID, 3)
	other.UCI = "d2d4"
	end := won(g.ID, 4)
	under(t, func(s record.Store) {
		s.GameStarted(g)
		for _, ply := range []int{1, 3, 5, 7} {
			s.Move(move(g.ID, ply))
		}
		s.Move(other) // in place of 3, and without 5 and 7
		s.Move(move(g.ID, 5))
		s.GameEnded(end) // after one more takeback
	}, []record.Remembered{{Game: g, End: &end, Moves: []record.Move{move(g.ID, 1), other}}})
}

func TestLastEndOfAGameCounts(t *testing.T) {
	g := blitz("abcd1234")
	unknown, end := record.End{Game: g.ID, At: noon, Outcome: record.NoOutcome}, won(g.ID, 0)
	under(t, func(s record.Store) {
		s.GameStarted(g)
		s.GameEnded(unknown)
		s.GameEnded(end)
	}, []record.Remembered{{Game: g, End: &end}})
}

func TestWhatIsNoPartOfAKnownGameIsLostAndNothingElse(t *testing.T) {
	g := blitz("abcd1234")
	under(t, func(s record.Store) {
		s.Move(move("unknown1", 1))
		s.GameStarted(g)
		s.GameEnded(won("unknown1", 1))
		s.Move(move(g.ID, 1))
		s.Move(move("unknown1", 3))
	}, []record.Remembered{{Game: g, Moves: []record.Move{move(g.ID, 1)}}})
}

func TestClosedStoreTakesNothingAndClosesAgain(t *testing.T) {
	g := blitz("abcd1234")
	under(t, func(s record.Store) {
		s.GameStarted(g)
		if err := s.Close(); err != nil {
			t.Errorf("first close: %v", err)
		}
		s.GameStarted(blitz("abcd5678"))
		s.Move(move(g.ID, 1))
		s.GameEnded(won(g.ID, 1))
	}, []record.Remembered{{Game: g}})
}

func TestManyHandOverAtOnce(t *testing.T) {
	var want []record.Remembered
	for i := range 10 {
		g := blitz(fmt.Sprintf("game%04d", i))
		r := record.Remembered{Game: g}
		for ply := 1; ply < 60; ply += 2 {
			r.Moves = append(r.Moves, move(g.ID, ply))
		}
		want = append(want, r)
	}
	under(t, func(s record.Store) {
		for _, r := range want {
			s.GameStarted(r.Game)
		}
		var games sync.WaitGroup
		for _, r := range want {
			games.Go(func() {
				for _, m := range r.Moves {
					s.Move(m)
				}
			})
		}
		games.Wait()
	}, want)
}

func TestPriorIsThatOfItsServerAndTheLatest(t *testing.T) {
	first := record.Prior{Server: "https://a", Saved: noon, Estimator: clock.Prior{
		Mean: 61 * time.Millisecond, Dev: 7 * time.Millisecond, Q50: 60 * time.Millisecond, Q90: 70 * time.Millisecond,
		Peak: 90 * time.Millisecond, Long: 62 * time.Millisecond, LongMoves: 200, Late: time.Millisecond,
	}}
	second := first
	second.Saved, second.Estimator.Mean = noon.Add(time.Hour), 66*time.Millisecond
	other := record.Prior{Server: "https://b", Saved: noon, Estimator: clock.Prior{Mean: time.Second, Dev: 1, Q90: 2}}
	for _, k := range kinds() {
		t.Run(k.name, func(t *testing.T) {
			s, _ := k.make(t)
			defer s.Close()
			if p, err := s.Prior("https://a"); err != nil || p != (record.Prior{}) {
				t.Errorf("before: got %+v, %v; want none", p, err)
			}
			s.SavePrior(first)
			s.SavePrior(other)
			s.SavePrior(second)
			for _, want := range []record.Prior{second, other} {
				if got, err := s.Prior(want.Server); err != nil || got != want {
					t.Errorf("prior of %s: got %+v, %v; want %+v", want.Server, got, err, want)
				}
			}
		})
	}
}
