package clock

import (
	"fmt"
	"strings"
	"time"
)

// DefaultPolicy is the policy that plays unless another one is asked for.
const DefaultPolicy = "adaptive"

// Tuning is what an owner may say about a policy. The zero value leaves all as it is.
type Tuning struct {
	// Overhead is the time lost per move outside the search; nil is the policy's own, which
	// for adaptive and strict is the measured one.
	Overhead *time.Duration
	// Guard is what the safety cap leaves on the clock; nil is DefaultGuard, and for
	// adaptive and strict the guard that they work out themselves.
	Guard *time.Duration
}

// Names are the policies that ByName knows.
func Names() []string { return []string{"adaptive", "strict", "softhard", "reserve"} }

// ByName is the named policy under its safety cap, ready to play.
func ByName(name string, t Tuning) (Policy, error) {
	given := func(d *time.Duration, otherwise time.Duration) time.Duration {
		if d == nil {
			return otherwise
		}
		return *d
	}
	var p Policy
	switch name {
	case "softhard":
		p = SoftHard{MoveOverhead: given(t.Overhead, DefaultMoveOverhead)}
	case "reserve":
		p = Reserve{Buffer: given(t.Overhead, DefaultReserveBuffer)}
	case "adaptive", "strict":
		a := NewAdaptive()
		if name == "strict" {
			a = NewStrict()
		}
		a.Local = t.Overhead
		return Capped{Policy: a, Guard: given(t.Guard, 0)}, nil
	default:
		return nil, fmt.Errorf("clock policy %q: want one of %s", name, strings.Join(Names(), ", "))
	}
	return Capped{Policy: p, Guard: given(t.Guard, DefaultGuard)}, nil
}
