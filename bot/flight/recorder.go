package flight

import (
	"context"
	"io"
	"runtime/trace"
	"sync"
	"time"

	"github.com/rs/zerolog"
)

const (
	// tolerance is how late a move may leave before anything is said of it.
	tolerance = 20 * time.Millisecond
	// windowTime and windowBytes are how much of the runtime's trace is kept in memory.
	windowTime  = 5 * time.Second
	windowBytes = 4 << 20
	// stock is how often evidence is gathered: it is told what has changed since the time
	// before last.
	stock = time.Second
	// settling is until the canary has noted what it met while a move was made.
	settling = 50 * time.Millisecond
	// queue is how many late moves may wait to be written about; more are not.
	queue = 16
)

// Recorder writes about late moves, one at a time and beside the games.
type Recorder struct {
	log    zerolog.Logger
	traces traces
	late   chan Departure
	canary Canary
	window window
}

// window is the last seconds of a trace.
type window interface {
	Start() error
	Stop()
	io.WriterTo
}

// New makes a recorder that keeps traces in dir.
func New(dir string, log zerolog.Logger) *Recorder {
	return &Recorder{
		log: log, traces: traces{dir}, late: make(chan Departure, queue),
		canary: Canary{Tick: 20 * time.Millisecond, Least: 5 * time.Millisecond},
		window: trace.NewFlightRecorder(trace.FlightRecorderConfig{MinAge: windowTime, MaxBytes: windowBytes}),
	}
}

// Departed takes a move that has left. It returns at once; moves in time are forgotten.
func (r *Recorder) Departed(d Departure) {
	if d.Late() <= tolerance {
		return
	}
	select {
	case r.late <- d:
	default:
	}
}

// Run records until the context ends.
func (r *Recorder) Run(ctx context.Context) {
	var beside sync.WaitGroup
	defer beside.Wait()
	beside.Go(func() { r.canary.Run(ctx) })
	err := r.window.Start()
	if err != nil {
		r.log.Warn().Err(err).Msg("no flight recorder, late moves leave no trace")
	} else {
		defer r.window.Stop()
	}
	again := time.NewTicker(stock)
	defer again.Stop()
	older, last := gather(), gather()
	for {
		select {
		case <-ctx.Done():
			return
		case <-again.C:
			older, last = last, gather()
		case d := <-r.late:
			time.Sleep(settling) // which delays nobody
			f := findingOf(d, r.canary.Stalled(d.Arrived, d.Written), older, gather())
			f.tell(r.log)
			if err == nil {
				r.save(d)
			}
		}
	}
}

// save keeps the trace, unless there was one a short while ago.
func (r *Recorder) save(d Departure) {
	now := time.Now()
	if !r.traces.due(now) {
		return
	}
	path, err := r.traces.save(now, r.window)
	if err != nil {
		r.log.Warn().Err(err).Msg("trace of a late move")
		return
	}
	r.log.Info().Str("game", d.Game).Str("move", d.Move).Str("file", path).Msg("trace of a late move, for go tool trace")
}
