package flight

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rs/zerolog"

	"zeitnot/leaktest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// left is a move that left so late, in ms; the search took ms of it, then the loop.
func left(late, search, loop int) Departure {
	now := time.Now()
	at := func(ms int) time.Time { return now.Add(time.Duration(ms) * time.Millisecond) }
	return Departure{
		Game: "abcd1234", Move: "e2e4", Ply: 11,
		Arrived: at(-1000), Deadline: at(0), Decided: at(search), Sent: at(search + loop), Written: at(late),
	}
}

// fakeWindow is a trace of some bytes.
type fakeWindow struct {
	trace   []byte
	err     error
	written int
	running bool
}

func (w *fakeWindow) Start() error { w.running = true; return nil }
func (w *fakeWindow) Stop()        { w.running = false }
func (w *fakeWindow) WriteTo(to io.Writer) (int64, error) {
	w.written++
	n, err := to.Write(w.trace)
	return int64(n), errors.Join(err, w.err)
}

// lines is a log that can be read while it is written.
type lines struct {
	mu   sync.Mutex // guards text
	text bytes.Buffer
}

func (l *lines) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

// take is what was logged since the last call.
func (l *lines) take(t *testing.T) (all []map[string]any) {
	t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	for line := range strings.Lines(l.text.String()) {
		var fields map[string]any
		if err := json.Unmarshal([]byte(line), &fields); err != nil {
			t.Fatalf("line %q: %v", line, err)
		}
		all = append(all, fields)
	}
	l.text.Reset()
	return all
}

// recording runs a recorder in virtual time with a fake window.
func recording(t *testing.T, test func(r *Recorder, w *fakeWindow, log *lines)) {
	t.Helper()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		log, w := &lines{}, &fakeWindow{trace: []byte("trace")}
		r := New(dir, zerolog.New(log))
		r.window, r.canary.Tick = w, time.Hour // which makes the hours of a test short
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() { r.Run(ctx); close(done) }()
		synctest.Wait()
		test(r, w, log)
		cancel()
		<-done
		if w.running {
			t.Error("the window still runs")
		}
	})
}

// settle lets the recorder write about a move.
func settle() {
	time.Sleep(settling)
	synctest.Wait()
}

func files(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func TestOnlyLateMovesAreWrittenAbout(t *testing.T) {
	recording(t, func(r *Recorder, w *fakeWindow, log *lines) {
		r.Departed(left(-500, -501, 0))
		r.Departed(left(20, 19, 0))
		settle()
		if got := log.take(t); len(got) != 0 || w.written != 0 {
			t.Errorf("got %v and %d traces of moves in time", got, w.written)
		}
		r.Departed(left(21, 20, 0))
		settle()
		got := log.take(t)
		if len(got) != 2 || got[0]["message"] != "move left late" || got[0]["late"] != 21.0 || got[0]["late_search"] != 20.0 || got[0]["ply"] != 11.0 {
			t.Fatalf("got %v", got)
		}
		path, _ := got[1]["file"].(string)
		if text, err := os.ReadFile(path); err != nil || string(text) != "trace" {
			t.Errorf("trace %s: %q, %v", path, text, err)
		}
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("mode: %v, %v", info.Mode(), err)
		}
	})
}

