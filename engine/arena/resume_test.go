package arena_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"zeitnot/engine/arena"
)

// threeMatch is a small round robin.
func threeMatch(t *testing.T, concurrency int) arena.Match {
	return arena.Match{
		Players: []arena.Player{player("search", arena.Limits{Nodes: 100}, small), player("random", one, random), player("greedy", one, greedy)},
		Games:   4, Openings: openings(t, "startpos|", "startpos|e2e4 e7e5"), Concurrency: concurrency, Seed: 5,
		Adjudicate: arena.Adjudication{MaxPlies: 60},
	}
}

func openState(t *testing.T, path string, match []arena.Fact, pgnStart int64) (*arena.State, error) {
	t.Helper()
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o666)
	if err != nil {
		t.Fatal(err)
	}
	return arena.OpenState(file, match, pgnStart)
}

func TestAResumedMatchEndsLikeOneThatWasNotInterrupted(t *testing.T) {
	facts := []arena.Fact{{Name: "seed", Value: "5"}}
	whole := threeMatch(t, 1)
	var want bytes.Buffer
	whole.PGN = &want
	result, err := arena.Run(t.Context(), whole)
	if err != nil {
		t.Fatal(err)
	}
	if result.Games() != 12 {
		t.Fatalf("%d games, want 12", result.Games())
	}
	for _, concurrency := range []int{1, 3} {
		dir := t.TempDir()
		state, games := filepath.Join(dir, "state"), filepath.Join(dir, "games.pgn")
		// The match is cut off after some games, again and again; lines of both files are torn.
		for _, after := range []int{2, 1, 4, 100} {
			pgnFile, err := os.OpenFile(games, os.O_APPEND|os.O_CREATE|os.O_RDWR, 0o666)
			if err != nil {
				t.Fatal(err)
			}
			s, err := openState(t, state, facts, 0)
			if err != nil {
				t.Fatal(err)
			}
			written, err := io.ReadAll(pgnFile)
			if err != nil {
				t.Fatal(err)
			}
			m := threeMatch(t, concurrency)
			m.Played, m.OnFinished, m.PGN = s.Played, s.Add, arena.Continue(pgnFile, written)
			ctx, cancel := context.WithCancel(t.Context())
			earlier := 0
			m.OnGame = func(r arena.Record, _ arena.Result) {
				if r.Earlier {
					earlier++
				} else if after--; after == 0 {
					cancel()
				}
			}
			got, err := arena.Run(ctx, m)
			cancel()
			if earlier > len(s.Played) {
				t.Errorf("%d games count as earlier ones, %d were", earlier, len(s.Played))
			}
			if after > 0 {
				if err != nil || got.String() != result.String() {
					t.Errorf("concurrency %d: got %v\n%s\nwant\n%s", concurrency, err, got, result)
				}
			} else if !errors.Is(err, context.Canceled) && err != nil {
				t.Fatal(err)
			}
			s.Close()
			pgnFile.Close()
			if after <= 0 {
				tear(t, state, `{"number":3,"white`)
				cut(t, games, 7)
			}
		}
		if got, err := os.ReadFile(games); err != nil || string(got) != want.String() {
			t.Errorf("concurrency %d: other games than without interruption (%v)", concurrency, err)
		}
	}
}

// tear appends the beginning of a line.
func tear(t *testing.T, path, text string) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, append(data, text...), 0o666); err != nil {
		t.Fatal(err)
	}
}

// cut takes bytes off the end.
func cut(t *testing.T, path string, bytes int) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data[:max(0, len(data)-bytes)], 0o666); err != nil {
		t.Fatal(err)
	}
}

func TestFilesThatCannotBeResumed(t *testing.T) {
	facts := []arena.Fact{{Name: "seed", Value: "5"}, {Name: "sprt", Value: ""}}
	for _, c := range []struct{ name, content, want string }{
		{"another seed", `{"zeitnot_arena":1,"match":[{"name":"seed","value":"4"},{"name":"sprt","value":""}]}` + "\n", `seed was "4", is "5"`},
		{"less said", `{"zeitnot_arena":1,"match":[{"name":"seed","value":"5"}]}` + "\n", `sprt was not given, is ""`},
		{"more said", `{"zeitnot_arena":1,"match":[{"name":"seed","value":"5"},{"name":"sprt","value":""},{"name":"x","value":"y"}]}` + "\n", `x was "y", is not given`},
		{"a later format", `{"zeitnot_arena":2}` + "\n", "its format is 2"},
		{"a broken game", `{"zeitnot_arena":1,"match":[{"name":"seed","value":"5"},{"name":"sprt","value":""}]}` + "\n{\"numb\n", "line 2: "},
		{"a broken header", `{"zeitnot_arena":}` + "\n", "line 1: "},
		{"something else", "[Event \"?\"]\n", "not a file of an arena"},
	} {
		path := filepath.Join(t.TempDir(), "state")
		if err := os.WriteFile(path, []byte(c.content), 0o666); err != nil {
			t.Fatal(err)
		}
		if s, err := openState(t, path, facts, 0); err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: got %v, %v, want %q", c.name, s, err, c.want)
		}
		if now, err := os.ReadFile(path); err != nil || string(now) != c.content {
			t.Errorf("%s: the file was changed to %q", c.name, now)
		}
	}
	// A header that was not written to its end is that of a match without games.
	path := filepath.Join(t.TempDir(), "state")
	if err := os.WriteFile(path, []byte(`{"zeitnot_arena":1,"ma`), 0o666); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		s, err := openState(t, path, facts, 77)
		if err != nil || len(s.Played) != 0 || s.PGNStart != 77 {
			t.Fatalf("a torn header: got %+v, %v", s, err)
		}
		s.Close()
	}
}

func TestContinueWantsTheSameAgain(t *testing.T) {
	var out strings.Builder
	w := arena.Continue(&out, []byte("one two"))
	for _, part := range []string{"one ", "two three", " four"} {
		if n, err := io.WriteString(w, part); n != len(part) || err != nil {
			t.Errorf("%q: %d, %v", part, n, err)
		}
	}
	if out.String() != " three four" {
		t.Errorf("got %q", out.String())
	}
	if _, err := io.WriteString(arena.Continue(&out, []byte("one")), "two"); err == nil {
		t.Error("another text than before is not noticed")
	}
}
