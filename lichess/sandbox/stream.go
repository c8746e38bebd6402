package sandbox

import (
	"bytes"
	"net/http"
	"time"
)

// ending is how a stream ends before its time.
type ending int

const (
	endClean  ending = iota // the body ends as if all were said
	endReset                // the connection is reset
	endBroken               // the connection closes in the middle of the body
	endHalf                 // our direction of the connection closes in the middle of the body
	endSilent               // nothing more comes and nothing ends
)

// stream is an open NDJSON answer. Lines come in by its queue from anybody who has
// something to tell; only the handler's goroutine writes, so a client that does not read
// holds up nobody else.
type stream struct {
	endpoint Endpoint
	account  *account
	game     string // "" on the event stream
	seat     *seat  // game streams only
	agent    string // User-Agent
	token    *token // event streams only
	opened   time.Time
	queue    *queue
	ends     chan ending // holds the first ending asked for; never closed
}

func (s *Server) newStream(c *call) *stream {
	return &stream{
		endpoint: c.endpoint, account: c.account, game: c.gameID, agent: c.r.UserAgent(),
		opened: c.at, queue: newQueue(s.opts.QueueSlots), ends: make(chan ending, 1),
	}
}

// finish asks the stream to end; only the first asking counts.
func (st *stream) finish(how ending) {
	select {
	case st.ends <- how:
	default:
	}
}

// pump writes the stream until it ends, and tells how. onTick is called at each blank
// line, before it. A silent stream is pumped into nothing: the server does not know.
func (c *call) pump(st *stream, onTick func()) ending {
	c.s.track(st, true)
	defer c.s.track(st, false)
	h := c.w.Header()
	h.Set("Content-Type", "application/x-ndjson")
	h.Set("X-Accel-Buffering", "no")
	c.w.WriteHeader(http.StatusOK)
	out := &lineWriter{c: c, st: st, flush: http.NewResponseController(c.w).Flush}
	if out.flush() != nil {
		return endClean
	}
	tick := time.NewTicker(c.s.opts.KeepAlive)
	defer tick.Stop()
	for {
		now := time.Now()
		if how, ok := c.s.faults.trip(st, now); ok && !out.silence(how) {
			return how
		}
		var trip <-chan time.Time
		if at, ok := c.s.faults.timed(st); ok {
			trip = time.After(at.Sub(now))
		}
		if l, ok := st.queue.pop(); ok {
			if how, goesOn := out.deliver(l); !goesOn {
				return how
			}
			if l.final {
				return out.unless(endClean)
			}
			continue
		}
		select {
		case <-st.queue.ready:
		case <-trip:
		case <-tick.C:
			if onTick != nil {
				onTick()
			}
			if !out.write(append(out.takeHeld(), '\n')) {
				return endClean
			}
		case how := <-st.ends:
			if !out.silence(how) {
				return out.unless(how)
			}
		case <-c.r.Context().Done():
			return endClean
		}
	}
}

// end carries out how a stream ended, after the server has forgotten it.
func (c *call) end(how ending) {
	switch how {
	case endReset:
		c.breakConnection(true)
	case endBroken:
		c.breakConnection(false)
	case endHalf:
		c.closeHalf()
	case endSilent:
		c.holdOpen(0)
	}
}

// track keeps the server's list of open streams.
func (s *Server) track(st *stream, open bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if open {
		s.streams[st] = true
		s.faults.streamOpened(st)
	} else {
		delete(s.streams, st)
		s.faults.streamClosed(st)
	}
}

// lineWriter writes a stream's lines with the faults that are set on it.
type lineWriter struct {
	c      *call
	st     *stream
	flush  func() error
	silent bool   // nothing is written any more
	held   []byte // a line that comes after the next one
}

func (w *lineWriter) takeHeld() []byte {
	held := w.held
	w.held = nil
	return held
}

// silence begins the silence of a stream if that is how it ends, and tells so.
func (w *lineWriter) silence(how ending) bool {
	if how == endSilent {
		w.silent = true
	}
	return how == endSilent
}

// unless is how the stream ends, unless nothing reaches the client any more.
func (w *lineWriter) unless(how ending) ending {
	if w.silent {
		return endSilent
	}
	return how
}

func (w *lineWriter) write(data []byte) bool {
	if w.silent {
		return true
	}
	if _, err := w.c.w.Write(data); err != nil {
		return false
	}
	return w.flush() == nil
}

