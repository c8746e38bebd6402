package sandbox

import (
	"math/rand/v2"
	"slices"
	"sync"
	"time"
)

// direction is the way that a delay is on.
type direction int

const (
	inward direction = iota
	outward
)

// faultList holds the faults that are set, in the order in which they were.
type faultList struct {
	mu     sync.Mutex // guards everything below
	began  time.Time  // Since and Until count from here
	seed   uint64
	count  uint64
	armed  []*armed
	opened []*stream // streams that are open, in order
}

// armed is a fault that is set, with what has happened to it so far.
type armed struct {
	Fault
	use     faultUse
	rng     *rand.Rand
	seen    int             // occurrences so far
	hits    int             // how many of them were hit
	streams map[*stream]int // which occurrence a stream is; 0 once it was hit
}

func newFaultList(seed uint64) *faultList { return &faultList{seed: seed, began: time.Now()} }

// begin starts the faults' time.
func (l *faultList) begin() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.began = time.Now()
}

// Inject sets a fault; the function it returns takes it away again.
func (s *Server) Inject(f Fault) (remove func(), err error) {
	if err := f.check(); err != nil {
		return nil, err
	}
	if use, _ := useOf(f.Kind); use.alone {
		return s.schedule(f), nil
	}
	return s.faults.add(f), nil
}

// InjectSpec sets the faults of a text as ParseFaults reads it.
func (s *Server) InjectSpec(spec string) error {
	faults, err := ParseFaults(spec)
	if err != nil {
		return err
	}
	for _, f := range faults {
		if _, err := s.Inject(f); err != nil {
			return err
		}
	}
	return nil
}

func (l *faultList) add(f Fault) (remove func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.count++
	use, _ := useOf(f.Kind)
	if f.Times == 0 {
		f.Times = 1
		if use.always {
			f.Times = Always
		}
	}
	f.From = max(f.From, 1)
	f.Account = accountID(f.Account)
	a := &armed{Fault: f, use: use, rng: rand.New(rand.NewPCG(l.seed, l.count)), streams: map[*stream]int{}}
	for _, st := range l.opened {
		l.meet(a, st)
	}
	l.armed = append(l.armed, a)
	for _, st := range l.opened {
		st.queue.poke()
	}
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.armed = slices.DeleteFunc(l.armed, func(x *armed) bool { return x == a })
	}
}

// fits tells whether the fault is aimed at such an occurrence.
func (a *armed) fits(e Endpoint, account, game string) bool {
	aimed := a.Endpoint == e || a.Endpoint == "" && (isStream(e) && a.use.streams || !isStream(e) && a.use.calls)
	return aimed && (a.Account == "" || a.Account == account) && (a.Game == "" || a.Game == game)
}

// strike takes note of an occurrence and tells whether it is hit. The caller holds the
// list's mutex, as for everything of an armed fault.
func (l *faultList) strike(a *armed) bool {
	if !l.counts(a) {
		return false
	}
	a.seen++
	if a.seen < a.From || a.worn() || !a.drawn() {
		return false
	}
	a.hits++
	return true
}

// counts tells whether the fault is in its time.
func (l *faultList) counts(a *armed) bool {
	passed := time.Since(l.began)
	return passed >= a.Since && (a.Until == 0 || passed < a.Until)
}

// drawn tells whether chance has it that an occurrence is hit.
func (a *armed) drawn() bool { return a.Chance == 0 || a.rng.Float64() < a.Chance }

func (a *armed) worn() bool { return a.Times != Always && a.hits >= a.Times }

// endsStreams tells whether the kind counts streams; other kinds count calls or lines.
func (a *armed) endsStreams() bool {
	switch a.Kind {
	case Cut, Reset, Silent, HalfClose, HalfLine, NoFinal:
		return true
	}
	return false
}

// meet gives a new stream its number for the faults that count streams; none if it is spared.
func (l *faultList) meet(a *armed, st *stream) {
	if a.endsStreams() && a.fits(st.endpoint, st.account.id, st.game) && l.counts(a) {
		a.seen++
		if a.drawn() {
			a.streams[st] = a.seen
		}
	}
}

func (l *faultList) streamOpened(st *stream) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.opened = append(l.opened, st)
	for _, a := range l.armed {
		l.meet(a, st)
	}
}

