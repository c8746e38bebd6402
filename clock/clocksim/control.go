package clocksim

import (
	"fmt"
	"time"
)

// Control is a time control as the server has it.
type Control struct {
	Initial, Increment time.Duration
	// Name is how the control is written in reports; empty: minutes+seconds.
	Name string
}

// String is the control as it stands in reports.
func (c Control) String() string {
	if c.Name != "" {
		return c.Name
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
