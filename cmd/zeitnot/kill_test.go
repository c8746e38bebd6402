package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"zeitnot/engine/pgn"
	"zeitnot/lichess/sandbox"
)

// kills is how often TestRunTakesItsGamesUpAgainAfterKills kills the bot; killSeed decides
// when.
var (
	kills    = flag.Int("kills", 3, "how often the bot is killed in a test")
	killSeed = flag.Uint64("killseed", 1, "when it is killed")
)

// atOnce is how many games it plays at the same time.
const atOnce = 3

// killed is the bot that gets killed, and what was seen of it.
type killed struct {
	t     *testing.T
	s     *sandbox.Server
	env   []string
	rng   *rand.Rand
	bot   *process
	state string
	// resumed counts games that were running at a kill, took the time from the start of the
	// next bot to its move in each of them.
	resumed int
	took    []time.Duration
	// unwritten are games whose end was not in games.pgn at a death of the bot, unrecorded those
	// of which it was not in the record; plies is where the running ones stood at its last start.
	unwritten, unrecorded map[string]bool
	plies                 map[string]int
	deaths                int
}

// TestRunTakesItsGamesUpAgainAfterKills kills the bot at random instants: in the middle of
// its thinking, of its writing, and of its start. Each game goes on with the next bot, and
// what is kept can always be read. Clocks are long and moves take an engine the same time on any
// machine, so that none is too slow for the games.
func TestRunTakesItsGamesUpAgainAfterKills(t *testing.T) {
	var opponents []sandbox.OpponentSpec
	for i := range atOnce {
		// Their moves are quick, so that a kill falls now into their thinking, now into ours.
		opponents = append(opponents, sandbox.OpponentSpec{
			Name: fmt.Sprintf("Anna%d", i), New: sandbox.Script{Seed: uint64(i), Think: 20 * time.Millisecond, ResignAt: 15}.Player,
			Plans: []sandbox.Plan{{
				Challenge: sandbox.Challenge{To: "GoBot", Control: sandbox.ClockControl(10*time.Minute, 0), Rated: true},
				Count:     sandbox.Always, Every: time.Millisecond, Persist: true, Swap: true,
			}},
		})
	}
	// Nobody starts a bot as often as this.
	s, url := inSandboxWith(t, sandbox.Limits{AccountReads: -1, EventConnects: -1}, opponents...)
	k := &killed{t: t, s: s, rng: rand.New(rand.NewPCG(*killSeed, 0)), state: filepath.Join(t.TempDir(), "state")}
	k.unwritten, k.unrecorded = map[string]bool{}, map[string]bool{}
	k.env = []string{
		"ZEITNOT_URL=" + url, "ZEITNOT_TOKEN=lip_bot_" + tokenMark, "ZEITNOT_STATE_DIR=" + k.state,
		fmt.Sprintf("ZEITNOT_CONCURRENCY=%d", atOnce), "ZEITNOT_HASH_MB=4", "ZEITNOT_LOG_LEVEL=info",
		"ZEITNOT_ACCEPT_HUMAN_SPEEDS=rapid", "ZEITNOT_BOOK=", "ZEITNOT_ENGINE=" + program(t, "stubengine"), "ZEITNOT_ENGINE_ARGS=slow",
	}
	k.bot = start(t, k.env, "run")
	for n := range *kills {
		k.kill(n)
	}
	k.bot.says("event stream open") // before that a signal may come before it is listened to
	k.bot.signal(syscall.SIGTERM)
	k.bot.exit(exitDone)
	k.checkGames()
	k.checkPGN()
	k.checkRecord()
}

