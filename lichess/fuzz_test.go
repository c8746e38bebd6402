package lichess_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"zeitnot/lichess"
)

// seeds adds the lines of this package's tests and those of testdata, one line a file or
// many.
func seeds(f *testing.F, lines ...string) {
	f.Helper()
	files, err := filepath.Glob("testdata/*.ndjson")
	if err != nil || len(files) == 0 {
		f.Fatalf("no seeds in testdata: %v", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for line := range bytes.Lines(text) {
			f.Add(bytes.TrimSpace(line))
		}
	}
	for _, line := range lines {
		f.Add([]byte(line))
	}
}

// An event that is read has what its reader needs, and survives being written and read.
func FuzzParseEvent(f *testing.F) {
	seeds(f, gameStart, aiFinish, finish, challenge, replayed, unlimited, declined)
	f.Fuzz(func(t *testing.T, line []byte) {
		e, err := lichess.ParseEvent(line)
		if err != nil {
			return
		}
		if e.Game != nil && (e.Type == lichess.EventGameStart || e.Type == lichess.EventGameFinish) && e.Game.GameID == "" {
			t.Error("game without an id")
		}
		if strings.HasPrefix(string(e.Type), "challenge") && e.Challenge.ID == "" {
			t.Error("challenge without an id")
		}
		again(t, e, func(b []byte) (any, error) { return lichess.ParseEvent(b) })
	})
}

// A game line that is read holds exactly one message, or is a sign of life.
func FuzzParseGameLine(f *testing.F) {
	seeds(f, full, fullAI, fullArena, state, mated, chat, gone, back)
	f.Fuzz(func(t *testing.T, line []byte) {
		l, err := lichess.ParseGameLine(line)
		if err != nil {
			return
		}
		n := 0
		if l.Full != nil {
			n++
			if l.Full.ID == "" || l.Full.State.Status == "" {
				t.Errorf("game without id or status: %+v", l.Full)
			}
			_, _ = l.Full.ColorOf("x")
			again(t, l.Full, func(b []byte) (any, error) { l, err := lichess.ParseGameLine(b); return l.Full, err })
		}
		if l.State != nil {
			n++
			if l.State.Status == "" {
				t.Errorf("state without status: %+v", l.State)
			}
			again(t, l.State, func(b []byte) (any, error) { l, err := lichess.ParseGameLine(b); return l.State, err })
		}
		if l.Chat != nil {
			n++
			again(t, l.Chat, func(b []byte) (any, error) { l, err := lichess.ParseGameLine(b); return l.Chat, err })
		}
		if l.Gone != nil {
			n++
			if l.Gone.ClaimWinIn != nil && *l.Gone.ClaimWinIn < 0 {
				t.Errorf("negative countdown %v", *l.Gone.ClaimWinIn)
			}
			again(t, l.Gone, func(b []byte) (any, error) { l, err := lichess.ParseGameLine(b); return l.Gone, err })
		}
		if n > 1 || (n == 0) != (len(line) == 0) {
			t.Errorf("%d messages in a line of %d bytes", n, len(line))
		}
	})
}

// again writes a value, reads that, and wants the same.
func again(t *testing.T, v any, read func([]byte) (any, error)) {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatalf("write: %v", err)
	}
	got, err := read(b)
	if err != nil {
		t.Fatalf("read %s again: %v", b, err)
	}
	// What is written drops nothing that counts: compare the writings.
	second, err := json.Marshal(got)
	if err != nil {
		t.Fatalf("write again: %v", err)
	}
	if diff := cmp.Diff(string(b), string(second)); diff != "" {
		t.Errorf("second writing (-first +second):\n%s", diff)
	}
}

// Whatever a server sends as a stream, the call ends with an error that is said in few words.
func FuzzStream(f *testing.F) {
	seeds(f, full+"\n"+state+"\n\n"+mated+"\n", `{"error":"Missing scope"}`+"\n", "\n\n\r\n{}\n[]\n")
	f.Fuzz(func(t *testing.T, body []byte) {
		// No server: a fuzz target must be fast. The answer is given by a connection that plays one.
		c, err := lichess.New(lichess.Options{URL: "http://lichess.test", EventOpens: -1, Dial: cannedServer(body).dial})
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		err = c.StreamGame(context.Background(), "g1", func(lichess.GameLine) {})
		if err == nil || len(err.Error()) > 700 {
			t.Errorf("got %v", err)
		}
		if err != io.EOF && lichess.StatusOf(err) != http.StatusOK {
			t.Errorf("got %v, want the clean end or the error in a line", err)
		}
	})
}
