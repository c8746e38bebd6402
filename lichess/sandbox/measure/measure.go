// Package measure plays a bot of any make against a sandbox and measures it from outside:
// how fast it answers when there is nothing to think about, what becomes of a game when
// something goes wrong, what memory it takes, and how long it takes to start.
//
// Times say something only beside the control of the same run: an empty POST of a plain
// client over the same loopback. The package judges nothing; what is good is for whoever
// reads the report to say.
package measure

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"sync"
	"time"

	"zeitnot/lichess/sandbox"
)

// Guest says which bot is measured, and how. For numbers, zero means the value that the
// comment names.
type Guest struct {
	// Bot is the command line that starts the bot, with the placeholders of guest.Command;
	// Env is added to its environment.
	Bot string
	Env []string
	// Listen is the address of the sandbox; "" = 127.0.0.1 and any free port.
	Listen string
	// Patience is how long the bot may take for whatever is waited for; 0 = 90 s.
	Patience time.Duration
	// Log gets all that the bot writes; nil = nobody.
	Log io.Writer
	// Progress is told what is being done; nil = nobody.
	Progress func(what string)
}

func (g Guest) filled() Guest {
	g.Listen = cmp.Or(g.Listen, "127.0.0.1:0")
	g.Patience = cmp.Or(g.Patience, 90*time.Second)
	if g.Progress == nil {
		g.Progress = func(string) {}
	}
	return g
}

// Options say what is measured. For numbers, zero means the value that the comment names.
type Options struct {
	// Guest is the bot; its patience is what it may take to connect, to move, and to get over a
	// fault.
	Guest
	Moves  int // answers to measure; 0 = 200
	Starts int // starts to measure; 0 = 5
	// Think is what the opponent takes for a move, or a little more; 0 = 380 ms. The bot has
	// time to put its things in order then, and one that allows itself three requests a second
	// on the average is not slowed down by that.
	Think time.Duration
	// Faults are the names of the cases to play; nil = all, empty = none.
	Faults []string
}

func (o Options) filled() Options {
	o.Guest = o.Guest.filled()
	o.Moves = cmp.Or(o.Moves, 200)
	o.Starts = cmp.Or(o.Starts, 5)
	o.Think = cmp.Or(o.Think, 380*time.Millisecond)
	if o.Faults == nil {
		o.Faults = FaultNames()
	}
	return o
}

// Run measures the bot. It is an error if the bot cannot be started, ends by itself, never
// connects or plays no game; that it does not get over a fault is not.
func Run(ctx context.Context, o Options) (r Report, err error) {
	o = o.filled()
	cases, err := casesNamed(o.Faults)
	if err != nil {
		return r, err
	}
	m := &latency{Options: o}
	m.bench, err = newBench(ctx, o.Guest, sandbox.Options{
		Opponents: []sandbox.OpponentSpec{{Name: rivalName, New: m.player}},
		// The bot is started often.
		Limits:    sandbox.Limits{EventConnects: -1, AccountReads: -1},
		OnState:   func(s sandbox.StateSent) { m.timed().stateSent(s) },
		OnRequest: func(q sandbox.Request) { m.timed().requested(q) },
	})
	if err != nil {
		return r, fmt.Errorf("measure: %w", err)
	}
	defer m.close()
	control, err := newControl()
	if err != nil {
		return r, fmt.Errorf("measure: %w", err)
	}
	defer control.close()

	r.Bot, r.Faults = o.Bot, []Fault{}
	for _, part := range []func(context.Context) error{
		func(ctx context.Context) error { return m.starts(ctx, &r) },
		func(ctx context.Context) error { return m.answers(ctx, &r, control) },
		func(ctx context.Context) error { return m.faults(ctx, &r, cases) },
	} {
		if err := part(ctx); err != nil {
			return r, fmt.Errorf("measure: %w", err)
		}
	}
	return r, nil
}

// latency is one measurement: the sandbox, the bot in it, and who plays it.
type latency struct {
	Options
	*bench

	mu     sync.Mutex // guards everything below
	rival  *rival     // of the game that begins next
	timing *timing    // of the game that is timed, or nil
}

// player is the rival of a game that begins.
func (m *latency) player(info sandbox.GameInfo) sandbox.Opponent {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.timing.begin(info.GameID)
	return m.rival
}

func (m *latency) timed() *timing {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.timing
}

// starts measures how long the bot takes to start, and leaves it running.
func (m *latency) starts(ctx context.Context, r *Report) error {
	var times []time.Duration
	for n := range m.Starts {
		m.Progress(fmt.Sprintf("start %d of %d", n+1, m.Starts))
		if n > 0 {
			if err := m.leave(ctx); err != nil {
				return err
			}
		}
		took, err := m.start(ctx)
		if err != nil {
			return err
		}
		times = append(times, took)
	}
	r.Start = timesOf(times)
	r.Memory.note(m.bot, &r.Memory.Started)
	return nil
}
