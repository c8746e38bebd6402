package external

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"zeitnot/engine"
	"zeitnot/engine/position"
	"zeitnot/engine/uci"
)

// Setting is an option of the engine.
type Setting struct{ Name, Value string }

// Launch says how the engine is started.
type Launch struct {
	Command uci.Command
	// Settings are what its owner wants. An option that the engine does not have, or a value
	// that it does not take, is refused.
	Settings []Setting
	// Automatic are set before, as far as the engine has them; numbers are cut to its range.
	Automatic []Setting
	Patience  uci.Patience
}

// selfTestThink is how long the engine thinks in its self-test, selfTestLimit when it must
// have answered.
const (
	selfTestThink = 100 * time.Millisecond
	selfTestLimit = time.Second
)

// Start starts the engine, sets its options and has it play a move, which must be legal and
// there within a second. It is then ready for a game. The refused settings are no error.
func (l Launch) Start(ctx context.Context) (e *uci.Process, refused []error, err error) {
	e, err = uci.StartProcess(ctx, l.Command, l.Patience)
	if err != nil {
		return nil, nil, err
	}
	refused, err = l.configure(e)
	if err == nil {
		err = e.Ready(ctx) // large tables and networks take longer than a move may
	}
	if err == nil {
		err = selfTest(ctx, e)
	}
	if err == nil {
		err = testStop(ctx, e)
	}
	if err == nil {
		err = e.NewGame(ctx)
	}
	if err != nil {
		e.Close()
		if text := strings.TrimSpace(e.Stderr()); text != "" {
			err = fmt.Errorf("%w; stderr: %q", err, text)
		}
		return nil, nil, err
	}
	return e, refused, nil
}

// configure sets the options. The error is that of an engine that died on them.
func (l Launch) configure(e *uci.Process) (refused []error, err error) {
	for _, s := range l.Automatic {
		o, ok := e.Option(s.Name)
		if !ok {
			continue
		}
		if err := e.SetOption(s.Name, inRange(o, s.Value)); err != nil && !isBadOption(err) {
			return refused, err
		}
	}
	for _, s := range l.Settings {
		err := e.SetOption(s.Name, s.Value)
		if isBadOption(err) {
			refused = append(refused, err)
			continue
		}
		if err != nil {
			return refused, err
		}
	}
	return refused, nil
}

// inRange cuts a number to what the option takes.
func inRange(o uci.Option, value string) string {
	n, err := strconv.Atoi(value)
	if err != nil || o.Type != "spin" || o.Min == 0 && o.Max == 0 {
		return value
	}
	return strconv.Itoa(max(o.Min, min(o.Max, n)))
}

// selfTest has the engine play a move from the initial position.
func selfTest(ctx context.Context, e engine.Searcher) error {
	ctx, cancel := context.WithTimeout(ctx, selfTestLimit)
	defer cancel()
	think := selfTestThink
	if _, err := e.Search(ctx, position.NewGame(position.Start()), engine.Limits{Soft: &think}, nil); err != nil {
		return fmt.Errorf("self-test, a move from the initial position: %w", err)
	}
	return nil
}

// testStop looks whether the engine answers a stop while it thinks. One that does not is
// none the worse: it then thinks for the time that it is given.
func testStop(ctx context.Context, e *uci.Process) error {
	ctx, cancel := context.WithTimeout(ctx, selfTestThink)
	defer cancel()
	think := selfTestLimit
	started := time.Now()
	if _, err := e.Search(ctx, position.NewGame(position.Start()), engine.Limits{Soft: &think}, nil); err != nil {
		return fmt.Errorf("self-test, a stop: %w", err)
	}
	if time.Since(started) < think/2 {
		e.ObeysStop()
	}
	return nil
}
