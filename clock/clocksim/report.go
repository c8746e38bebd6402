package clocksim

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"text/tabwriter"
	"time"

	"zeitnot/clock"
)

// Report is the result of a run.
type Report struct {
	Policy string `json:"policy"`
	Seed   uint64 `json:"seed"`
	Cells  []Cell `json:"cells"`
}

// Cell is the result for one time control under one latency.
type Cell struct {
	Time    string `json:"time"`
	Latency string `json:"latency"`
	Games   int    `json:"games"`
	// AvoidableFlags are games lost on time that an oracle with a millisecond per move would
	// have brought to their end; UnavoidableFlags are the others.
	AvoidableFlags   int `json:"avoidable_flags"`
	UnavoidableFlags int `json:"unavoidable_flags"`
	// ClockLeft is the clock at the end of a game as a share of its start, 0 when it was lost
	// on time: the median, and the value that nine of ten games stay under.
	ClockLeftP50 float64 `json:"clock_left_p50"`
	ClockLeftP90 float64 `json:"clock_left_p90"`
	// Log2Think is the mean of log2 of the thinking times in ms over all moves with these
	// numbers, 0 if there was none. A time below 1 ms counts as 1 ms.
	Log2Think1To40  float64 `json:"log2_think_1_40"`
	Log2Think41To60 float64 `json:"log2_think_41_60"`
	Log2Think1To60  float64 `json:"log2_think_1_60"`
	// PremoveShare is the share of moves without time to think: red ones, and those with a
	// hard limit of PremoveLimit or less.
	PremoveShare float64 `json:"premove_share"`
	// MinClockMs is the lowest clock that a game went through without being lost on time.
	MinClockMs int64 `json:"min_clock_ms"`

	bands []band
	start time.Duration
}

// PremoveLimit is the hard limit up to which a move counts as played without thinking.
const PremoveLimit = 5 * time.Millisecond

// tally sums over games. It holds whole numbers only, so that the order in which workers
// add theirs does not matter.
type tally struct {
	games, avoidable, unavoidable int
	moves, premoves               int
	early, late                   thinking // moves 1-40 and 41-60
	lowest                        time.Duration
	haveLowest                    bool
}

// thinking sums log2 of times in millionths.
type thinking struct{ moves, millionths int64 }

func (t thinking) mean() float64 {
	if t.moves == 0 {
		return 0
	}
	return float64(t.millionths) / float64(t.moves) / 1e6
}

func (t thinking) plus(u thinking) thinking {
	return thinking{t.moves + u.moves, t.millionths + u.millionths}
}

// move counts own move number n, which is 1 for the first.
func (t *tally) move(n int, think time.Duration, b clock.Budget) {
	t.moves++
	if b.Red || b.Hard <= PremoveLimit {
		t.premoves++
	}
	if n > 60 {
		return
	}
	bits := math.Log2(max(1, float64(think)/float64(time.Millisecond)))
	one := thinking{1, int64(math.Round(bits * 1e6))}
	if n <= 40 {
		t.early = t.early.plus(one)
	} else {
		t.late = t.late.plus(one)
	}
}

func (t *tally) least(d time.Duration) {
	if !t.haveLowest || d < t.lowest {
		t.lowest, t.haveLowest = d, true
	}
}

func (t *tally) add(u tally) {
	t.games += u.games
	t.avoidable += u.avoidable
	t.unavoidable += u.unavoidable
	t.moves += u.moves
	t.premoves += u.premoves
	t.early, t.late = t.early.plus(u.early), t.late.plus(u.late)
	if u.haveLowest {
		t.least(u.lowest)
	}
}

func newCell(control Control, latency Latency, games int, t tally, left []int32, traces []trace) Cell {
	slices.Sort(left)
	share := func(q float64) float64 {
		at := min(int(q*float64(len(left))), len(left)-1)
		return rounded(float64(time.Duration(left[at])*grain)/float64(control.start()), 4)
	}
	return Cell{
		Time: control.String(), Latency: latency.Name, Games: games,
		AvoidableFlags: t.avoidable, UnavoidableFlags: t.unavoidable,
		ClockLeftP50: share(0.5), ClockLeftP90: share(0.9),
		Log2Think1To40: rounded(t.early.mean(), 4), Log2Think41To60: rounded(t.late.mean(), 4),
		Log2Think1To60: rounded(t.early.plus(t.late).mean(), 4),
		PremoveShare:   rounded(float64(t.premoves)/float64(max(1, t.moves)), 6),
		MinClockMs:     t.lowest.Milliseconds(),
		bands:          bandsOf(traces), start: control.start(),
	}
}

// rounded keeps so many decimals: more would be noise.
func rounded(x float64, decimals int) float64 {
	p := math.Pow10(decimals)
	return math.Round(x*p) / p
}

// WriteJSON writes the report for scripts.
func (r Report) WriteJSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	if err := e.Encode(r); err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	return nil
}

// WriteTable writes the report for people.
func (r Report) WriteTable(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(w, "policy %s, seed %d\n", r.Policy, r.Seed)
	fmt.Fprint(t, "time\tlatency\tgames\tflags\tunavoidable\tleft p50\tp90\tlog2 ms 1-40\t41-60\t1-60\tpremoves\tmin clock\t\n")
	for _, c := range r.Cells {
		fmt.Fprintf(t, "%s\t%s\t%d\t%d\t%d\t%.1f %%\t%.1f %%\t%.2f\t%.2f\t%.2f\t%.2f %%\t%.2f s\t\n",
			c.Time, c.Latency, c.Games, c.AvoidableFlags, c.UnavoidableFlags, 100*c.ClockLeftP50, 100*c.ClockLeftP90,
			c.Log2Think1To40, c.Log2Think41To60, c.Log2Think1To60, 100*c.PremoveShare, float64(c.MinClockMs)/1000)
	}
	if err := t.Flush(); err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	return nil
}
