package bot_test

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rs/zerolog"

	"zeitnot/bot"
	"zeitnot/bot/record"
	"zeitnot/clock"
	"zeitnot/lichess"
	"zeitnot/lichess/sandbox"
)

// checkMoves compares what is remembered of our moves with what the server has of them.
func checkMoves(t *testing.T, got []record.Move, r sandbox.GameRecord) {
	t.Helper()
	var played []sandbox.MoveRecord
	for _, m := range r.Moves {
		if m.Color == r.Color("Zeitnot") {
			played = append(played, m)
		}
	}
	if len(got) != len(played) {
		t.Fatalf("moves: got %d, want %d", len(got), len(played))
	}
	for i, m := range got {
		if m.Game != r.ID || m.Ply != played[i].Ply || m.UCI != played[i].UCI {
			t.Errorf("move %d: got %+v, want %s at ply %d", i, m, played[i].UCI, played[i].Ply)
		}
		if m.Clock == nil || *m.Clock <= 0 || m.Used <= 0 || m.Used > m.Hard+time.Second || m.Soft > m.Hard || m.Mode != record.ModeNormal {
			t.Errorf("move %d: got %+v, want a clock and a use within the budget", i, m)
		}
		if (m.Overhead != nil) != (i > 0) {
			t.Errorf("move %d: got overhead %v, want one for all but the first", i, m.Overhead)
		}
	}
}

func TestGamesAreRemembered(t *testing.T) {
	var memory record.Memory
	o := sandbox.Options{Seed: 1, Opponents: []sandbox.OpponentSpec{sparring(sandbox.Script{Think: 50 * time.Millisecond, ResignAt: 15, Seed: 3})}}
	inSandbox(t, o, func(o *bot.Options) { o.Record = &memory }, func(h *house) {
		for _, c := range []sandbox.Challenge{{Color: "white", Rated: true}, {Color: "black", Variant: sandbox.Chess960}} {
			r := h.finished(h.challenge(c), time.Hour)
			time.Sleep(2 * time.Second)
			games := memory.Games()
			g := games[len(games)-1]
			want := record.Game{
				ID: r.ID, Created: r.Created, Color: string(r.Color("Zeitnot")), Rating: g.Rating,
				Opponent: rival, OpponentRating: 1900, Speed: "blitz", Variant: "standard", Rated: c.Rated,
				Control: &record.Control{Initial: 3 * time.Minute, Increment: 2 * time.Second},
			}
			if c.Variant == sandbox.Chess960 {
				want.Variant, want.InitialFEN = "chess960", g.InitialFEN
				if g.InitialFEN == "" {
					t.Error("initial position: got none in Chess960")
				}
			}
			// The sandbox's clock is finer than what it writes.
			want.Created, g.Created = want.Created.UTC().Truncate(time.Millisecond), g.Created.UTC()
			if diff := cmp.Diff(want, g.Game); diff != "" {
				t.Errorf("game (-want +got):\n%s", diff)
			}
			checkMoves(t, g.Moves, r)
			if e := g.End; e == nil || e.Status != "resign" || e.Outcome != record.Win || e.Plies != len(r.Moves) || time.Since(e.At) > 3*time.Second {
				t.Errorf("end: got %+v, want the rival's resignation just now, after %d plies", e, len(r.Moves))
			}
		}
		if n := len(memory.Games()); n != 2 {
			t.Errorf("games: got %d, want 2", n)
		}
	})
}

func TestRestartContinuesTheGameInTheRecord(t *testing.T) {
	var memory record.Memory
	o := sandbox.Options{Seed: 1, Opponents: []sandbox.OpponentSpec{sparring(sandbox.Script{Think: 600 * time.Millisecond, ResignAt: 12, Seed: 3})}}
	inSandbox(t, o, func(o *bot.Options) { o.Record = &memory }, func(h *house) {
		id := h.challenge(sandbox.Challenge{})
		for range 3 {
			time.Sleep(2400 * time.Millisecond)
			h.stop()
			h.start()
		}
		r := h.finished(id, 20*time.Minute)
		time.Sleep(2 * time.Second)
		games := memory.Games()
		if len(games) != 1 || games[0].End == nil || games[0].End.Outcome != record.Win {
			t.Fatalf("games: got %+v, want the one game, won", games)
		}
		// A move that is under way when the daemon leaves is nobody's; nothing comes twice.
		ours := 0
		for _, m := range r.Moves {
			if m.Color == r.Color("Zeitnot") {
				ours++
			}
		}
		moves := games[0].Moves
		for i := 1; i < len(moves); i++ {
			if moves[i].Ply <= moves[i-1].Ply {
				t.Errorf("plies: got %d after %d", moves[i].Ply, moves[i-1].Ply)
			}
		}
		if len(moves) < ours-3 || len(moves) > ours {
			t.Errorf("moves: got %d of %d, with 3 restarts", len(moves), ours)
		}
	})
}

