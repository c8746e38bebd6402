package measure_test

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"zeitnot/leaktest"
	"zeitnot/lichess/sandbox/measure"
)

// botEnv makes the test program a bot; its value is what the bot does wrong.
const botEnv = "MEASURE_TEST_BOT"

func TestMain(m *testing.M) {
	if fault, ok := os.LookupEnv(botEnv); ok {
		b := stubBot{url: os.Getenv("LICHESS_URL"), token: os.Getenv("LICHESS_BOT_TOKEN"), fault: fault, playing: map[string]bool{}}
		b.run()
	}
	leaktest.Main(m)
}

// shortPatience is for bots that are waited for in vain; starting one takes less on any machine.
const shortPatience = 15 * time.Second

// options measure a bot that does this wrong.
func options(t *testing.T, fault string) measure.Options {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return measure.Options{
		Guest: measure.Guest{Bot: "exec '" + program + "'", Env: []string{botEnv + "=" + fault}, Patience: 2 * time.Minute},
		Moves: 12, Starts: 2, Think: 10 * time.Millisecond, Faults: []string{},
	}
}

func TestAGoodBotIsMeasured(t *testing.T) {
	o := options(t, "")
	o.Faults = []string{"cut", "reset", "kill"}
	var steps []string
	o.Progress = func(what string) { steps = append(steps, what) }
	r, err := measure.Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	a := r.Answers
	if r.Start.N != 2 || a.Wire.N != 12 || a.Move.N < 12 || a.Control.N < 12 {
		t.Errorf("got %d starts, %d and %d answers, %d control posts, want 2, 12, 12, 12", r.Start.N, a.Wire.N, a.Move.N, a.Control.N)
	}
	for name, ts := range map[string]measure.Times{"start": r.Start, "wire": a.Wire, "move": a.Move, "control": a.Control} {
		if ts.P50 <= 0 || ts.P50 > ts.P90 || ts.P90 > ts.P99 || ts.P99 > ts.Max {
			t.Errorf("%s: got %+v, want rising times", name, ts)
		}
	}
	if a.ControlPosts <= 0 {
		t.Errorf("got %v control posts an answer", a.ControlPosts)
	}
	if len(r.Faults) != 3 || len(steps) == 0 {
		t.Fatalf("got faults %+v and steps %q, want three faults", r.Faults, steps)
	}
	for _, f := range r.Faults {
		if !f.GoesOn || f.Recovery <= 0 || f.Gave != "" {
			t.Errorf("got %+v, want the game to go on", f)
		}
	}
	if m := r.Memory; m.Known && (m.Started.RSS < 1<<20 || m.Playing.RSS < 1<<20 || m.Ended.RSS < 1<<20) {
		t.Errorf("got memory %+v", m)
	}

	var text, js bytes.Buffer
	if err := r.WriteText(&text); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"control: empty POST", "the bot is killed by SIGKILL", " yes "} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("table: got no %q:\n%s", want, text.String())
		}
	}
	if err := r.WriteJSON(&js); err != nil {
		t.Fatal(err)
	}
	var keys map[string]json.RawMessage
	if err := json.Unmarshal(js.Bytes(), &keys); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"bot", "start_to_event_stream_ms", "answers", "faults", "memory"} {
		if keys[want] == nil {
			t.Errorf("JSON: got no %q:\n%s", want, js.String())
		}
	}
}

func TestABotThatGetsStuckIsReportedAndTheNextCaseIsNotSpoilt(t *testing.T) {
	t.Parallel()
	o := options(t, "stuck")
	o.Faults = []string{"cut", "502", "kill"}
	o.Patience = shortPatience
	r, err := measure.Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	// It also never sends a move again.
	for i, goesOn := range []bool{false, false, true} {
		f := r.Faults[i]
		if f.GoesOn != goesOn || goesOn == (f.Gave != "") || goesOn == (f.Recovery == 0) {
			t.Errorf("got %+v, want that the game goes on: %v", f, goesOn)
		}
	}
	var text bytes.Buffer
	if err := r.WriteText(&text); err != nil || strings.Count(text.String(), " NO ") != 2 {
		t.Errorf("got %v and\n%s", err, text.String())
	}
}

func TestABotThatTakesNoGameAfterAFaultHasNotGotOverIt(t *testing.T) {
	t.Parallel()
	o := options(t, "deaf later")
	o.Faults = []string{"restart", "kill"}
	o.Patience = shortPatience
	r, err := measure.Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if f := r.Faults[0]; f.GoesOn || !strings.Contains(f.Gave, "the game went on, but in 15s it took no other") {
		t.Errorf("got %+v", f)
	}
	if f := r.Faults[1]; !f.GoesOn {
		t.Errorf("got %+v, want the next case not to be spoilt", f)
	}
}

// The next game begins when the rival's last move in the one before is done with.
func TestABotThatResignsOnTheRivalsTimeIsMeasuredInTheNextGame(t *testing.T) {
	t.Parallel()
	o := options(t, "resigns meanwhile")
	o.Starts = 1
	var busy atomic.Int32
	o.Progress = func(string) {
		if busy.Add(1) > 1 {
			t.Error("two moves of the rival are measured at a time")
		}
		time.Sleep(60 * time.Millisecond)
		busy.Add(-1)
	}
	r, err := measure.Run(t.Context(), o)
	if a := r.Answers; err != nil || a.Wire.N != 12 || a.Control.N < 12 {
		t.Errorf("got %d answers and %d control posts (%v), want 12 of each", a.Wire.N, a.Control.N, err)
	}
}

func TestABotThatCannotBeMeasuredIsAnErrorThatSaysWhy(t *testing.T) {
	for fault, want := range map[string][]string{
		"dies":          {"ended by itself: exit status 7", "no such module: chess"},
		"says nothing":  {"not opened its event stream", "asked nothing of the sandbox", "LICHESS_URL", "it wrote nothing"},
		"wrong token":   {"not opened its event stream", "GET /api/stream/event, answered 401", "LICHESS_BOT_TOKEN"},
		"does not play": {"has not moved"},
		"resigns":       {"the bot ended game", "resign after 5 plies"},
	} {
		t.Run(fault, func(t *testing.T) {
			t.Parallel()
			o := options(t, fault)
			if fault != "dies" && fault != "resigns" {
				o.Patience = shortPatience
			}
			_, err := measure.Run(t.Context(), o)
			for _, text := range want {
				if err == nil || !strings.Contains(err.Error(), text) {
					t.Errorf("got %v, want %q", err, text)
				}
			}
		})
	}
}

func TestWrongOptionsAreErrors(t *testing.T) {
	for name, change := range map[string]func(*measure.Options){
		`fault "flood": want some of 429, 502`: func(o *measure.Options) { o.Faults = []string{"flood"} },
		"the command is empty":                 func(o *measure.Options) { o.Bot = "" },
		"measure: listen":                      func(o *measure.Options) { o.Listen = "127.0.0.1:-1" },
	} {
		o := options(t, "")
		change(&o)
		if _, err := measure.Run(t.Context(), o); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("got %v, want %q", err, name)
		}
	}
}
