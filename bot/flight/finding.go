package flight

import (
	"time"

	"github.com/rs/zerolog"
)

// finding is what can be said of a late move.
type finding struct {
	Departure
	why reason
	// search, loop and write are what the search, the game's own loop and the connection took
	// of the lateness.
	search, loop, write time.Duration
	// stall is how late a timer rang while the move was made.
	stall time.Duration
	// Of the last one to two seconds: the longest pause of the garbage collector, the longest
	// wait of a goroutine for a processor, what the host took from our processors, and pages
	// that were read from a disk.
	pause, wait, stolen time.Duration
	diskFaults          int64
}

// reason is the likeliest cause, in a word.
type reason string

const (
	noSlot     reason = "search slots"       // other games had all of them
	collection reason = "garbage collection" // stood in the way of everything
	host       reason = "host"               // the machine did not run us
	processors reason = "processors"         // goroutines of ours waited for one
	connection reason = "connection"         // took the move late
	search     reason = "search"             // went on past its deadline
	unknown    reason = "unknown"
)

func findingOf(d Departure, stall time.Duration, before, after evidence) finding {
	f := finding{
		Departure: d,
		search:    d.overdue(d.Arrived, d.Decided),
		loop:      d.overdue(d.Decided, d.Sent),
		write:     d.overdue(d.Sent, d.Written),
		stall:     stall,
		pause:     after.pauses.longestSince(before.pauses),
		wait:      after.waits.longestSince(before.waits),
		stolen:    after.stolen - before.stolen,
	}
	f.diskFaults = after.diskFaults - before.diskFaults
	f.why = f.likeliest()
	return f
}

// likeliest names what explains half of the lateness or more; of several the one that causes
// the others.
func (f *finding) likeliest() reason {
	half := f.Late() / 2
	switch {
	case f.NoSlot:
		return noSlot
	case f.pause >= half:
		return collection
	case f.stall >= half && f.wait < f.stall/2:
		return host
	case f.stall >= half:
		return processors
	case f.write >= half:
		return connection
	case f.Searching:
		return search
	case f.wait >= half:
		return processors
	case f.search >= half:
		return search
	}
	return unknown
}

// tell writes the line in the log; what is nothing is left out.
func (f *finding) tell(log zerolog.Logger) {
	e := log.Warn().Str("game", f.Game).Int("ply", f.Ply).Str("move", f.Move).
		Str("why", string(f.why)).Dur("late", brief(f.Late()))
	for _, part := range []struct {
		name string
		took time.Duration
	}{
		{"late_search", f.search},
		{"late_loop", f.loop},
		{"late_connection", f.write},
		{"slot_wait", f.SlotWait},
		{"timer_late", f.stall},
		{"gc_pause", f.pause},
		{"processor_wait", f.wait},
		{"stolen", f.stolen},
	} {
		if took := brief(part.took); took > 0 {
			e = e.Dur(part.name, took)
		}
	}
	if f.Searching {
		e = e.Bool("still_searching", true)
	}
	if f.diskFaults > 0 {
		e = e.Int64("disk_faults", f.diskFaults)
	}
	e.Msg("move left late")
}

// brief is a time as the log shows it, to a tenth of a millisecond.
func brief(d time.Duration) time.Duration { return d.Round(100 * time.Microsecond) }
