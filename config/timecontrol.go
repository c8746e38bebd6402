package config

import (
	"fmt"
	"regexp"
	"strconv"
	"time"
)

// TimeControl is a clock as players write it: minutes + seconds of increment.
type TimeControl struct{ Initial, Increment time.Duration }

var timeControlShape = regexp.MustCompile(`^\s*(\d{1,5})(?:/(\d{1,2})|\.(\d{1,2}))?\s*\+\s*(\d{1,4})\s*$`)

// ParseTimeControl reads "3+2", "1/2+0" or "1.5+0". Minutes must come to whole seconds,
// and there must be some time to play with.
func ParseTimeControl(text string) (TimeControl, error) {
	m := timeControlShape.FindStringSubmatch(text)
	if m == nil {
		return TimeControl{}, fmt.Errorf("time control %q: want minutes+seconds, such as 3+2 or 1/2+0", text)
	}
	number := func(s string) time.Duration {
		n, _ := strconv.Atoi(s) // the shape allows digits only; no digits are 0
		return time.Duration(n)
	}
	initial := number(m[1]) * time.Minute
	switch {
	case m[2] != "" && number(m[2]) == 0:
		return TimeControl{}, fmt.Errorf("time control %q: a fraction cannot have 0 below the line", text)
	case m[2] != "":
		if initial%number(m[2]) != 0 {
			return TimeControl{}, fmt.Errorf("time control %q: not a whole number of seconds", text)
		}
		initial /= number(m[2])
	case m[3] != "":
		hundredths := number((m[3] + "0")[:2])
		initial += hundredths * time.Minute / 100
	}
	if initial%time.Second != 0 {
		return TimeControl{}, fmt.Errorf("time control %q: not a whole number of seconds", text)
	}
	tc := TimeControl{Initial: initial, Increment: number(m[4]) * time.Second}
	if tc == (TimeControl{}) {
		return TimeControl{}, fmt.Errorf("time control %q: no time to play with", text)
	}
	return tc, nil
}

// String is the form that ParseTimeControl reads.
func (tc TimeControl) String() string {
	increment := int(tc.Increment / time.Second)
	switch seconds := int(tc.Initial / time.Second); {
	case seconds%60 == 0:
		return fmt.Sprintf("%d+%d", seconds/60, increment)
	case 60%seconds == 0:
		return fmt.Sprintf("1/%d+%d", 60/seconds, increment)
	default:
		divisor := gcd(seconds, 60)
		return fmt.Sprintf("%d/%d+%d", seconds/divisor, 60/divisor, increment)
	}
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// MarshalText implements encoding.TextMarshaler.
func (tc TimeControl) MarshalText() ([]byte, error) { return []byte(tc.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (tc *TimeControl) UnmarshalText(text []byte) (err error) {
	*tc, err = ParseTimeControl(string(text))
	return err
}
