package bot

import (
	"context"
	"sync"
	"time"

	"zeitnot/clock"
	"zeitnot/lichess"
)

// network is what all games together have learnt of the way between us and the server. A
// game that begins profits from it, and a later process does.
type network struct {
	mu        sync.Mutex // guards everything below
	estimator *clock.Estimator
	trips     []time.Duration // round trips of the start-up requests
	learning  bool            // moves have been seen; start-up requests say nothing new
	news      bool            // something was learnt since the latest prior
}

func newNetwork() *network { return &network{estimator: clock.NewEstimator(clock.StartPrior(nil))} }

// resume goes on from what an earlier process has learnt.
func (n *network) resume(p clock.Prior) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.estimator, n.learning = clock.NewEstimator(p), true
}

// prior is what a later process may go on from; false when there is nothing new since it was
// asked for last.
func (n *network) prior() (clock.Prior, bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	news := n.news
	n.news = false
	return n.estimator.Prior(), news
}

// tripped notes the round trip of a request. Until the first move those are all there is.
func (n *network) tripped(d time.Duration) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.learning {
		return
	}
	const enough = 9
	n.trips = append(n.trips, d)
	n.trips = n.trips[max(0, len(n.trips)-enough):]
	n.estimator = clock.NewEstimator(clock.StartPrior(n.trips))
}

// start is an estimator for a game that begins now.
func (n *network) start() *clock.Estimator {
	n.mu.Lock()
	defer n.mu.Unlock()
	return clock.NewEstimator(n.estimator.Prior())
}

// observe learns from a move of any game.
func (n *network) observe(s clock.Sample) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if _, rejected := n.estimator.Observe(s); rejected == "" {
		n.learning, n.news = true, true
	}
}

// overshot learns how long after its hard limit a move of any game was written.
func (n *network) overshot(d time.Duration) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.estimator.ObserveOvershoot(d)
	if d > 0 {
		n.learning, n.news = true, true
	}
}

// way is the network as one game has seen it: a stall in another game is none of its
// business. It belongs to the game's loop.
type way struct {
	network *network
	// estimator is nil until the game has learnt something by itself; until then what all
	// games have learnt holds, also when the game has waited for days.
	estimator *clock.Estimator
}

// observe learns from one move.
func (w *way) observe(s clock.Sample) (clock.Overhead, clock.Rejection) {
	e := w.present()
	w.network.observe(s)
	ov, rejected := e.Observe(s)
	if rejected == "" {
		w.estimator = e
	}
	return ov, rejected
}

// overshot learns how long after its hard limit a move was written.
func (w *way) overshot(d time.Duration) {
	e := w.present()
	w.network.overshot(d)
	if e.ObserveOvershoot(d); d > 0 {
		w.estimator = e
	}
}

// overhead is the present estimate with so much on the clock.
func (w *way) overhead(remaining time.Duration) clock.Overhead {
	return w.present().Overhead(remaining)
}

func (w *way) present() *clock.Estimator {
	if w.estimator != nil {
		return w.estimator
	}
	return w.network.start()
}

// measured is a client whose start-up requests tell the network their round trips. Only
// answers count: a refused connection says nothing about the way to a server.
type measured struct {
	Client
	network *network
}

func (m measured) time(err error, began time.Time) {
	if err == nil || lichess.StatusOf(err) != 0 {
		m.network.tripped(time.Since(began))
	}
}

// TestToken implements Client.
func (m measured) TestToken(ctx context.Context) (*lichess.TokenInfo, error) {
	began := time.Now()
	info, err := m.Client.TestToken(ctx)
	m.time(err, began)
	return info, err
}

// Account implements Client.
func (m measured) Account(ctx context.Context) (*lichess.Account, error) {
	began := time.Now()
	account, err := m.Client.Account(ctx)
	m.time(err, began)
	return account, err
}

// Playing implements Client.
func (m measured) Playing(ctx context.Context) ([]lichess.GameInfo, error) {
	began := time.Now()
	list, err := m.Client.Playing(ctx)
	m.time(err, began)
	return list, err
}
