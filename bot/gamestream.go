package bot

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"

	"zeitnot/lichess"
)

// follower keeps a game's stream open while the game lives. Any end of a stream - clean,
// reset, silent, refused - is only a reason to open the next one: whether the game is
// over is for the game to say, by ending the follower's context.
type follower struct {
	stream func(ctx context.Context, handle func(lichess.GameLine)) error
	// out takes what the stream says; the game reads it.
	out chan<- streamItem
	// again asks for a new stream in place of the present one; one request waits at most.
	again chan struct{}
	pulse pulse
	// random draws the jitter of the pauses.
	random func() float64
	log    zerolog.Logger
	// opened, when given, is called at each opening.
	opened func()
	// patience, when set, is the longest pause in nanoseconds that the game can afford.
	patience atomic.Int64
}

// streamItem is a line, or the server's refusal to open a stream.
type streamItem struct {
	line lichess.GameLine
	err  error
}

// A stream that held for steadyAfter makes the next failure a first one again. A server
// that opens and drops us at once is not asked ever faster.
const steadyAfter = 5 * time.Second

func newFollower(stream func(ctx context.Context, handle func(lichess.GameLine)) error, out chan<- streamItem, random func() float64, log zerolog.Logger) *follower {
	return &follower{stream: stream, out: out, again: make(chan struct{}, 1), random: random, log: log}
}

// reopen asks for a new stream; the first line of it says how the game stands.
func (f *follower) reopen() {
	select {
	case f.again <- struct{}{}:
	default:
	}
}

// run follows the game until the context ends.
func (f *follower) run(ctx context.Context) {
	wait := lichess.NewBackoff(50*time.Millisecond, 10*time.Second, f.random)
	for ctx.Err() == nil {
		opened := time.Now()
		f.pulse.beat()
		err := f.once(ctx)
		if ctx.Err() != nil {
			return
		}
		if time.Since(opened) >= steadyAfter {
			wait.Reset()
		}
		pause := f.pause(wait.Next(err), err)
		f.log.Debug().Err(err).Dur("pause", pause).Msg("game stream ended, reopening")
		f.pulse.rest(pause)
		if lichess.Sleep(ctx, pause) != nil {
			return
		}
	}
}

// pause is the wait after a stream that ended in err: what backing off would have, unless
// the server asks for more or the game's clock for less.
func (f *follower) pause(wait time.Duration, err error) time.Duration {
	patience := time.Duration(f.patience.Load())
	switch {
	case lichess.IsAuth(err):
		return authPause
	case patience == 0 || lichess.IsRateLimited(err):
		return wait
	}
	return min(wait, patience)
}

// A stream that is lost costs at most a share of our clock before it is asked for again, and
// the server is not asked more than twice a second.
const (
	patienceShare = 20
	leastPatience = 500 * time.Millisecond
)

// hurry lets the clock limit the pauses; it runs whenever a state shows another one.
func (f *follower) hurry(left time.Duration) {
	f.patience.Store(int64(max(leastPatience, left/patienceShare)))
}

// once opens a stream and reads it to its end.
func (f *follower) once(ctx context.Context) error {
	select {
	case <-f.again: // this is the new stream that was asked for
	default:
	}
	ctx, cancel := context.WithCancel(ctx)
	var asked sync.WaitGroup
	defer asked.Wait()
	defer cancel()
	asked.Go(func() {
		select {
		case <-f.again:
			cancel()
		case <-ctx.Done():
		}
	})
	first := true
	err := f.stream(ctx, func(line lichess.GameLine) {
		f.pulse.beat()
		if first && f.opened != nil {
			f.opened()
		}
		first = false
		if !line.Alive() {
			f.pass(ctx, streamItem{line: line})
		}
	})
	if lichess.IsNotFound(err) || lichess.IsBadRequest(err) {
		f.pass(ctx, streamItem{err: err})
	}
	return err
}

func (f *follower) pass(ctx context.Context, item streamItem) {
	select {
	case f.out <- item:
	case <-ctx.Done():
	}
}
