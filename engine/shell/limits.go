package shell

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"zeitnot/engine"
)

// defaultMoveTime is what a bare go thinks at first.
const defaultMoveTime = time.Second

// limits end a search at the first that is reached; 0 is no limit.
type limits struct {
	movetime     time.Duration
	depth, nodes int
}

// limitNames are the limits as go and set name them.
var limitNames = []string{"movetime", "depth", "nodes"}

const (
	maxMoveTime = 24 * time.Hour
	maxNodes    = min(1<<50, math.MaxInt)
)

// put sets the limit of a name; known is false for a name that is none.
func (l *limits) put(name, value string) (known bool, err error) {
	switch strings.ToLower(name) {
	case "movetime":
		d, err := time.ParseDuration(value)
		if ms, bare := strconv.Atoi(value); bare == nil {
			d, err = time.Duration(ms)*time.Millisecond, nil
			if ms > int(maxMoveTime/time.Millisecond) {
				d = maxMoveTime + 1
			}
		}
		if err != nil || d < time.Millisecond || d > maxMoveTime {
			return true, fmt.Errorf("movetime %q: want a time from 1ms to 24h, such as 500ms, 2s or 1m", clip(value))
		}
		l.movetime = d
	case "depth":
		l.depth, err = within("depth", value, 1, engine.MaxPly)
	case "nodes":
		l.nodes, err = within("nodes", value, 1, maxNodes)
	default:
		return false, nil
	}
	return true, err
}

// within reads a whole number.
func within(name, value string, least, most int) (int, error) {
	n, err := strconv.Atoi(value)
	if err != nil || n < least || n > most {
		return 0, fmt.Errorf("%s %q: want a number from %d to %d", name, clip(value), least, most)
	}
	return n, nil
}

// drop takes the limit of a name away.
func (l *limits) drop(name string) {
	switch strings.ToLower(name) {
	case "movetime":
		l.movetime = 0
	case "depth":
		l.depth = 0
	case "nodes":
		l.nodes = 0
	}
}

// engine are the limits as a searcher takes them.
func (l limits) engine() engine.Limits {
	var e engine.Limits
	if l.movetime > 0 {
		e.Hard = &l.movetime
	}
	if l.depth > 0 {
		e.Depth = &l.depth
	}
	if l.nodes > 0 {
		e.Nodes = &l.nodes
	}
	e.Infinite = l == limits{}
	return e
}

func (l limits) values() [3]string {
	values := [3]string{"off", "off", "off"}
	if l.movetime > 0 {
		values[0] = l.movetime.String()
	}
	if l.depth > 0 {
		values[1] = strconv.Itoa(l.depth)
	}
	if l.nodes > 0 {
		values[2] = strconv.Itoa(l.nodes)
	}
	return values
}

// parseGo reads what follows go.
func (s *Shell) parseGo(args []string) (limits, error) {
	var l limits
	switch {
	case len(args) == 0:
		if l = s.limits; l == (limits{}) && !s.cfg.Interactive {
			return l, errors.New("go: all limits are off, and nobody is there to stop it; set one of " + strings.Join(limitNames, ", "))
		}
		return l, nil
	case len(args) == 1 && strings.EqualFold(args[0], "infinite"):
		if !s.cfg.Interactive {
			return l, errors.New("go infinite: only at a terminal, where Ctrl-C stops it")
		}
		return l, nil
	}
	for ; len(args) > 0; args = args[2:] {
		if len(args) == 1 {
			return l, fmt.Errorf("go: %q without a value; want %s with one, or infinite alone", clip(args[0]), strings.Join(limitNames, ", "))
		}
		known, err := l.put(args[0], args[1])
		if err == nil && !known {
			err = fmt.Errorf("no limit %q: want %s with a value, or infinite alone", clip(args[0]), strings.Join(limitNames, ", "))
		}
		if err != nil {
			return l, fmt.Errorf("go: %w", err)
		}
	}
	return l, nil
}

// set shows the settings or changes one.
func (s *Shell) set(_ context.Context, args []string) error {
	if len(args) == 0 {
		for i, value := range s.limits.values() {
			s.printf("%-9s %s\n", limitNames[i], value)
		}
		s.printf("%-9s %d MiB\n%-9s %d\n", "hash", s.hash, "threads", s.threads)
		return nil
	}
	if len(args) == 1 {
		return fmt.Errorf("set %q: want a value after it", clip(args[0]))
	}
	name, value := strings.ToLower(args[0]), args[1]
	var err error
	switch name {
	case "hash":
		err = s.tune(&s.hash, name, value, s.cfg.MaxHashMB, s.cfg.Engine.SetHash)
	case "threads":
		err = s.tune(&s.threads, name, value, s.cfg.MaxThreads, s.cfg.Engine.SetThreads)
	default:
		l, known := s.limits, true
		if strings.EqualFold(value, "off") {
			known = slices.Contains(limitNames, name)
			l.drop(name)
		} else {
			known, err = l.put(name, value)
		}
		if !known {
			return fmt.Errorf("set: no setting %q: there are %s, hash, threads", clip(args[0]), strings.Join(limitNames, ", "))
		}
		if err == nil {
			s.limits = l
		}
	}
	if err != nil {
		return fmt.Errorf("set: %w", err)
	}
	return nil
}

// tune sets a number of the engine, and remembers it if it was taken.
func (s *Shell) tune(at *int, name, value string, most int, set func(int) error) error {
	n, err := within(name, value, 1, most)
	if err == nil {
		err = set(n)
	}
	if err == nil {
		*at = n
	}
	return err
}