func (l *faultList) streamClosed(st *stream) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.opened = slices.DeleteFunc(l.opened, func(x *stream) bool { return x == st })
	for _, a := range l.armed {
		delete(a.streams, st)
	}
}

// take finds a fault of a kind for a call and counts the call.
func (l *faultList) take(e Endpoint, account, game string, kind Kind) (Fault, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, a := range l.armed {
		if a.Kind == kind && a.fits(e, account, game) && l.strike(a) {
			return a.Fault, true
		}
	}
	return Fault{}, false
}

// happens finds a fault of a kind that is aimed at no endpoint and counts the occurrence.
func (l *faultList) happens(kind Kind, account, game string) (Fault, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, a := range l.armed {
		if a.Kind == kind && (a.Account == "" || a.Account == account) && (a.Game == "" || a.Game == game) && l.strike(a) {
			return a.Fault, true
		}
	}
	return Fault{}, false
}

// delay is how long the network takes in one direction.
func (l *faultList) delay(e Endpoint, account, game string, way direction) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	var sum time.Duration
	for _, a := range l.armed {
		if a.Kind != Latency || !a.fits(e, account, game) {
			continue
		}
		base := a.In
		if way == outward {
			base = a.Out
		}
		if (base > 0 || a.In == 0 && a.Out == 0) && l.strike(a) {
			sum += base + a.jitter()
		}
	}
	return sum
}

func (a *armed) jitter() time.Duration {
	if a.Jitter <= 0 {
		return 0
	}
	return time.Duration(a.rng.Int64N(int64(a.Jitter)))
}

// charge is what a move of this seat costs beyond the time that passed. Players of the
// server itself are charged only by name.
func (l *faultList) charge(g *game, st *seat) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	var sum time.Duration
	for _, a := range l.armed {
		if a.Kind != Charge || st.account == nil || (a.Account == "" && st.opponent != nil) ||
			(a.Account != "" && a.Account != st.account.id) || (a.Game != "" && a.Game != g.id) {
			continue
		}
		if l.strike(a) {
			sum += a.Per + a.jitter()
		}
	}
	return sum
}

// due tells whether a stream-ending fault may still hit this stream.
func (a *armed) due(st *stream) bool {
	n := a.streams[st]
	return n >= a.From && n > 0 && !a.worn()
}

func (a *armed) hit(st *stream) {
	a.hits++
	a.streams[st] = 0
}

// timed finds the stream-ending fault that comes next by time and when.
func (l *faultList) timed(st *stream) (at time.Time, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, a := range l.armed {
		if a.byTime() && a.due(st) {
			if t := st.opened.Add(a.After); !ok || t.Before(at) {
				at, ok = t, true
			}
		}
	}
	return at, ok
}

// byTime tells whether the fault ends a stream at a time rather than at a line.
func (a *armed) byTime() bool {
	return a.endsStreams() && a.Ply == 0 && a.Kind != HalfLine && a.Kind != NoFinal
}

// trip is the ending that time has brought to a stream.
func (l *faultList) trip(st *stream, now time.Time) (ending, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, a := range l.armed {
		if a.byTime() && a.due(st) && !now.Before(st.opened.Add(a.After)) {
			a.hit(st)
			return endingOf(a.Kind), true
		}
	}
	return 0, false
}

func endingOf(k Kind) ending {
	switch k {
	case Reset:
		return endReset
	case Silent:
		return endSilent
	case HalfClose:
		return endHalf
	}
	return endClean
}

// atLine is the ending that a line brings: before it (half of it may be sent) or after it.
func (l *faultList) atLine(st *stream, ln line) (kind Kind, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, a := range l.armed {
		if !a.endsStreams() || !a.due(st) {
			continue
		}
		reached := a.Ply > 0 && ln.ply >= a.Ply
		switch {
		case a.Kind == NoFinal && ln.final && ln.ply >= 0,
			a.Kind == HalfLine && (reached || a.Ply == 0),
			a.Kind != NoFinal && reached:
			a.hit(st)
			return a.Kind, true
		}
	}
	return "", false
}

// inOrder are the open streams in the order of their opening.
func (l *faultList) inOrder() []*stream {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.opened)
}
