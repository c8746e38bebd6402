package measure_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"runtime"
	"strings"
	"testing"
	"time"

	"zeitnot/lichess/sandbox/measure"
)

func TestASoakPlaysItsGamesAndLooksAtTheBot(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("what a process takes is known on Linux only")
	}
	o := measure.SoakOptions{Guest: options(t, "").Guest, Games: 7, AtOnce: 3, Every: 4}
	r, err := measure.Soak(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if r.Games != 7 || r.Moves < 7 || r.Flagged != 0 || len(r.Looks) != 2 || r.Looks[0].Games != 4 || r.Looks[1].Games != 7 {
		t.Errorf("got %+v, want 7 games and two looks", r)
	}
	ended := 0
	for _, n := range r.Endings {
		ended += n
	}
	if ended != 7 {
		t.Errorf("got endings %v, want 7", r.Endings)
	}
	for _, l := range r.Looks {
		if l.RSS < 1<<20 || l.Descriptors < 3 || l.Threads < 1 || l.Processes != 1 || l.Zombies != 0 {
			t.Errorf("got %+v", l)
		}
	}
	var text, js, svg bytes.Buffer
	if err := errors.Join(r.WriteText(&text), r.WriteJSON(&js), r.WriteSVG(&svg)); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(text.String(), "since 4") || !strings.Contains(svg.String(), ">memory, MiB<") {
		t.Errorf("got\n%s\n%s", text.String(), svg.String())
	}
	var keys map[string]json.RawMessage
	if err := json.Unmarshal(js.Bytes(), &keys); err != nil || keys["looks"] == nil || keys["flagged"] == nil {
		t.Errorf("got %v and\n%s", err, js.String())
	}
}

func TestASoakThatCannotGoOnSaysWhy(t *testing.T) {
	for fault, want := range map[string]string{
		"takes no challenge": "takes no challenge",
		"does not play":      "has not ended, it stands at",
		"dies in a game":     "ended by itself: exit status 9",
	} {
		t.Run(fault, func(t *testing.T) {
			t.Parallel()
			o := measure.SoakOptions{Guest: options(t, fault).Guest, Games: 2, AtOnce: 1}
			if fault != "dies in a game" {
				o.Patience = shortPatience
			}
			if _, err := measure.Soak(t.Context(), o); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("got %v, want %q", err, want)
			}
		})
	}
}

func TestASoakEndsByTheClock(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("what a process takes is known on Linux only")
	}
	t.Parallel()
	o := measure.SoakOptions{Guest: options(t, "").Guest, Time: time.Nanosecond, Every: 2, AtOnce: 2}
	if r, err := measure.Soak(t.Context(), o); err != nil || r.Games != 0 {
		t.Errorf("got %+v, %v, want no game", r, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := measure.Soak(ctx, o); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want context.Canceled", err)
	}
}
