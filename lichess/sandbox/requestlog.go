package sandbox

import (
	"net/url"
	"sync"
	"time"
)

// Request is one request as the server saw it.
type Request struct {
	At        time.Time
	Method    string
	Path      string
	Endpoint  Endpoint // "" when no route fits
	Account   string   // id; "" without a valid token
	Game      string   // of the path; also a challenge's id
	UserAgent string
	Remote    string // address of the connection: the same for requests that share one
	Form      url.Values
	Status    int           // 0 while it runs and when nothing was answered
	Took      time.Duration // until the answer was written or the stream ended
	Fault     string        // the fault that dealt with it; "gone" when the client left
	Done      bool
}

// requestLog keeps the last requests; entries are numbered from the first ever.
type requestLog struct {
	mu      sync.Mutex // guards everything below
	size    int
	dropped int
	entries []Request
}

func (l *requestLog) begin(c *call) int {
	r := Request{
		At: c.at, Method: c.r.Method, Path: c.r.URL.Path, Endpoint: c.endpoint,
		Game: c.gameID, UserAgent: c.r.UserAgent(), Remote: c.r.RemoteAddr,
	}
	if c.account != nil {
		r.Account = c.account.id
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.entries) >= l.size {
		drop := len(l.entries) - l.size/2
		l.entries = append([]Request(nil), l.entries[drop:]...)
		l.dropped += drop
	}
	l.entries = append(l.entries, r)
	return l.dropped + len(l.entries) - 1
}

// change works on an entry that is still kept.
func (l *requestLog) change(entry int, f func(*Request)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if i := entry - l.dropped; i >= 0 {
		f(&l.entries[i])
	}
}

func (l *requestLog) noteForm(entry int, form url.Values) {
	l.change(entry, func(r *Request) { r.Form = form })
}

func (l *requestLog) status(entry, status int) {
	l.change(entry, func(r *Request) { r.Status = status })
}

func (l *requestLog) end(entry, status int, fault string, took time.Duration) {
	l.change(entry, func(r *Request) {
		r.Status, r.Took, r.Done = status, took, true
		if fault != "" {
			r.Fault = fault
		}
	})
}

func (l *requestLog) get(entry int) (r Request) {
	l.change(entry, func(kept *Request) { r = *kept })
	return r
}

// Requests gives the logged requests that the filter wants, oldest first; nil wants all.
func (s *Server) Requests(want func(Request) bool) []Request {
	s.log.mu.Lock()
	defer s.log.mu.Unlock()
	var list []Request
	for _, r := range s.log.entries {
		if want == nil || want(r) {
			list = append(list, r)
		}
	}
	return list
}

// CountRequests counts the logged requests of an endpoint by an account ("" = any).
func (s *Server) CountRequests(e Endpoint, account string) int {
	return len(s.Requests(func(r Request) bool {
		return r.Endpoint == e && (account == "" || r.Account == accountID(account))
	}))
}
