package bot

import (
	"context"
	"sync"
	"time"

	"zeitnot/clock"
	"zeitnot/lichess"
)

// network is what is known of the way between us and the server. All games share one: the
// way is the same, and a game that begins profits from those before it.
type network struct {
	mu        sync.Mutex // guards everything below
	estimator *clock.Estimator
	trips     []time.Duration // round trips of the start-up requests
	learning  bool            // moves have been seen; start-up requests say nothing new
}

func newNetwork() *network { return &network{estimator: clock.NewEstimator(clock.StartPrior(nil))} }

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

// observe learns from one move.
func (n *network) observe(s clock.Sample) (clock.Overhead, clock.Rejection) {
	n.mu.Lock()
	defer n.mu.Unlock()
	ov, rejected := n.estimator.Observe(s)
	n.learning = n.learning || rejected == ""
	return ov, rejected
}

// overshot learns how long after its hard limit one of our moves was written.
func (n *network) overshot(d time.Duration) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.estimator.ObserveOvershoot(d)
	n.learning = n.learning || d > 0
}

// overhead is the present estimate for a game with so much on the clock.
func (n *network) overhead(remaining time.Duration) clock.Overhead {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.estimator.Overhead(remaining)
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