// kill kills the bot at a random instant of its games, starts the next one, and waits until
// that has moved in each of the games that were running.
func (k *killed) kill(n int) {
	k.t.Helper()
	k.awaitGame()
	time.Sleep(time.Duration(k.rng.Int64N(int64(700 * time.Millisecond))))
	k.die()
	k.bot = start(k.t, k.env, "run")
	// One of three is killed again while it starts.
	for ; k.rng.IntN(3) == 0; k.bot = start(k.t, k.env, "run") {
		time.Sleep(time.Duration(k.rng.Int64N(int64(250 * time.Millisecond))))
		k.die()
	}
	began := time.Now()
	k.plies = map[string]int{}
	ctx, cancel := context.WithTimeout(k.t.Context(), patience)
	defer cancel()
	for _, g := range k.s.Games() {
		if g.Over() {
			continue
		}
		plies := len(g.Moves)
		k.plies[g.ID] = plies
		g, err := k.s.WaitGame(ctx, g.ID, func(g sandbox.GameRecord) bool {
			return g.Over() || movedSince(g, plies)
		})
		if err != nil {
			k.t.Fatalf("kill %d: game %s has not gone on from ply %d: %v:\n%s", n+1, g.ID, plies, err, k.bot.output)
		}
		if g.FlagFallen() == "GoBot" {
			k.t.Fatalf("kill %d: game %s was lost on time, it stood at ply %d before:\n%s", n+1, g.ID, plies, k.bot.output)
		}
		k.resumed++
		k.took = append(k.took, time.Since(began))
	}
}

// die kills the bot and notes what can be missing for that.
func (k *killed) die() {
	k.t.Helper()
	k.bot.signal(syscall.SIGKILL)
	<-k.bot.ended
	k.deaths++
	written, _ := k.written() // the next one clears up what it was in the middle of
	recorded := k.recorded()
	for _, g := range k.s.Games() {
		if kept, ok := written[g.ID]; !ok || len(kept.Moves) != len(g.Moves) {
			k.unwritten[g.ID] = true
		}
		if !slices.Contains(recorded, g.ID) {
			k.unrecorded[g.ID] = true
		}
	}
}

// takenUp tells whether the last bot has played in a game that was running before it. The
// first move of ours since it was started may have been the last one's, on its way.
func (k *killed) takenUp(g sandbox.GameRecord) bool {
	plies, ran := k.plies[g.ID]
	ours := 0
	for _, m := range g.Moves[min(plies, len(g.Moves)):] {
		if m.Color == g.Color("GoBot") {
			ours++
		}
	}
	return ran && ours > 1
}

// written are the games of games.pgn, each of which has to be there once.
func (k *killed) written() (map[string]pgn.Game, error) {
	k.t.Helper()
	games := map[string]pgn.Game{}
	file, err := os.Open(filepath.Join(k.state, "games.pgn"))
	if err != nil {
		return games, err
	}
	defer file.Close()
	for r := pgn.NewReader(file); ; {
		g, err := r.Next()
		if errors.Is(err, io.EOF) {
			return games, nil
		}
		if err != nil {
			return games, err
		}
		id := g.Tags.Get("GameId")
		if _, twice := games[id]; twice {
			k.t.Errorf("games.pgn: game %q is there twice", id)
		}
		games[id] = g
	}
}

// recorded are the games of which the record has the end. A copy is read: what a dead bot has
// left is for the next one to clear up.
func (k *killed) recorded() []string {
	k.t.Helper()
	dir := k.t.TempDir()
	for _, name := range []string{recordFile, recordFile + "-wal"} {
		data, err := os.ReadFile(filepath.Join(k.state, name))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), data, 0o600)
		}
		if err != nil {
			k.t.Fatal(err)
		}
	}
	db := filepath.Join(dir, recordFile)
	if ask(k.t, db, "SELECT count(*) FROM sqlite_schema WHERE name = 'games'") == "0" {
		return nil // it died before there was one
	}
	return strings.Fields(ask(k.t, db, "SELECT coalesce(group_concat(id, ' '), '') FROM games WHERE outcome IS NOT NULL"))
}

// awaitGame waits until a game runs in which both have moved.
func (k *killed) awaitGame() {
	k.t.Helper()
	runs := func(g sandbox.GameRecord) bool { return !g.Over() && len(g.Moves) >= 2 }
	for deadline := time.Now().Add(patience); !slices.ContainsFunc(k.s.Games(), runs); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			k.t.Fatalf("no game runs:\n%s", k.bot.output)
		}
	}
}

// movedSince tells whether our bot has moved after so many plies.
func movedSince(g sandbox.GameRecord, plies int) bool {
	for _, m := range g.Moves[min(plies, len(g.Moves)):] {
		if m.Color == g.Color("GoBot") {
			return true
		}
	}
	return false
}

