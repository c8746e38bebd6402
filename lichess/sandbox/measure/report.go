package measure

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"zeitnot/lichess/sandbox/guest"
)

// Report is what was measured. Its JSON is stable; times are milliseconds, memory is bytes.
type Report struct {
	Bot     string  `json:"bot"`
	Start   Times   `json:"start_to_event_stream_ms"`
	Answers Answers `json:"answers"`
	Faults  []Fault `json:"faults"`
	Memory  Memory  `json:"memory"`
}

// Answers are the times of moves to which there was no alternative.
type Answers struct {
	// Control is the round trip of an empty POST of a plain client, between the moves.
	Control Times `json:"control_post_ms"`
	// Wire is from the position's being written to the game's stream to the arrival of the
	// move: what the bot and two ways over the loopback take.
	Wire Times `json:"state_to_move_ms"`
	// Move is from the opponent's move on the server's board to the bot's: what a clock is
	// charged.
	Move Times `json:"move_to_move_ms"`
	// ControlPosts is how many control POSTs fit into Wire, by the medians.
	ControlPosts float64 `json:"state_to_move_in_control_posts"`
}

// Times are the percentiles of some times, the smallest time that so many do not exceed.
type Times struct {
	N   int     `json:"n"`
	P50 float64 `json:"p50"`
	P90 float64 `json:"p90"`
	P99 float64 `json:"p99"`
	Max float64 `json:"max"`
}

// Fault is how the bot got over a fault.
type Fault struct {
	Name string `json:"name"`
	What string `json:"what"`
	// GoesOn: the bot went on playing.
	GoesOn bool `json:"goes_on"`
	// Recovery is the longest that it then took for a move, in milliseconds, on the server's
	// watch, for the first one from the fault on; 0 if the game did not go on.
	Recovery float64 `json:"recovery_ms"`
	// Gave is what came instead of going on; "" if the game went on.
	Gave string `json:"gave,omitempty"`
}

// Memory is what all processes of the bot take together.
type Memory struct {
	// Known is false where the system does not tell.
	Known   bool   `json:"known"`
	Started Sample `json:"started"` // once it listens to its events
	Playing Sample `json:"playing"` // the most that was seen in a game
	Ended   Sample `json:"ended"`   // after all games
}

// Sample is memory at one moment: resident, with shared pages counted for each process, and
// each page once, which is 0 where the system does not tell.
type Sample struct {
	RSS       int64 `json:"rss"`
	PSS       int64 `json:"pss"`
	Processes int   `json:"processes"`
	Threads   int   `json:"threads"`
}

// note takes a sample, and keeps it if it is the largest.
func (m *Memory) note(bot *guest.Process, into *Sample) {
	u, err := bot.Usage()
	if err != nil {
		return // it has ended, or this system does not tell
	}
	m.Known = true
	if u.RSS > into.RSS {
		*into = Sample{RSS: u.RSS, PSS: u.PSS, Processes: u.Processes, Threads: u.Threads}
	}
}

// Millis is a duration in milliseconds, to a microsecond.
func Millis(d time.Duration) float64 {
	return float64(d.Round(time.Microsecond)) / float64(time.Millisecond)
}

func timesOf(all []time.Duration) Times {
	if len(all) == 0 {
		return Times{}
	}
	sorted := slices.Sorted(slices.Values(all))
	rank := func(percent int) float64 {
		return Millis(sorted[max(0, (len(sorted)*percent+99)/100-1)])
	}
	return Times{N: len(sorted), P50: rank(50), P90: rank(90), P99: rank(99), Max: rank(100)}
}

// WriteJSON writes the report for scripts.
func (r Report) WriteJSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(r)
}

// WriteText writes the report for people.
func (r Report) WriteText(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	line := func(cells ...string) { fmt.Fprintln(t, strings.Join(cells, "\t")) }
	times := func(name string, ts Times, more ...string) {
		line(append([]string{name, inMillis(ts.P50), inMillis(ts.P90), inMillis(ts.P99), inMillis(ts.Max), fmt.Sprint(ts.N)}, more...)...)
	}
	fmt.Fprintf(t, "bot: %s\n\n", r.Bot)
	line("time in ms", "p50", "p90", "p99", "max", "number")
	times("control: empty POST and its answer", r.Answers.Control)
	times("state sent to move received", r.Answers.Wire, fmt.Sprintf("%.1f control POSTs", r.Answers.ControlPosts))
	times("opponent's move to ours, on the board", r.Answers.Move)
	times("start to open event stream", r.Start)
	if len(r.Faults) > 0 {
		fmt.Fprintln(t)
		line("fault", "game goes on", "slowest move, ms")
		for _, f := range r.Faults {
			if f.GoesOn {
				line(f.What, "yes", inMillis(f.Recovery))
			} else {
				line(f.What, "NO", f.Gave)
			}
		}
	}
	fmt.Fprintln(t)
	if !r.Memory.Known {
		line("memory: this system does not tell")
		return t.Flush()
	}
	line("memory of all processes", "resident", "shared once", "processes", "threads")
	for _, s := range []struct {
		when string
		Sample
	}{{"event stream open", r.Memory.Started}, {"most while playing", r.Memory.Playing}, {"after all games", r.Memory.Ended}} {
		if s.Processes > 0 {
			line(s.when, mebibytes(s.RSS), mebibytes(s.PSS), fmt.Sprint(s.Processes), fmt.Sprint(s.Threads))
		}
	}
	return t.Flush()
}

func inMillis(ms float64) string {
	if ms >= 100 {
		return fmt.Sprintf("%.0f", ms)
	}
	return fmt.Sprintf("%.3f", ms)
}

func mebibytes(n int64) string {
	if n == 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
}
