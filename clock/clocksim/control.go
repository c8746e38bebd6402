package clocksim

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Control is a time control as the server has it.
type Control struct {
	Initial, Increment time.Duration
	name               string
}

// ParseControl reads a time control as people write it: minutes, a plus sign and the
// increment in seconds. Minutes may be a fraction: "3+2", "1/2+0", "0.5+0", "½+0", "0+1".
func ParseControl(s string) (Control, error) {
	minutes, seconds, ok := strings.Cut(s, "+")
	initial, okInitial := parseMinutes(minutes)
	increment, err := strconv.Atoi(seconds)
	switch {
	case !ok || !okInitial || err != nil:
		return Control{}, fmt.Errorf("time control %q: want minutes+seconds like 3+2 or 1/2+0", s)
	case initial < 0 || initial > 24*time.Hour || increment < 0 || increment > 3600:
		return Control{}, fmt.Errorf("time control %q: want 0 to 1440 minutes and an increment of 0 to 3600 s", s)
	case initial == 0 && increment == 0:
		return Control{}, fmt.Errorf("time control %q: no time at all", s)
	}
	return Control{Initial: initial, Increment: time.Duration(increment) * time.Second, name: s}, nil
}

func parseMinutes(s string) (time.Duration, bool) {
	switch s {
	case "¼":
		return 15 * time.Second, true
	case "½":
		return 30 * time.Second, true
	case "¾":
		return 45 * time.Second, true
	}
	over, under, fraction := strings.Cut(s, "/")
	a, err := strconv.ParseFloat(over, 64)
	if err != nil {
		return 0, false
	}
	if fraction {
		b, err := strconv.Atoi(under)
		if err != nil || b < 1 {
			return 0, false
		}
		a /= float64(b)
	}
	if !(a >= 0 && a <= 1e4) {
		return -1, true
	}
	return time.Duration(a * float64(time.Minute)).Round(10 * time.Millisecond), true
}

// String is the control as it was written.
func (c Control) String() string {
	if c.name != "" {
		return c.name
	}
	return fmt.Sprintf("%v+%d", c.Initial.Minutes(), int(c.Increment.Seconds()))
}

// start is what the clock shows at the first move: a game without initial time starts
// with one increment, three seconds at least.
func (c Control) start() time.Duration {
	if c.Initial > 0 {
		return c.Initial
	}
	return max(c.Increment, 3*time.Second)
}