func TestOneTraceAnHourAndTheLastFive(t *testing.T) {
	recording(t, func(r *Recorder, w *fakeWindow, log *lines) {
		other := filepath.Join(r.traces.dir, "late-night.trace")
		if err := os.WriteFile(other, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		late := func() {
			r.Departed(left(100, 100, 0))
			settle()
		}
		for range 3 {
			late()
			time.Sleep(19 * time.Minute)
		}
		if w.written != 1 || len(log.take(t)) != 4 {
			t.Errorf("within an hour: got %d traces", w.written)
		}
		for range 7 {
			time.Sleep(time.Hour)
			late()
		}
		if w.written != 8 {
			t.Errorf("got %d traces, want 8", w.written)
		}
		// The bubble begins at midnight UTC 2000-01-01; the first trace was then.
		want := []string{
			"late-2000-01-01T035700Z.trace", "late-2000-01-01T045700Z.trace", "late-2000-01-01T055700Z.trace",
			"late-2000-01-01T065700Z.trace", "late-2000-01-01T075700Z.trace", "late-night.trace",
		}
		if diff := cmp.Diff(want, files(t, r.traces.dir)); diff != "" {
			t.Errorf("files (-want +got):\n%s", diff)
		}
	})
}

func TestATraceOfAnotherProcessCounts(t *testing.T) {
	recording(t, func(r *Recorder, w *fakeWindow, _ *lines) {
		for _, c := range []struct {
			age  time.Duration
			want int
		}{{59 * time.Minute, 0}, {time.Hour, 1}} {
			if _, err := r.traces.save(time.Now().Add(-c.age), w); err != nil {
				t.Fatal(err)
			}
			w.written = 0
			r.Departed(left(100, 100, 0))
			settle()
			if w.written != c.want {
				t.Errorf("a trace %v old: got %d more, want %d", c.age, w.written, c.want)
			}
			for _, name := range files(t, r.traces.dir) {
				os.Remove(filepath.Join(r.traces.dir, name))
			}
		}
		// A clock that was wrong must not end it all.
		if _, err := r.traces.save(time.Now().Add(24*time.Hour), w); err != nil {
			t.Fatal(err)
		}
		if !r.traces.due(time.Now()) {
			t.Error("a trace from the future forbids one now")
		}
	})
}

func TestATraceThatCannotBeKeptIsOnlyLogged(t *testing.T) {
	for name, spoil := range map[string]func(r *Recorder, w *fakeWindow){
		"a broken window": func(_ *Recorder, w *fakeWindow) { w.err = errors.New("no trace") },
		"too long":        func(_ *Recorder, w *fakeWindow) { w.trace = make([]byte, maxTraceBytes+1) },
	} {
		t.Run(name, func(t *testing.T) {
			recording(t, func(r *Recorder, w *fakeWindow, log *lines) {
				spoil(r, w)
				r.Departed(left(100, 100, 0))
				settle()
				if got := log.take(t); len(got) != 2 || got[1]["message"] != "trace of a late move" || got[1]["error"] == nil {
					t.Errorf("got %v", got)
				}
				if got := files(t, r.traces.dir); len(got) != 0 {
					t.Errorf("left behind: %v", got)
				}
			})
		})
	}
	recording(t, func(r *Recorder, _ *fakeWindow, log *lines) {
		r.traces.dir = filepath.Join(r.traces.dir, "gone")
		r.Departed(left(100, 100, 0))
		settle()
		if got := log.take(t); len(got) != 1 {
			t.Errorf("no folder: got %v", got)
		}
	})
}

// endless is a window whose writing takes until it is released.
type endless struct {
	fakeWindow
	release chan struct{}
}

func (w *endless) WriteTo(to io.Writer) (int64, error) {
	<-w.release
	return w.fakeWindow.WriteTo(to)
}

func TestMovesNeverWaitForATrace(t *testing.T) {
	recording(t, func(r *Recorder, _ *fakeWindow, log *lines) {
		w := &endless{release: make(chan struct{})}
		r.window = w
		r.Departed(left(100, 100, 0))
		settle()
		began := time.Now()
		for range 3 * queue {
			r.Departed(left(100, 100, 0))
		}
		if time.Since(began) != 0 {
			t.Errorf("moves waited for %v", time.Since(began))
		}
		close(w.release)
		for range queue {
			settle()
		}
		// The first, those in the queue, and the trace.
		if got := log.take(t); len(got) != 1+queue+1 || w.written != 1 {
			t.Errorf("got %d lines and %d traces", len(got), w.written)
		}
	})
}

func TestTheLikeliestReason(t *testing.T) {
	const ms = time.Millisecond
	for name, c := range map[string]struct {
		change func(d *Departure, stall *time.Duration, after *evidence)
		want   reason
	}{
		"nothing known": {func(d *Departure, _ *time.Duration, _ *evidence) { d.Decided, d.Sent = d.Deadline, d.Written }, unknown},
		"no slot":       {func(d *Departure, _ *time.Duration, _ *evidence) { d.NoSlot = true }, noSlot},
		"a pause": {func(_ *Departure, stall *time.Duration, e *evidence) {
			*stall, e.pauses.counts = 70*ms, []uint64{5, 0, 1}
		}, collection},
		"a short pause": {func(_ *Departure, _ *time.Duration, e *evidence) { e.pauses.counts = []uint64{5, 1, 0} }, search},
		"the host":      {func(_ *Departure, stall *time.Duration, _ *evidence) { *stall = 70 * ms }, host},
		"a short stall": {func(_ *Departure, stall *time.Duration, _ *evidence) { *stall = 40 * ms }, search},
		"no processor": {func(_ *Departure, stall *time.Duration, e *evidence) {
			*stall, e.waits.counts = 70*ms, []uint64{5, 0, 1}
		}, processors},
		"the loop had none": {func(d *Departure, _ *time.Duration, e *evidence) {
			d.Decided, e.waits.counts = d.Deadline, []uint64{5, 0, 1}
		}, processors},
		"a slow connection":   {func(d *Departure, _ *time.Duration, _ *evidence) { d.Decided, d.Sent = d.Deadline, d.Deadline }, connection},
		"a deaf search":       {func(d *Departure, _ *time.Duration, _ *evidence) { d.Searching = true }, search},
		"a search that ended": {func(*Departure, *time.Duration, *evidence) {}, search},
	} {
		buckets := []float64{0, 0.001, 0.01, 0.1}
		before := evidence{pauses: histogram{[]uint64{5, 0, 0}, buckets}, waits: histogram{[]uint64{5, 0, 0}, buckets}}
		after, d, stall := before, left(100, 90, 5), time.Duration(0)
		c.change(&d, &stall, &after)
		after.pauses.buckets, after.waits.buckets = buckets, buckets
		f := findingOf(d, stall, before, after)
		if f.why != c.want {
			t.Errorf("%s: got %q, want %q (%+v)", name, f.why, c.want, f)
		}
	}
}

func TestTheWayIsDividedFromTheDeadlineOn(t *testing.T) {
	f := findingOf(left(100, 60, 10), 0, evidence{}, evidence{stolen: 30 * time.Millisecond, diskFaults: 7})
	got := []time.Duration{f.search, f.loop, f.write, f.stolen}
	for i, ms := range []time.Duration{60, 10, 30, 30} {
		if got[i].Round(time.Millisecond) != ms*time.Millisecond {
			t.Errorf("part %d: got %v, want %d ms", i, got[i], ms)
		}
	}
	if f = findingOf(left(100, -50, 10), 0, evidence{}, evidence{}); f.search != 0 || f.loop != 0 || f.write.Round(time.Millisecond) != 100*time.Millisecond {
		t.Errorf("decided in time: got %v, %v, %v", f.search, f.loop, f.write)
	}
}

func TestTheCanarySeesWhatKeptItFromRunning(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		at := func(ms int) time.Time { return began.Add(time.Duration(ms) * time.Millisecond) }
		slow := map[int]time.Duration{3: 40 * time.Millisecond, 5: 5 * time.Millisecond, 6: 4 * time.Millisecond}
		beats := 0
		c := Canary{Tick: 10 * time.Millisecond, Least: 5 * time.Millisecond, Sleep: func(d time.Duration) {
			time.Sleep(d + slow[beats])
			beats++
		}}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		c.Run(ctx)
		// It should have woken up at 40 and did at 80; at 100, and did at 105.
		for _, w := range []struct {
			from, to int
			want     time.Duration
		}{{0, 40, 0}, {0, 41, 40}, {79, 200, 40}, {80, 100, 0}, {80, 300, 5}, {106, 900, 0}} {
			if got := c.Stalled(at(w.from), at(w.to)); got != w.want*time.Millisecond {
				t.Errorf("%d to %d ms: got %v, want %v ms", w.from, w.to, got, int(w.want))
			}
		}
		for range 512 {
			c.note(stall{at(2000), at(2001)})
		}
		if got := c.Stalled(at(0), at(1000)); got != 0 || len(c.stalls) != 256 {
			t.Errorf("after many: got %v of %d stalls", got, len(c.stalls))
		}
	})
}