// checkGames wants every game to have been played to its end, and none lost by the kills.
func (k *killed) checkGames() {
	games := k.s.Games()
	for _, g := range games {
		if !g.Over() || g.FlagFallen() == "GoBot" || g.Result() == "*" {
			k.t.Errorf("game %s: %v, winner %q, %d plies", g.ID, g.Status, g.Winner, len(g.Moves))
		}
	}
	var longest time.Duration
	for _, d := range k.took {
		longest = max(longest, d)
	}
	k.t.Logf("%d kills, %d games, %d of them taken up again after a kill, the slowest %v after the start", *kills, len(games), k.resumed, longest.Round(time.Millisecond))
}

// checkPGN wants games.pgn to hold whole games, once each, as they were played. A game that
// ended just before a kill may be missing.
func (k *killed) checkPGN() {
	written, err := k.written()
	if err != nil {
		k.t.Fatalf("games.pgn: %v", err)
	}
	for id, g := range written {
		played, known := k.s.Game(id)
		if !known || g.Result != played.Result() || len(g.Moves) != len(played.Moves) {
			k.t.Errorf("games.pgn: game %q: known %v, %v and %d plies, want %v and %d", id, known, g.Result, len(g.Moves), played.Result(), len(played.Moves))
		}
	}
	games := k.s.Games()
	k.t.Logf("games.pgn has %d of %d games", len(written), len(games))
	for _, g := range games {
		if _, ok := written[g.ID]; !ok && (!k.unwritten[g.ID] || k.takenUp(g)) {
			k.t.Errorf("games.pgn: game %s is missing, which no kill can have taken", g.ID)
		}
	}
	if missing := len(games) - len(written); missing > atOnce*k.deaths {
		k.t.Errorf("games.pgn: %d of %d games are missing, the bot died %d times in %d games", missing, len(games), k.deaths, atOnce)
	}
}

// checkRecord wants the record to be sound and to agree with what was played.
func (k *killed) checkRecord() {
	db := filepath.Join(k.state, recordFile)
	for _, query := range []string{"SELECT * FROM pragma_integrity_check", "SELECT coalesce(min('fault ' || \"table\"), 'ok') FROM pragma_foreign_key_check"} {
		if got := ask(k.t, db, query); got != "ok" {
			k.t.Errorf("%s: got %q, want ok", query, got)
		}
	}
	if damaged, _ := filepath.Glob(db + ".damaged*"); len(damaged) > 0 {
		k.t.Errorf("got %q, want no record to have been damaged", damaged)
	}
	unfinished, lost, ours := 0, 0, 0
	for _, g := range k.s.Games() {
		moves := strings.Split(ask(k.t, db, "SELECT coalesce(group_concat(ply || uci, ' '), '') FROM moves WHERE game = '"+g.ID+"'"), " ")
		kept := map[string]bool{}
		for _, m := range moves {
			kept[m] = true
		}
		for _, m := range g.Moves {
			if m.Color == g.Color("GoBot") {
				ours++
				if word := fmt.Sprint(m.Ply, m.UCI); !kept[word] {
					lost++
				} else {
					delete(kept, word)
				}
			}
		}
		if delete(kept, ""); len(kept) > 0 {
			k.t.Errorf("record: game %s has moves that were not played: %v", g.ID, kept)
		}
		outcome := ask(k.t, db, "SELECT coalesce(max(coalesce(outcome, 'running')), 'unknown') FROM games WHERE id = '"+g.ID+"'")
		switch want := map[string]string{"": "draw", g.Color("GoBot"): "win"}[g.Winner]; {
		case (outcome == "running" || outcome == "unknown") && k.unrecorded[g.ID] && !k.takenUp(g):
			unfinished++
		case outcome != want && !(want == "" && outcome == "loss"):
			k.t.Errorf("record: game %s: got outcome %q, winner %q, we had %s", g.ID, outcome, g.Winner, g.Color("GoBot"))
		}
	}
	k.t.Logf("the record lacks %d of %d moves and %d ends", lost, ours, unfinished)
	// What a kill can take: of each game that runs the move whose echo had not come, and what
	// was waiting for the disk.
	if lost > 3*k.resumed+*kills || unfinished > atOnce*k.deaths {
		k.t.Errorf("record: %d of %d moves and %d ends are missing after %d deaths", lost, ours, unfinished, k.deaths)
	}
}