func TestGameWithoutAMoveOfOursIsRememberedOnce(t *testing.T) {
	var memory record.Memory
	inVirtualTime(t, func(_ *stub, o *bot.Options) { o.Record = &memory }, func(r *rig) {
		r.game("abcd1234", lichess.Black, "")
		r.start("abcd1234")
		r.after(time.Second)
		r.cut("abcd1234", io.EOF)
		r.after(10 * time.Second)
		r.want("streams", r.streams("abcd1234"), 2)
		r.end("abcd1234", lichess.StatusAborted, "")
		r.after(time.Second)
	})
	games := memory.Games()
	if len(games) != 1 {
		t.Fatalf("games: got %+v, want one", games)
	}
	g := games[0]
	if g.Opponent != "Opp" || len(g.Moves) != 0 || g.End == nil || g.End.Outcome != record.NoOutcome || g.End.Status != "aborted" {
		t.Errorf("got %+v, want the aborted game without moves", g)
	}
}

func TestGameThatWasLostSightOfIsOverInTheRecord(t *testing.T) {
	var memory record.Memory
	inVirtualTime(t, func(_ *stub, o *bot.Options) { o.Record = &memory }, func(r *rig) {
		r.game("abcd1234", lichess.Black, "e2e4")
		r.start("abcd1234")
		r.after(5 * time.Second)
		r.mu.Lock()
		g := r.games["abcd1234"]
		delete(r.games, "abcd1234")
		r.mu.Unlock()
		g.lines <- status(502, 0)
		r.after(time.Minute)
	})
	games := memory.Games()
	if len(games) != 1 || games[0].End == nil || games[0].End.Status != "" || games[0].End.Outcome != record.NoOutcome || games[0].End.Plies != 2 {
		t.Errorf("got %+v, want the game over after 2 plies, nobody knows how", games)
	}
}

// aPrior is what a daemon may have learnt on a slow way.
func aPrior(saved time.Time) record.Prior {
	return record.Prior{Server: "https://lichess.org", Saved: saved, Estimator: clock.Prior{
		Mean: 250 * time.Millisecond, Dev: 20 * time.Millisecond, Q50: 250 * time.Millisecond, Q90: 280 * time.Millisecond,
	}}
}

// Nothing can be kept: the folder is none. Games are played all the same.
func TestGamesGoOnWhereNothingCanBeKept(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	var log lines
	inVirtualTime(t, func(_ *stub, o *bot.Options) { o.StateDir, o.Log = file, log.logger() }, func(r *rig) {
		for _, id := range []string{"game0001", "game0002"} {
			r.game(id, lichess.White, "")
			r.start(id)
			r.after(time.Second)
			r.want("moves", len(r.made("move "+id)), 1)
			r.end(id, lichess.StatusResign, lichess.White)
			r.after(time.Second)
			r.want("slots", r.slotsUsed(), 0)
		}
	})
	if log.count("games.pgn") == 0 {
		t.Errorf("log does not say that games are not kept:\n%s", log.String())
	}
}

// breaking is a record that cannot take the end of a game.
type breaking struct{ record.Nothing }

func (breaking) GameEnded(record.End) { panic("test") }

func TestGameThatCannotBeKeptIsTheOnlyOneThatSuffers(t *testing.T) {
	var log lines
	inVirtualTime(t, func(_ *stub, o *bot.Options) { o.Record, o.Log = breaking{}, log.logger() }, func(r *rig) {
		r.game("abcd1234", lichess.White, "")
		r.start("abcd1234")
		r.after(time.Second)
		r.end("abcd1234", lichess.StatusResign, lichess.White)
		r.after(time.Second)
		r.want("slots", r.slotsUsed(), 0)
		r.send(challenged(challenge("c1", "someone")))
		r.after(time.Second)
		r.want("accepts", r.made("accept"), "[accept c1]")
	})
	if log.count("game not kept") != 1 {
		t.Errorf("log does not say what happened:\n%s", log.String())
	}
}

