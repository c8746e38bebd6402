package arena

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"zeitnot/engine/pgn"
	"zeitnot/engine/uci"
)

// Spec describes a player in words, as people give it on a command line:
//
//	cmd=/usr/games/stockfish name=sf nodes=2500 option.Hash=64
//
// Words are key=value; a value with blanks is quoted ("option.Skill Level=3" as a whole,
// or option.Book="my book.bin"). The keys are cmd (the program, or the name of an embedded
// searcher), name, arg (may come several times), dir, option.NAME (may come several times), tc (seconds,
// 3+0.05), movetime (seconds), nodes, depth, margin (seconds).
type Spec struct {
	Name    string
	Cmd     string
	Args    []string
	Dir     string
	Options []Setting
	Limits  Limits
}

// ParsePlayer reads a Spec. All faults are told at once.
func ParsePlayer(text string) (Spec, error) {
	words, err := splitWords(text)
	if err != nil {
		return Spec{}, fmt.Errorf("player %q: %w", text, err)
	}
	var s Spec
	var faults []error
	for _, w := range words {
		key, value, ok := strings.Cut(w, "=")
		if !ok {
			faults = append(faults, fmt.Errorf("%q is not key=value", w))
			continue
		}
		if err := s.set(key, value); err != nil {
			faults = append(faults, fmt.Errorf("%s: %w", key, err))
		}
	}
	if s.Cmd == "" && len(faults) == 0 {
		faults = append(faults, errors.New("cmd is missing"))
	}
	if err := errors.Join(faults...); err != nil {
		return Spec{}, fmt.Errorf("player %q: %w", text, err)
	}
	if s.Name == "" {
		s.Name = s.Cmd[strings.LastIndexAny(s.Cmd, `/\`)+1:]
	}
	return s, nil
}

func (s *Spec) set(key, value string) (err error) {
	switch key {
	case "cmd":
		s.Cmd = value
	case "name":
		s.Name = value
	case "arg":
		s.Args = append(s.Args, value)
	case "dir":
		s.Dir = value
	case "tc":
		s.Limits.Base, s.Limits.Increment, err = ParseTimeControl(value)
	case "movetime":
		s.Limits.MoveTime, err = parseSeconds(value)
	case "margin":
		s.Limits.Margin, err = parseSeconds(value)
	case "nodes":
		s.Limits.Nodes, err = parseCount(value)
	case "depth":
		s.Limits.Depth, err = parseCount(value)
	default:
		name, ok := strings.CutPrefix(key, "option.")
		if !ok || name == "" {
			return errors.New("unknown key; there are cmd, name, arg, dir, option.NAME, tc, movetime, nodes, depth, margin")
		}
		s.Options = append(s.Options, Setting{name, value})
	}
	return err
}

// External is the player that runs the program Cmd.
func (s Spec) External(patience uci.Patience) Player {
	command := uci.Command{Name: s.Name, Path: s.Cmd, Args: s.Args, Dir: s.Dir}
	return Player{Name: s.Name, Limits: s.Limits, Make: External(command, s.Options, patience)}
}

// ParseTimeControl reads seconds for the game and seconds a move, "3+0.05" or "60".
func ParseTimeControl(text string) (base, increment time.Duration, err error) {
	first, second, both := strings.Cut(text, "+")
	base, err = parseSeconds(first)
	if err == nil && both {
		increment, err = parseSeconds(second)
	}
	if err != nil || base <= 0 {
		return 0, 0, fmt.Errorf("time control %q: want seconds and seconds a move, like 3+0.05", text)
	}
	return base, increment, nil
}

func parseSeconds(text string) (time.Duration, error) {
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || !(f >= 0 && f <= 1e6) {
		return 0, fmt.Errorf("%q: want seconds from 0 to 1000000", text)
	}
	return time.Duration(math.Round(f*1e6)) * time.Microsecond, nil
}

func parseCount(text string) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		return 0, fmt.Errorf("%q: want a number from 1", text)
	}
	return n, nil
}

// splitWords splits at blanks outside double quotes; quotes are taken away.
func splitWords(text string) ([]string, error) {
	var words []string
	var word strings.Builder
	open, inWord := false, false
	for _, r := range text {
		switch {
		case r == '"':
			open, inWord = !open, true
		case !open && (r == ' ' || r == '\t' || r == '\n'):
			if inWord {
				words = append(words, word.String())
				word.Reset()
			}
			inWord = false
		default:
			inWord = true
			word.WriteRune(r)
		}
	}
	if open {
		return nil, errors.New("a quote is not closed")
	}
	if inWord {
		words = append(words, word.String())
	}
	return words, nil
}

// String is the limits as ParsePlayer reads them.
func (l Limits) String() string {
	var words []string
	if l.Base > 0 {
		words = append(words, "tc="+pgn.TimeControl(l.Base, l.Increment))
	}
	if l.MoveTime > 0 {
		words = append(words, fmt.Sprintf("movetime=%g", l.MoveTime.Seconds()))
	}
	if l.Nodes > 0 {
		words = append(words, fmt.Sprintf("nodes=%d", l.Nodes))
	}
	if l.Depth > 0 {
		words = append(words, fmt.Sprintf("depth=%d", l.Depth))
	}
	return strings.Join(words, " ")
}
