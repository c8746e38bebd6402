package bot_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"zeitnot/bot"
	"zeitnot/engine"
	"zeitnot/engine/external"
	"zeitnot/engine/position"
	"zeitnot/engine/scripted"
	"zeitnot/engine/uci"
	"zeitnot/lichess/sandbox"
)

var update = flag.Bool("update", false, "write the table of docs/reliability.md anew")

// faultRow is a line of the table of faults: what happens, what the daemon does, and how
// long it may take and takes.
type faultRow struct {
	fault string
	does  string
	goal  time.Duration
	// drawn: the time has a part that is drawn at random, so only the goal bounds it.
	drawn bool
	// took has the fault happen in a game, wants the game to be brought to its end, and says
	// how long the recovery took. We have the white men or the black ones.
	took func(t *testing.T, color string) time.Duration
}

// How the games of the table are played: over a way of 60 ms there and back, with moves
// that are thought about for 50 ms.
const (
	tableThink = 50 * time.Millisecond
	// tableMove is what a move of ours takes on the server's watch without any fault.
	tableMove = tableThink + 60*time.Millisecond
)

var otherColor = map[string]string{"white": "black", "black": "white"}

// atTable runs a test in a sandbox as the table has it. Our colour is what the rival does
// not take.
func atTable(t *testing.T, sc sandbox.Script, change func(*bot.Options), test func(h *house)) {
	t.Helper()
	if sc.Think == 0 {
		sc.Think = tableThink
	}
	sc.Seed = 3
	o := sandbox.Options{Seed: 1, Opponents: []sandbox.OpponentSpec{sparring(sc)}}
	o.Faults = []sandbox.Fault{{Kind: sandbox.Latency, Account: "zeitnot", In: 30 * time.Millisecond, Out: 30 * time.Millisecond}}
	inSandbox(t, o, change, test)
}

// inGame is a row in which a fault hits a game: the recovery is what our slowest move took
// more than without the fault.
func inGame(spec string) func(*testing.T, string) time.Duration {
	return func(t *testing.T, color string) (took time.Duration) {
		atTable(t, sandbox.Script{ResignAt: 15}, nil, func(h *house) {
			if err := h.InjectSpec(spec); err != nil {
				t.Fatal(err)
			}
			took = h.slowestMove(color) - tableMove
		})
		return took
	}
}

// slowestMove plays a game and gives the longest of our moves.
func (h *house) slowestMove(color string) time.Duration {
	h.t.Helper()
	r := h.finished(h.challenge(sandbox.Challenge{Color: otherColor[color]}), 20*time.Minute)
	h.wantWon(r)
	h.wantIdle()
	return slowest(r)
}

// withEngine is a row in which another engine plays that fails at its fifth move.
func withEngine(f engineFault) func(*testing.T, string) time.Duration {
	return func(t *testing.T, color string) (took time.Duration) {
		var s *external.Searcher
		atTable(t, sandbox.Script{ResignAt: 15}, func(o *bot.Options) {
			var moves atomic.Int64
			var err error
			s, err = external.New(t.Context(), external.Options{
				Start: func(context.Context) (external.Engine, error) {
					return &faultyEngine{Sleeper: scripted.Sleeper{Share: 0.5}, fault: f, moves: &moves}, nil
				},
				Embedded: scripted.Sleeper{Share: 0.5},
				Report:   func(string, error) {},
			})
			if err != nil {
				t.Fatal(err)
			}
			o.Searchers = []engine.Searcher{s}
		}, func(h *house) {
			h.closing = append(h.closing, func() { s.Close() })
			took = h.slowestMove(color) - tableMove
		})
		return took
	}
}

// engineFault is what an engine does in place of its fifth move.
type engineFault func(ctx context.Context, g position.Game) (engine.Result, error)

// faultyEngine is another program, as far as one sees of it.
type faultyEngine struct {
	scripted.Sleeper
	fault engineFault
	moves *atomic.Int64
}

func (e *faultyEngine) Search(ctx context.Context, g position.Game, l engine.Limits, onInfo func(engine.Info)) (engine.Result, error) {
	if e.moves.Add(1) == 5 {
		return e.fault(ctx, g)
	}
	return e.Sleeper.Search(ctx, g, l, onInfo)
}

func (e *faultyEngine) NewGame(context.Context) error      { return nil }
func (e *faultyEngine) Option(string) (uci.Option, bool)   { return uci.Option{}, false }
func (e *faultyEngine) SetOption(name, value string) error { return nil }
func (e *faultyEngine) Close() error                       { return nil }
func crashes(context.Context, position.Game) (engine.Result, error) {
	time.Sleep(20 * time.Millisecond)
	return engine.Result{}, errors.New("signal: segmentation fault")
}

