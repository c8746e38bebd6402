package clocksim

import (
	"fmt"
	"strings"
	"time"

	"zeitnot/clock"
)

// peers are the other bots' ways to plan.
func peers() []Peer { return []Peer{LichessBot(), BotLi(), Stockfish()} }

// Policies are the names that PolicyByName knows.
func Policies() []string {
	names := clock.Names()
	for _, p := range peers() {
		names = append(names, p.Name())
	}
	return names
}

// The fixed overheads that the exact policies are simulated with.
const (
	softHardOverhead = 60 * time.Millisecond
	reserveBuffer    = 50 * time.Millisecond
)

// PolicyByName is the named policy as it is simulated: ours under their safety cap, the
// others as they are.
func PolicyByName(name string) (clock.Policy, error) {
	switch name {
	case "softhard":
		return clock.ByName(name, clock.Tuning{Overhead: new(softHardOverhead)})
	case "reserve":
		return clock.ByName(name, clock.Tuning{Overhead: new(reserveBuffer)})
	case "adaptive", "strict":
		return clock.ByName(name, clock.Tuning{})
	}
	for _, p := range peers() {
		if p.Name() == name {
			return p, nil
		}
	}
	return nil, fmt.Errorf("policy %q: want one of %s", name, strings.Join(Policies(), ", "))
}
