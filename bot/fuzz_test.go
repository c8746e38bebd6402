package bot_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"zeitnot/engine/position"
	"zeitnot/lichess"
)

// FuzzDaemon: whatever the two streams say, no panic ends the process, no illegal move is
// sent, and when all is said a new challenge is accepted. Lines that are no event go to the
// stream of a game that is being played.
func FuzzDaemon(f *testing.F) {
	files, err := filepath.Glob("../lichess/testdata/*.ndjson")
	if err != nil || len(files) == 0 {
		f.Fatalf("no seeds: %v", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
		for line := range bytes.Lines(text) {
			f.Add(line)
		}
	}
	const state = `{"type":"gameState","wtime":1000,"btime":1,"status":"started","moves":`
	for _, seed := range []string{
		state + `"e2e4 e7e5"}` + "\n" + state + `"e2e4"}` + "\n" + state + `""}` + "\n" + state + `"d2d4 d7d5 c2c4"}`,
		state + `"e2e4 e7e5 g1f3 b8c6 f1c4 f8c5 e1h1 g8f6"}` + "\n" + state + `"e2e4 e7e5 g1f3 b8c6 f1c4 f8c5 e1g1 g8f6 a2a3"}`,
		state + `"e2e5"}` + "\n" + state + `"P@d4"}` + "\n" + state + `"e2e4 e7e5","wdraw":true,"bdraw":true,"wtakeback":true,"btakeback":true}`,
		state + `"f2f3 e7e5 g2g4 d8h4"}` + "\n" + `{"type":"gameState","moves":"","status":"mate","winner":"black"}`,
		`{"type":"opponentGone","gone":true,"claimWinInSeconds":0}` + "\n" + `{"type":"opponentGone","gone":true,"claimWinInSeconds":-5}` + "\n" + `{"type":"chatLine","room":"spectator","username":"x","text":"!eval"}`,
		`{"type":"gameFull","id":"abcd1234","variant":{"key":"crazyhouse"},"initialFen":"8/8/8/8/8/8/8/8 w - - 0 1","white":{"id":"zeitnot"},"black":{},"state":{"status":"started","moves":"e2e4"}}`,
		`{"type":"gameFull","id":"abcd1234","variant":{"key":"fromPosition"},"initialFen":"4kr2/pppppppp/8/8/8/8/PPPPPPPP/4KR2 w Ff - 0 1","white":{"id":"x"},"black":{"id":"zeitnot"},"clock":{"initial":-1,"increment":-1},"state":{"status":"started","moves":"e1f1","wtime":-5,"btime":-5}}`,
		`{"type":"gameStart","game":{"gameId":"zzzz9999"}}` + "\n" + `{"type":"gameFinish","game":{"gameId":"abcd1234","status":{"name":"mate"},"winner":"white"}}`,
		`{"type":"challenge","challenge":{"id":"c2","challenger":{"id":"x"},"variant":{"key":"fromPosition"},"initialFen":"x","timeControl":{"type":"clock","limit":-3,"increment":99999999999}}}`,
		`{"type":"challenge","challenge":{"id":"c2","timeControl":{"type":"unlimited"}}}` + "\n" + `{"type":"challengeDeclined","challenge":{"id":"c2","declineReasonKey":"nobot"}}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		inVirtualTime(t, nil, func(r *rig) {
			g := r.game("abcd1234", lichess.White, "")
			g.noEcho = true // what the streams say is in the text
			r.start("abcd1234")
			r.after(time.Second)
			shown := []lichess.GameFull{g.full}
			lines := bytes.SplitN(text, []byte("\n"), 40)
			for _, line := range lines {
				line = bytes.TrimSpace(line)
				if e, err := lichess.ParseEvent(line); err == nil {
					r.send(*e)
				} else if l, err := lichess.ParseGameLine(line); err == nil && len(line) > 0 {
					l.Arrived = time.Now()
					r.mu.Lock()
					if l.Full != nil {
						g.full = *l.Full
					}
					if l.State != nil {
						g.full.State = *l.State
					}
					shown = append(shown, g.full)
					select {
					case g.lines <- l:
					default:
					}
					r.mu.Unlock()
				}
				r.after(700 * time.Millisecond)
			}
			r.mu.Lock()
			for id := range r.games {
				r.games[id].full.State.Status = lichess.StatusAborted
			}
			r.mu.Unlock()
			r.after(3 * time.Minute)
			for _, m := range r.made("move abcd1234 ") {
				if uci := strings.Fields(m)[2]; !legalSomewhere(shown, uci) {
					t.Errorf("move %s is legal in no position that was shown", uci)
				}
			}
			r.send(challenged(challenge("last0001", "somebody")))
			r.after(time.Minute)
			if got := r.made("accept last0001"); len(got) != 1 {
				t.Errorf("a challenge after all this is not accepted: %+v", r.daemon.Health())
			}
		})
	})
}

// legalSomewhere tells whether a move is legal in a position of one of the games.
func legalSomewhere(games []lichess.GameFull, uci string) bool {
	for _, full := range games {
		list := full.State.MoveList()
		for n := len(list); n >= 0; n-- {
			g, err := position.ParseGame(full.InitialFEN, full.Variant.Key == lichess.Chess960, list[:n])
			if err != nil {
				continue
			}
			if _, err := g.Position().ParseUCI(uci); err == nil {
				return true
			}
		}
	}
	return false
}