func TestPriorIsUsedUnlessOldOrImpossible(t *testing.T) {
	const day = 24 * time.Hour
	for _, c := range []struct {
		name   string
		change func(p *record.Prior)
		mean   float64 // ms, of the first move
		log    string
	}{
		{"of yesterday", func(p *record.Prior) {}, 250, "the network as it was"},
		{"of 29 days ago", func(p *record.Prior) { p.Saved = time.Now().Add(-29 * day) }, 250, "the network as it was"},
		{"of 31 days ago", func(p *record.Prior) { p.Saved = time.Now().Add(-31 * day) }, 0, "is too old"},
		{"of another server", func(p *record.Prior) { p.Server = "http://127.0.0.1:9663" }, 0, ""},
		{"with a mean beyond any game", func(p *record.Prior) { p.Estimator.Mean = time.Hour }, 0, "mean is 1h0m0s, allowed are 0 to 1m0s"},
		{"that knows nothing", func(p *record.Prior) { p.Estimator = clock.Prior{} }, 0, "neither mean nor dev is known"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var memory record.Memory
			var moves moveLog
			var log bytes.Buffer
			inVirtualTime(t, func(_ *stub, o *bot.Options) {
				p := aPrior(time.Now().Add(-30 * time.Hour))
				c.change(&p)
				memory.SavePrior(p)
				o.Record, o.Log = &memory, zerolog.New(zerolog.MultiLevelWriter(&moves, &log)).Level(zerolog.InfoLevel)
			}, func(r *rig) {
				r.game("abcd1234", lichess.White, "")
				r.start("abcd1234")
				r.after(3 * time.Second)
			})
			lines := moves.lines(t)
			if len(lines) != 1 || lines[0].Mean != c.mean {
				t.Errorf("first move: got %+v, want a mean of %v", lines, c.mean)
			}
			if !strings.Contains(log.String(), c.log) {
				t.Errorf("log: got\n%s, want %q", &log, c.log)
			}
			if c.log == "" && strings.Contains(log.String(), "the network") {
				t.Errorf("log: got\n%s, want nothing of the network", &log)
			}
		})
	}
}

func TestFirstGameAfterARestartKnowsWhatMovesCost(t *testing.T) {
	var memory record.Memory
	var log moveLog
	faults, err := sandbox.ParseFaults("latency account=zeitnot in=30ms out=30ms; charge per=600ms")
	if err != nil {
		t.Fatal(err)
	}
	o := sandbox.Options{Seed: 1, Faults: faults, Opponents: []sandbox.OpponentSpec{sparring(sandbox.Script{Think: 50 * time.Millisecond, ResignAt: 30, Seed: 3})}}
	inSandbox(t, o, func(o *bot.Options) { o.Record, o.Log = &memory, log.logger() }, func(h *house) {
		h.wantWon(h.finished(h.challenge(sandbox.Challenge{}), time.Hour))
		time.Sleep(2 * time.Second)
		h.stop()
		before := log.lines(t)
		if before[0].Mean > 100 {
			t.Errorf("first move ever: got %+v, want a mean near the round trip of 60 ms", before[0])
		}

		h.start()
		h.wantWon(h.finished(h.challenge(sandbox.Challenge{}), time.Hour))
		again := log.lines(t)[len(before)]
		if again.Mean < 600 || again.Mean > 720 || again.Guard < 500 {
			t.Errorf("first move after the restart: got %+v, want a mean of about 660 ms", again)
		}
	})
}

func TestPriorIsSavedWhenThereIsNews(t *testing.T) {
	var memory record.Memory
	start := time.Time{}
	prior := func() record.Prior {
		p, err := memory.Prior("https://lichess.org")
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	inVirtualTime(t, func(_ *stub, o *bot.Options) {
		start = time.Now().Add(-time.Hour)
		memory.SavePrior(aPrior(start))
		o.Record = &memory
	}, func(r *rig) {
		r.game("abcd1234", lichess.White, "")
		r.start("abcd1234")
		r.after(3 * time.Second)
		r.end("abcd1234", lichess.StatusAborted, "")
		r.after(3 * time.Second)
		if p := prior(); !p.Saved.Equal(start) {
			t.Errorf("a game that taught nothing: got the prior of %v, want that of %v", p.Saved, start)
		}
		r.game("abcd5678", lichess.White, "")
		r.start("abcd5678")
		r.after(3 * time.Second)
		r.reply("abcd5678", "e7e5")
		r.after(3 * time.Second)
		// The test ends here, with the daemon in the middle of the game.
	})
	if p := prior(); !p.Saved.After(start) || p.Estimator.Mean == aPrior(start).Estimator.Mean {
		t.Errorf("left in a game: got %+v, want what that game has taught", p)
	}
}