func hangs(ctx context.Context, _ position.Game) (engine.Result, error) {
	<-ctx.Done()
	return engine.Result{}, ctx.Err()
}

// playsNonsense moves a piece that is not there.
func playsNonsense(_ context.Context, g position.Game) (engine.Result, error) {
	for from := range position.Square(64) {
		if p := g.Position().PieceAt(from); p == position.NoPiece {
			return engine.Result{Best: position.NewMove(from, from^1, 0)}, nil
		}
	}
	return engine.Result{}, nil
}

// accepted challenges us, and tells how long it takes until there is a game.
func (h *house) accepted(within time.Duration) time.Duration {
	h.t.Helper()
	began := time.Now()
	ctx, cancel := context.WithTimeout(h.ctx, within)
	defer cancel()
	id := h.challenge(sandbox.Challenge{})
	if _, err := h.WaitGame(ctx, id, func(sandbox.GameRecord) bool { return true }); err != nil {
		h.t.Fatalf("challenge is not accepted within %v: %+v", within, h.daemon.Health())
	}
	took := time.Since(began)
	h.wantWon(h.finished(id, 20*time.Minute))
	h.wantIdle()
	return took
}

// challengeAt is a row in which a fault hits while nothing is played, so long before a
// challenge: the recovery is what its acceptance takes more than without.
func challengeAt(spec string, before time.Duration) func(*testing.T, string) time.Duration {
	return func(t *testing.T, _ string) (took time.Duration) {
		atTable(t, sandbox.Script{ResignAt: 5}, nil, func(h *house) {
			if err := h.InjectSpec(spec); err != nil {
				t.Fatal(err)
			}
			time.Sleep(before)
			took = h.accepted(5*time.Minute) - 60*time.Millisecond
		})
		return took
	}
}

// faultTable is the table, in the order in which it is told.
func faultTable() []faultRow {
	const ms = time.Millisecond
	return []faultRow{
		{"429 once on a move, without a time", "keeps the move and sends it again after a minute, or after half of what is left on a shorter clock; chat and lookups pause as well, other games do not", 62 * time.Second, false, inGame("status move code=429 body=empty from=5")},
		{"429 on a move that names 10 s", "waits for that long", 11 * time.Second, false, inGame("status move code=429 limit=move seconds=10 from=5")},
		{"502 three times on a move", "sends it again after 0.1, 0.2 and 0.4 s", time.Second, false, inGame("status move code=502 from=5 times=3")},
		{"answer to a move lost", "sees in the stream that it was played; else sends it a second time, by a fresh connection", 400 * ms, false, inGame("lost move from=5")},
		{"connection reset after the move was taken", "the same", 400 * ms, false, inGame("lost move as=reset from=5")},
		{"connection reset before the move was taken", "sends it again", 400 * ms, false, inGame("reset move from=5")},
		{"move hangs", "sends it once more by another connection, while the first may still answer", 500 * ms, false, inGame("hang move from=5")},
		{"clean end of the game's stream", "opens it again: only a final state ends a game", 500 * ms, false, inGame("cut game ply=11")},
		{"reset of the game's stream", "the same", 500 * ms, false, inGame("reset game ply=11")},
		{"server closes its half of the stream", "the same", 500 * ms, false, inGame("halfclose game ply=11")},
		{"silence on the game's stream", "ends it when two blank lines are missing, 15 s, and opens another", 16 * time.Second, false, inGame("silent game ply=11")},
		{"game's stream refused with 502, five times", "tries again ever more slowly, from 50 ms to 10 s", 4 * time.Second, true, inGame("cut game ply=11; status game code=502 from=2 times=5")},
		{"all connections swallow everything", "the stream's silence is noticed; moves go by a fresh connection after 0.3 s", 16 * time.Second, true, inGame("blackhole after=2s")},
		{"no name server for 90 s, connections reset", "keeps trying; what came meanwhile is in the first line of the new stream", 105 * time.Second, true, inGame("offline after=2s down=90s; reset game after=2s; reset event after=2s")},
		{"garbage, unknown types, doubled and oversize lines", "skips what it does not understand; what it knows already changes nothing", 100 * ms, false, inGame("garbage event; garbage game; unknown game; dup game; dup event; oversize game size=2000000 times=3")},
		{"engine crashes", "its last line is played, or the embedded engine's move; it is restarted beside the game", 300 * ms, false, withEngine(crashes)},
		{"engine hangs", "a move goes out at the hard limit of the budget (here 0.2 s), long before the flag", 300 * ms, false, withEngine(hangs)},
		{"engine plays an illegal move", "never sends it: the embedded engine's move is played", 300 * ms, false, withEngine(playsNonsense)},
		{"event stream ends", "opens it again after about a second; the server repeats challenges and games", 2 * time.Second, false, challengeAt("cut event after=2s", 2*time.Second)},
		{"event stream falls silent", "ends it after 45 s without a line and opens another; games do not notice", time.Minute, true, challengeAt("silent event after=2s", 2*time.Second)},
		{"gameStart lost", "finds the game in the list of running games, which it asks for every 45 s or so, and keeps its slot", time.Minute, true, gameStartLost},
		{"restart of the daemon in a game", "finds the game in the list of running games and in the event stream, and plays on", 2 * time.Second, false, daemonRestarts},
		{"restart of the site, 30 s", "tries both streams again, ever more slowly; when the game's is back, the event stream follows at once", 20 * time.Second, true, siteAway(30 * time.Second)},
		{"site dead for two hours", "asks about once a minute, for a running game every 10 s; what is still being played goes on", 20 * time.Second, true, siteAway(2 * time.Hour)},
		{"site dead for two hours, nothing being played", "asks about once a minute", 80 * time.Second, true, challengeAt("restart after=2s down=2h", 2*time.Second+2*time.Hour)},
		{"SIGTERM in a game that the site has forgotten", "asks for the list of running games; a game that is not in it and has no stream is over", 5 * time.Second, false, drainInAForgottenGame},
		{"SIGTERM in a game whose opponent does not move", "plays on for ZEITNOT_DRAIN_TIMEOUT (here 60 s) and leaves; the next start takes the game up again", 62 * time.Second, false, drainInAStuckGame},
	}
}

