package bot_test

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"zeitnot/bot"
	"zeitnot/lichess"
)

// Replies and events of our challenges that come in any order, late or never, and opponents who
// accept when it is too late: whatever happens, no challenge goes out before the server has said
// that the one before is over, everybody who asks is told, and nothing is left behind.
func TestProposalsStayInOrderWhateverTheServerDoes(t *testing.T) {
	seeds := uint64(40)
	if testing.Short() {
		seeds = 10
	}
	for seed := range seeds {
		inVirtualTime(t, func(_ *stub, o *bot.Options) { o.Concurrency = 1 + int(seed%2) }, func(r *rig) {
			w := &disorder{rig: r, rng: rand.New(rand.NewPCG(seed, 0xd150)), over: map[string]bool{}}
			r.on("create", w.create)
			r.on("cancel", w.cancel)
			for n := range 60 {
				stay := w.upTo(2 * time.Minute) // drawn before the server draws, so that a seed is a seed
				if w.chance(0.7) {
					stay = 2 * time.Minute
				}
				asked := propose(r.daemon, fmt.Sprintf("user%d", n))
				r.after(stay)
				asked.leave()
				r.after(time.Second)
				if end := asked.told(); stay == 2*time.Minute && end.Outcome == "" {
					t.Errorf("seed %d: nothing was told for 2 minutes", seed)
				}
			}
			r.on("cancel", nil)
			r.after(5 * time.Minute) // games and withdrawals end
			r.want(fmt.Sprintf("seed %d, slots", seed), r.slotsUsed(), 0)
			w.mu.Lock()
			defer w.mu.Unlock()
			if len(w.over) < 20 {
				t.Errorf("seed %d: %d challenges were made, want more", seed, len(w.over))
			}
			for id, over := range w.over {
				if !over {
					t.Errorf("seed %d: %s still stands", seed, id)
				}
			}
		})
	}
}

// disorder is what the stub's server does with our challenges.
type disorder struct {
	*rig
	mu   sync.Mutex // guards what follows
	rng  *rand.Rand
	over map[string]bool // by id: the server has said that it is over
}

func (w *disorder) chance(p float64) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.rng.Float64() < p
}

func (w *disorder) upTo(d time.Duration) time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	return time.Duration(w.rng.Int64N(int64(d)))
}

func (w *disorder) isOver(id string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.over[id] = true
}

// create makes a challenge or does not, and replies or does not.
func (w *disorder) create(text string, n int) error {
	id, user := fmt.Sprintf("o%d", n+1), text[len("create "):]
	w.mu.Lock()
	for other, over := range w.over {
		if !over {
			w.t.Errorf("%s went out while %s stood", id, other)
		}
	}
	w.mu.Unlock()
	if w.chance(0.1) {
		return status(400, 0)
	}
	w.mu.Lock()
	w.over[id] = false
	w.mu.Unlock()
	challenge := ownChallenge(id, user)
	lost, shown := w.chance(0.2), w.chance(0.8)
	if lost || shown {
		w.later(w.upTo(4*time.Second), func() { w.send(challenged(challenge)) })
	}
	switch {
	case w.chance(0.3):
		w.later(4*time.Second+w.upTo(45*time.Second), func() { w.begin(id) })
	case w.chance(0.3):
		w.later(4*time.Second+w.upTo(20*time.Second), func() {
			w.isOver(id)
			w.send(lichess.Event{Type: lichess.EventChallengeDeclined, Challenge: challenge})
		})
	}
	time.Sleep(w.upTo(6 * time.Second))
	if lost {
		return &lichess.Error{Op: "challenge " + user, Err: lichess.ErrTimeout}
	}
	return nil
}

// cancel withdraws a challenge, at times without a reply.
func (w *disorder) cancel(text string, _ int) error {
	time.Sleep(w.upTo(3 * time.Second))
	if w.chance(0.3) {
		return status(502, 0)
	}
	id := text[len("cancel "):]
	w.isOver(id)
	if w.chance(0.2) {
		return status(404, 0)
	}
	w.later(w.upTo(2*time.Second), func() {
		w.send(lichess.Event{Type: lichess.EventChallengeCanceled, Challenge: ownChallenge(id, "somebody")})
	})
	return nil
}

// begin starts the game of a challenge, which the opponent soon leaves.
func (w *disorder) begin(id string) {
	w.game(id, lichess.White, "")
	w.isOver(id)
	w.start(id)
	time.Sleep(20 * time.Second)
	w.end(id, lichess.StatusResign, lichess.White)
}

func (w *disorder) later(d time.Duration, f func()) {
	go func() {
		time.Sleep(d)
		f()
	}()
}
