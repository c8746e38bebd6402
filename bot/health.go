package bot

import (
	"sync/atomic"
	"time"
)

// pulse is the sign of life of one loop: when it last went round, and until when it is
// known to be waiting on purpose. The zero value has never beaten.
type pulse struct {
	last  atomic.Int64 // time.Time as nanoseconds
	until atomic.Int64
}

// beat says that the loop made progress now.
func (p *pulse) beat() { p.last.Store(time.Now().UnixNano()) }

// rest says that the loop waits on purpose for d: a backoff is healthy.
func (p *pulse) rest(d time.Duration) {
	p.beat()
	p.until.Store(time.Now().Add(d).UnixNano())
}

// alive tells whether the loop beat within limit, counted from the end of its rest.
func (p *pulse) alive(now time.Time, limit time.Duration) bool {
	latest := max(p.last.Load(), p.until.Load())
	return now.UnixNano()-latest <= int64(limit)
}

// resting tells whether the loop waits on purpose.
func (p *pulse) resting(now time.Time) bool { return p.until.Load() > now.UnixNano() }

// How long each loop may go without a beat. The main loop wakes every second by itself;
// the streams' watchdogs end a silent stream long before these.
const (
	loopLimit   = 20 * time.Second
	streamLimit = 90 * time.Second
)

// Health is what the daemon says of itself, for a service manager's watchdog and for
// /healthz.
type Health struct {
	// Healthy: the main loop and the stream readers make progress or wait on purpose.
	Healthy bool `json:"healthy"`
	// Stream is "open", "waiting" (backing off, the site may be down) or "opening".
	Stream        string   `json:"stream"`
	Account       string   `json:"account,omitempty"`
	Games         []string `json:"games"`
	SlotsUsed     int      `json:"slots_used"`
	SlotsTotal    int      `json:"slots_total"`
	Queued        int      `json:"challenges_queued"`
	SearchesInUse int      `json:"searches"`
	Draining      bool     `json:"draining"`
	// Unauthorized: the server refused our token; new work is stopped and it is asked again
	// now and then.
	Unauthorized  bool  `json:"unauthorized"`
	GamesFinished int64 `json:"games_finished"`
	UptimeSeconds int64 `json:"uptime_seconds"`
	// Goroutines are those of the whole program.
	Goroutines int `json:"goroutines"`
}