// gameStartLost loses all events of one game.
func gameStartLost(t *testing.T, color string) (took time.Duration) {
	atTable(t, sandbox.Script{ResignAt: 15}, nil, func(h *house) {
		// The first line is the challenge.
		if err := h.InjectSpec("drop event from=2 account=zeitnot"); err != nil {
			t.Fatal(err)
		}
		id := h.challenge(sandbox.Challenge{Color: otherColor[color]})
		r, err := h.WaitGame(h.ctx, id, func(sandbox.GameRecord) bool { return true })
		if err != nil {
			t.Fatal(err)
		}
		for h.OpenStreams("zeitnot").Games == 0 {
			time.Sleep(10 * time.Millisecond)
		}
		took = time.Since(r.Created)
		h.wantWon(h.finished(id, 20*time.Minute))
		h.wantIdle()
	})
	return took
}

// daemonRestarts kills the daemon in our turn and starts another one 3 s later: the
// recovery is from there to the move.
func daemonRestarts(t *testing.T, color string) (took time.Duration) {
	atTable(t, sandbox.Script{ResignAt: 15}, nil, func(h *house) {
		id := h.challenge(sandbox.Challenge{Color: otherColor[color]})
		ours := func(r sandbox.GameRecord) bool {
			return len(r.Moves) > 10 && (len(r.Moves)%2 == 0) == (color == "white")
		}
		r, err := h.WaitGame(h.ctx, id, ours)
		if err != nil {
			t.Fatal(err)
		}
		if err := h.stop(); !errors.Is(err, bot.ErrGamesLeft) {
			t.Fatalf("stop: got %v, want ErrGamesLeft", err)
		}
		time.Sleep(3 * time.Second)
		plies, began := len(r.Moves), time.Now()
		h.start()
		if _, err := h.WaitGame(h.ctx, id, func(r sandbox.GameRecord) bool { return len(r.Moves) > plies }); err != nil {
			t.Fatal(err)
		}
		took = time.Since(began) - tableMove
		h.wantWon(h.finished(id, 20*time.Minute))
		h.wantIdle()
	})
	return took
}

// siteAway restarts the site in a game without a clock, which lives through any time: the
// recovery is from its return until our move, or until a challenge that was made then has
// become a game, whichever is later.
func siteAway(down time.Duration) func(*testing.T, string) time.Duration {
	return func(t *testing.T, color string) (took time.Duration) {
		atTable(t, sandbox.Script{Think: time.Second, ResignAt: 30}, func(o *bot.Options) {
			o.Concurrency, o.PerUser, o.NoClockThink = 2, 2, tableThink
		}, func(h *house) {
			id, err := h.StartGame(sandbox.GameSpec{White: map[string]string{"white": "Zeitnot", "black": rival}[color], Black: map[string]string{"white": rival, "black": "Zeitnot"}[color]})
			if err != nil {
				t.Fatal(err)
			}
			time.Sleep(5500 * time.Millisecond)
			h.Restart(down)
			time.Sleep(down)
			back := time.Now()
			r, _ := h.Game(id)
			plies := len(r.Moves)
			fresh := h.challenge(sandbox.Challenge{})
			if _, err := h.WaitGame(h.ctx, id, func(r sandbox.GameRecord) bool { return len(r.Moves) > plies+1 }); err != nil {
				t.Fatal(err)
			}
			if _, err := h.WaitGame(h.ctx, fresh, func(sandbox.GameRecord) bool { return true }); err != nil {
				t.Fatal(err)
			}
			took = time.Since(back)
			h.wantWon(h.finished(fresh, 20*time.Minute))
			h.wantWon(h.finished(id, 20*time.Minute))
			h.wantIdle()
		})
		return took
	}
}

