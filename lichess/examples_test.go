package lichess_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"zeitnot/lichess"
)

// examplesDir is where the official example payloads lie, which we may not commit.
func examplesDir(t *testing.T) string {
	t.Helper()
	data := os.Getenv("ZEITNOT_TESTDATA")
	if data == "" {
		t.Skip("ZEITNOT_TESTDATA is not set")
	}
	return filepath.Join(data, "..", "lichess", "examples")
}

// Reading an official example and writing it again keeps every key that we read and adds
// none; flags that the example spells out as false may go.
func TestOfficialExamples(t *testing.T) {
	dir := examplesDir(t)
	seen := 0
	for pattern, make := range map[string]func() any{
		"event-*.ndjson":                   func() any { return new(lichess.Event) },
		"stream-game-gameFull.ndjson":      func() any { return new(lichess.GameFull) },
		"stream-game-gameState.ndjson":     func() any { return new(lichess.GameState) },
		"stream-game-chatLine.ndjson":      func() any { return new(lichess.ChatLine) },
		"stream-game-opponentGone.ndjson":  func() any { return new(lichess.OpponentGone) },
		"GET-api-account.json":             func() any { return new(lichess.Account) },
		"GET-api-user-username.json":       func() any { return new(lichess.Account) },
		"GET-api-bot-online.ndjson":        func() any { return new(lichess.Account) },
		"GET-api-account-playing.json":     func() any { return new(lichess.Playing) },
		"GET-api-bot-game-id-chat.json":    func() any { return new([]lichess.ChatMessage) },
		"GET-api-challenge.json":           func() any { return new(lichess.Challenges) },
		"GET-api-challenge-id-show.json":   func() any { return new(lichess.Challenge) },
		"POST-api-challenge-username.json": func() any { return new(lichess.Challenge) },
		"POST-api-challenge-open.json":     func() any { return new(lichess.Challenge) },
		"schema-ChallengeJson.json":        func() any { return new(lichess.Challenge) },
		"POST-api-challenge-ai.json":       func() any { return new(lichess.AIGame) },
		"GET-api-users-status.json":        func() any { return new([]lichess.UserStatus) },
		"POST-api-token-test.json":         func() any { return new(lichess.TokenTest) },
	} {
		files, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil || len(files) == 0 {
			t.Errorf("%s: no such example (%v)", pattern, err)
		}
		for _, file := range files {
			seen++
			t.Run(filepath.Base(file), func(t *testing.T) {
				text, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				for _, doc := range documents(file, text) {
					checkExample(t, doc, make())
				}
			})
		}
	}
	if seen < 20 {
		t.Errorf("saw %d examples, want at least 20", seen)
	}
}

func documents(file string, text []byte) [][]byte {
	if strings.HasSuffix(file, ".ndjson") {
		return bytes.Split(bytes.TrimSpace(text), []byte("\n"))
	}
	return [][]byte{text}
}

// unread are keys that we leave alone on purpose.
var unread = []string{"profile", "followable", "following", "blocking"}

func checkExample(t *testing.T, text []byte, v any) {
	t.Helper()
	if err := json.Unmarshal(text, v); err != nil {
		t.Fatal(err)
	}
	written, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	var want, got any
	if err := json.Unmarshal(text, &want); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(written, &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(pruned(want), pruned(got)); diff != "" {
		t.Errorf("written again (-example +written):\n%s", diff)
	}
}

// pruned removes what may differ: unread keys and flags spelled out as false.
func pruned(v any) any {
	switch v := v.(type) {
	case map[string]any:
		kept := make(map[string]any)
		for key, value := range v {
			falseFlag := value == false && (strings.HasSuffix(key, "draw") || strings.HasSuffix(key, "takeback"))
			if !falseFlag && !slices.Contains(unread, key) {
				kept[key] = pruned(value)
			}
		}
		return kept
	case []any:
		kept := make([]any, 0, len(v))
		for _, value := range v {
			kept = append(kept, pruned(value))
		}
		return kept
	}
	return v
}

// Of an official refusal the text under "error" is kept.
func TestOfficialRefusals(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(examplesDir(t), "error-4*.json"))
	if err != nil || len(files) < 2 {
		t.Fatalf("only %d examples (%v)", len(files), err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var body struct{ Error string }
		if err := json.Unmarshal(text, &body); err != nil || body.Error == "" {
			t.Fatalf("%s: no error text (%v)", file, err)
		}
		if e := refuse(t, 400, "application/json", string(text)); e.Message != body.Error {
			t.Errorf("%s: got %q, want %q", filepath.Base(file), e.Message, body.Error)
		}
	}
}

func TestExampleTournaments(t *testing.T) {
	dir := examplesDir(t)
	text, err := os.ReadFile(filepath.Join(dir, "GET-api-tournament.json"))
	if err != nil {
		t.Fatal(err)
	}
	var list lichess.Tournaments
	if err := json.Unmarshal(text, &list); err != nil {
		t.Fatal(err)
	}
	first := list.Created[0]
	if first.ID != "PbhgCwu0" || first.Variant != "standard" || first.Clock.Limit != 480 || first.StartsAt.UnixMilli() != 1783389600000 || first.Status != lichess.TournamentCreated {
		t.Errorf("first of the list: got %+v", first)
	}
	text, err = os.ReadFile(filepath.Join(dir, "GET-api-tournament-id.json"))
	if err != nil {
		t.Fatal(err)
	}
	var one lichess.Tournament
	if err := json.Unmarshal(text, &one); err != nil {
		t.Fatal(err)
	}
	if one.Variant != "standard" || !one.IsFinished || one.StartsAt.Year() != 2024 || one.Verdicts == nil {
		t.Errorf("single answer: got %+v", one)
	}
}

// Of the databases' answers only what is of use is read.
func TestOfficialExamplesOfDatabases(t *testing.T) {
	dir := examplesDir(t)
	read := func(name string, into any) {
		t.Helper()
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(text, into); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	var table lichess.TablebaseAnswer
	if read("tablebase-GET-standard.json", &table); len(table.Moves) == 0 || table.Category != lichess.CategoryWin ||
		table.Moves[0].UCI != "h7h8q" || table.Moves[0].Category != lichess.CategoryLoss || !table.Moves[0].Zeroing || *table.Moves[0].DTZ != -2 {
		t.Errorf("tablebase: got %+v", table)
	}
	var cloud lichess.CloudAnswer
	if read("GET-api-cloud-eval.json", &cloud); len(cloud.PVs) == 0 || cloud.Depth == 0 || cloud.PVs[0].Centipawns == nil || cloud.PVs[0].Moves == "" {
		t.Errorf("cloud: got %+v", cloud)
	}
}