// deliver writes one line after the network's delay; when the stream ends by it goesOn is
// false.
func (w *lineWriter) deliver(l line) (how ending, goesOn bool) {
	faults := w.c.s.faults
	if how, goesOn := w.pause(time.Until(l.at.Add(faults.delay(w.st.endpoint, w.st.account.id, w.st.game, outward)))); !goesOn {
		return how, false
	}
	if f, hit := faults.take(w.st.endpoint, w.st.account.id, w.st.game, Stall); hit {
		lost, how, goesOn := w.stall(f)
		if !goesOn || lost {
			return how, goesOn
		}
	}
	kind, hit := faults.atLine(w.st, l)
	switch {
	case kind == NoFinal:
		return w.unless(endClean), false
	case kind == HalfLine:
		w.write(l.data[:len(l.data)/2])
		return w.unless(endBroken), false
	}
	if !w.send(l) {
		return endClean, false
	}
	if how := endingOf(kind); hit && !w.silence(how) {
		return w.unless(how), false
	}
	return endClean, true
}

// send writes a line as the faults that disturb it have it.
func (w *lineWriter) send(l line) bool {
	began := time.Now()
	plan := w.c.s.faults.disturb(w.st, l)
	switch {
	case plan.never:
		return true
	case plan.later && w.held == nil && !l.final:
		w.held = bytes.Join(plan.chunks, nil)
		return true
	}
	for _, chunk := range append(plan.chunks, w.takeHeld()) {
		if !w.write(chunk) || plan.gap > 0 && !sleep(w.c.r.Context(), plan.gap) {
			return false
		}
	}
	if tell := w.c.s.opts.OnState; tell != nil && l.ply >= 0 && !w.silent {
		tell(StateSent{GameID: w.st.game, Account: w.st.account.id, Ply: l.ply, At: began})
	}
	return true
}

// pause waits on the way of a line; when the stream ends meanwhile goesOn is false.
func (w *lineWriter) pause(d time.Duration) (how ending, goesOn bool) {
	if d <= 0 {
		return endClean, true
	}
	t := time.NewTimer(d)
	defer t.Stop()
	for {
		select {
		case <-t.C:
			return endClean, true
		case how := <-w.st.ends:
			if !w.silence(how) {
				return w.unless(how), false
			}
		case <-w.c.r.Context().Done():
			return endClean, false
		}
	}
}

// stall holds a line back with the queue behind it; lost tells that the queue overflowed,
// by which the line, the oldest of all, went first.
func (w *lineWriter) stall(f Fault) (lost bool, how ending, goesOn bool) {
	before := w.st.queue.squeeze(f.Slots)
	how, goesOn = w.pause(f.For)
	return w.st.queue.relax() > before, how, goesOn
}

// StateSent is a line with the moves of a game that was written to a stream.
type StateSent struct {
	GameID, Account string    // Account is the id of who reads the stream
	Ply             int       // moves that the line shows
	At              time.Time // just before it was written: the reader may be faster than we are
}

// StreamCount is how many streams are open.
type StreamCount struct{ Events, Games int }

// OpenStreams counts the open streams of an account, of all accounts for "".
func (s *Server) OpenStreams(account string) StreamCount {
	s.mu.Lock()
	defer s.mu.Unlock()
	var n StreamCount
	for st := range s.streams {
		switch {
		case account != "" && st.account.id != accountID(account):
		case st.endpoint == EndpointEvents:
			n.Events++
		default:
			n.Games++
		}
	}
	return n
}

// CutStreams ends open streams now: those of an account ("" = all), of a game ("" = all
// and the event streams). how is "cut" (clean end), "reset", "halfclose" or "silent".
func (s *Server) CutStreams(account, gameID string, how Kind) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for st := range s.streams {
		if (account == "" || st.account.id == accountID(account)) && (gameID == "" || st.game == gameID) {
			st.finish(endingOf(how))
			n++
		}
	}
	return n
}

// PushEvent puts a raw line on an account's event streams, PushLine on a game's streams;
// what they hold need not be JSON. The newline is added.
func (s *Server) PushEvent(account, raw string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if a := s.accounts[accountID(account)]; a != nil {
		a.publish([]byte(raw), time.Now())
	}
}

// PushLine puts a raw line on all streams of a game.
func (s *Server) PushLine(gameID, raw string) {
	if g := s.game(gameID); g != nil {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.push([]byte(raw), -1, false, nil)
	}
}