// drainInAStuckGame drains while the opponent thinks for ten minutes: the recovery is the
// time until the daemon has ended. Another one then plays the game to its end.
func drainInAStuckGame(t *testing.T, color string) (took time.Duration) {
	atTable(t, sandbox.Script{Think: 3 * time.Minute, ResignAt: 4, FirstMove: time.Second}, func(o *bot.Options) { o.DrainTimeout = time.Minute }, func(h *house) {
		id := h.challenge(sandbox.Challenge{Color: otherColor[color], Control: sandbox.ClockControl(20*time.Minute, 0)})
		time.Sleep(10 * time.Second)
		began := time.Now()
		h.daemon.Drain()
		err := h.ended()
		took = time.Since(began)
		if err != nil {
			t.Errorf("Run of a daemon that drained: %v", err)
		}
		if r, _ := h.Game(id); r.Over() {
			t.Errorf("game: got %v, want it to be running", r.Status)
		}
		h.start()
		h.wantWon(h.finished(id, time.Hour))
		h.wantIdle()
	})
	return took
}

// drainInAForgottenGame drains while the only game is known to nobody else: the recovery is
// the time until the daemon has ended.
func drainInAForgottenGame(t *testing.T, color string) (took time.Duration) {
	atTable(t, sandbox.Script{Think: time.Minute, FirstMove: time.Second}, nil, func(h *house) {
		id := h.challenge(sandbox.Challenge{Color: otherColor[color]})
		time.Sleep(10 * time.Second)
		h.Forget(id)
		time.Sleep(10 * time.Second)
		began := time.Now()
		h.daemon.Drain()
		err := h.ended()
		if took = time.Since(began); err != nil {
			t.Errorf("Run of a daemon that drained: %v", err)
		}
	})
	return took
}

// ended waits until the daemon has ended by itself.
func (h *house) ended() error {
	err := <-h.done
	h.done <- err
	return h.stop()
}

const tableFile = "../docs/reliability.md"

// Times in the table are the longest of all runs. Reopening is drawn out at random so that
// bots do not come back all at once, hence the tolerance.
func TestFaultTable(t *testing.T) {
	const begin, end = "<!-- table: written by a test -->\n", "<!-- end of the table -->"
	text, err := os.ReadFile(tableFile)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok1 := strings.Cut(string(text), begin)
	told, after, ok2 := strings.Cut(rest, end)
	if !ok1 || !ok2 {
		t.Fatalf("%s has no place between %q and %q", tableFile, begin, end)
	}
	lines := strings.Split(told, "\n")
	runs := 1
	if *update {
		runs = 5
	}
	table := "| what happens | what the bot does | at most | measured |\n|---|---|---|---|\n"
	for i, row := range faultTable() {
		var most time.Duration
		t.Run(row.fault, func(t *testing.T) {
			for range runs {
				for _, color := range []string{"white", "black"} {
					most = max(most, row.took(t, color))
				}
			}
			if most > row.goal {
				t.Errorf("recovery took %v, want at most %v", most, row.goal)
			}
			if *update {
				return
			}
			written := ""
			if i+2 < len(lines) {
				written = lines[i+2]
			}
			head := fmt.Sprintf("| %s | %s | %s | ", row.fault, row.does, seconds(row.goal))
			value, isRow := strings.CutPrefix(written, head)
			var measured float64
			if _, err := fmt.Sscanf(value, "%g s |", &measured); !isRow || err != nil {
				t.Fatalf("%s has the line\n%s, want\n%s%s |\ngo test ./bot -run FaultTable -update writes it", tableFile, written, head, seconds(most))
			}
			if got := most.Seconds(); !row.drawn && got > 1.6*measured+0.1 || got < measured/10-0.1 {
				t.Errorf("recovery took %v, %s says %v s", most, tableFile, measured)
			}
		})
		table += fmt.Sprintf("| %s | %s | %s | %s |\n", row.fault, row.does, seconds(row.goal), seconds(most))
	}
	if *update && !t.Failed() {
		if err := os.WriteFile(tableFile, []byte(before+begin+table+end+after), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// seconds is a time as the table has it.
func seconds(d time.Duration) string {
	s := max(0, d).Seconds()
	switch {
	case s >= 10:
		return fmt.Sprintf("%.0f s", s)
	case s >= 1:
		return fmt.Sprintf("%.1f s", s)
	}
	return fmt.Sprintf("%.2f s", s)
}