func TestEvidenceIsRead(t *testing.T) {
	const stat = "cpu  10 20 30 40 50 60 70 123 0 0\ncpu0 1 2 3 4 5 6 7 8 0 0\nintr 5\n"
	if got := stolenTime(stat); got != 1230*time.Millisecond {
		t.Errorf("stolen: got %v, want 1.23s", got)
	}
	if got := diskFaults("12 (a) b) c) S 1 2 3 4 5 6 7 8 99 10 11"); got != 99 {
		t.Errorf("disk faults: got %d, want 99", got)
	}
	for _, broken := range []string{"", "cpu", "cpu a b c d e f g h", ")", "1 (x) S", "1 (x) S 1 2 3 4 5 6 7 8 x"} {
		if got, want := stolenTime(broken), time.Duration(0); got != want {
			t.Errorf("stolen of %q: got %v", broken, got)
		}
		if got := diskFaults(broken); got != 0 {
			t.Errorf("disk faults of %q: got %d", broken, got)
		}
	}
	e := gather()
	if len(e.pauses.counts) == 0 || len(e.waits.counts) == 0 {
		t.Errorf("the runtime tells nothing: %+v", e)
	}
}

// announced tells of each line that is logged.
type announced struct {
	lines
	each chan struct{} // buffered
}

func (a *announced) Write(b []byte) (int, error) {
	n, err := a.lines.Write(b)
	a.each <- struct{}{}
	return n, err
}

// The real thing: the runtime's own recorder, and a file that the tools know.
func TestARealTraceIsKept(t *testing.T) {
	dir, log := t.TempDir(), &announced{each: make(chan struct{}, 10)}
	r := New(dir, zerolog.New(log))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var running sync.WaitGroup
	running.Go(func() { r.Run(ctx) })
	defer running.Wait()
	defer cancel()
	r.Departed(left(100, 100, 0))
	<-log.each
	<-log.each
	got := log.take(t)
	path, _ := got[1]["file"].(string)
	if text, err := os.ReadFile(path); err != nil || !bytes.HasPrefix(text, []byte("go 1.")) {
		t.Errorf("log %v, trace %.20q, %v", got, text, err)
	}
}
