package config_test

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"zeitnot/config"
)

func TestParseTimeControl(t *testing.T) {
	for text, want := range map[string]config.TimeControl{
		"3+2":       {Initial: 3 * time.Minute, Increment: 2 * time.Second},
		" 3 + 2 ":   {Initial: 3 * time.Minute, Increment: 2 * time.Second},
		"1/2+0":     {Initial: 30 * time.Second},
		"1/4+0":     {Initial: 15 * time.Second},
		"3/4+0":     {Initial: 45 * time.Second},
		"0.5+1":     {Initial: 30 * time.Second, Increment: time.Second},
		"1.5+0":     {Initial: 90 * time.Second},
		"0.25+0":    {Initial: 15 * time.Second},
		"0+1":       {Increment: time.Second},
		"180+180":   {Initial: 3 * time.Hour, Increment: 3 * time.Minute},
		"9999+9999": {Initial: 9999 * time.Minute, Increment: 9999 * time.Second},
	} {
		got, err := config.ParseTimeControl(text)
		if err != nil || got != want {
			t.Errorf("%q: got %v, %v; want %v", text, got, err, want)
		}
	}
	for text, want := range map[string]string{
		"":         "want minutes+seconds",
		"3":        "want minutes+seconds",
		"3+":       "want minutes+seconds",
		"+2":       "want minutes+seconds",
		"-3+2":     "want minutes+seconds",
		"3+2+1":    "want minutes+seconds",
		"3+1.5":    "want minutes+seconds",
		"999999+0": "want minutes+seconds",
		"1/0+0":    "cannot have 0 below the line",
		"1/7+0":    "not a whole number of seconds",
		"0.33+0":   "not a whole number of seconds",
		"0+0":      "no time to play with",
		"0/1+0":    "no time to play with",
	} {
		got, err := config.ParseTimeControl(text)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, %v; want an error with %q", text, got, err, want)
		}
	}
}

func TestTimeControlsReadBackAsTheyAreWritten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := config.TimeControl{
			Initial:   time.Duration(rapid.IntRange(0, 3*3600).Draw(t, "initial")) * time.Second,
			Increment: time.Duration(rapid.IntRange(1, 180).Draw(t, "increment")) * time.Second,
		}
		got, err := config.ParseTimeControl(want.String())
		if err != nil || got != want {
			t.Fatalf("%q: got %v, %v; want %v", want.String(), got, err, want)
		}
	})
}
