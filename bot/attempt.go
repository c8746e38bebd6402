package bot

import (
	"cmp"
	"context"
	"errors"
	"time"

	"zeitnot/lichess"
)

// delivery is how the sending of a move stands.
type delivery struct {
	status   sendStatus
	attempts int
	// hedgedIn is the attempt that was hedged, 0 when none was. A move is hedged once.
	hedgedIn int
	// Of the running attempt: requests without an answer, and refusals.
	unanswered, refusals int
	abandon              []context.CancelFunc // of the requests
}

// sendStatus is where a pending move stands.
type sendStatus uint8

const (
	sending  sendStatus = iota // an attempt is under way
	waiting                    // for the next attempt
	accepted                   // the server said yes; the stream has not shown it
	refused                    // the server said no; the stream has not said why
)

const (
	// hedgeLeast is the shortest wait for an answer before the move is sent by another
	// connection, hedgeQ90s the wait in what a move usually costs.
	hedgeLeast = 300 * time.Millisecond
	hedgeQ90s  = 4
	// explainLeast, explainQ90s and explainMost are how long the stream may take to show what
	// became of a move that was answered; explainRepeated, when an earlier attempt had been
	// lost and the stream has had its time already.
	explainLeast    = 2 * time.Second
	explainQ90s     = 8
	explainMost     = 4 * time.Second
	explainRepeated = 500 * time.Millisecond
	// pauseAfter429 is the pause when a refusal for too many requests states none.
	pauseAfter429 = time.Minute
	// leastPause is the shortest wait after such a refusal, clock permitting.
	leastPause = 5 * time.Second
)

// settled ends the requests that a hedged move has left behind: one of them may hang. Those
// of other moves end by themselves and keep their connection.
func (d *delivery) settled() {
	if d.hedgedIn == 0 {
		return
	}
	for _, abandon := range d.abandon {
		abandon()
	}
}

// q90 is what nine of ten moves cost at most, for waits on the network.
func (g *game) q90() time.Duration { return g.way.overhead(0).Q90 }

// attempt sends the pending move once, beside the loop.
func (g *game) attempt() {
	p := g.pending
	if p == nil {
		return
	}
	g.retry.clear()
	g.check.clear()
	if p.attempts == 0 {
		p.sent = time.Now()
	}
	p.attempts++
	p.status, p.unanswered, p.refusals = sending, 0, 0
	g.send(p, false)
	if p.hedgedIn == 0 {
		g.hedge.set(max(hedgeLeast, hedgeQ90s*g.q90()))
	}
}

// late sends the move once more beside an attempt without an answer: the connection may be
// dead, and waiting for a timeout costs more than a refusal. It happens once to a move.
func (g *game) late() {
	p := g.pending
	if p == nil || p.status != sending || p.hedgedIn > 0 {
		return
	}
	p.hedgedIn = p.attempts
	g.log.Info().Str("move", p.uci).Int("attempt", p.attempts).Msg("no answer to a move, sending it by another connection")
	g.send(p, true)
}

// send makes one request.
func (g *game) send(p *pendingMove, hedge bool) {
	ctx, cancel := context.WithCancel(g.ctx)
	p.abandon = append(p.abandon, cancel)
	p.unanswered++
	n, timeout := p.attempts, g.attemptTimeout()
	g.spawn(func() {
		defer cancel()
		_, err := g.client.SendMove(ctx, lichess.MoveRequest{
			GameID: g.id, UCI: p.uci, OfferDraw: p.offer, Timeout: timeout, Hedge: hedge,
			OnWritten: func(at time.Time) {
				if p.written.CompareAndSwap(nil, &at) {
					if p.turn.parted != nil {
						p.turn.parted()
					}
					g.departed(p, at)
				}
			},
		})
		g.post(func() { g.answered(p, n, err) })
	})
}

// attemptTimeout is short where the clock is short, so that a hung request leaves time
// for the next one.
func (g *game) attemptTimeout() time.Duration {
	const shortest, longest = 500 * time.Millisecond, 4 * time.Second
	left, running := g.clockLeft()
	if !running {
		return longest
	}
	return min(longest, max(shortest, left/4))
}

// answered takes the answer to one request of the n-th attempt. An answer to a move that is
// no longer pending, or to an attempt that was given up, is history.
func (g *game) answered(p *pendingMove, n int, err error) {
	if g.pending != p || p.attempts != n {
		return
	}
	p.unanswered--
	hedged := p.hedgedIn == n
	var pause time.Duration
	switch {
	case err == nil:
		g.delivered(p, accepted)
		return
	case p.status == accepted && p.refusals == 0:
		return // the other request was the one that counted
	case lichess.IsRateLimited(err):
		p.paused = true
		pause = g.refusalPause(n, cmp.Or(lichess.RetryAfterOf(err), pauseAfter429))
	case lichess.IsAuth(err):
		p.paused = true
		pause = g.refusalPause(n, authPause)
	case lichess.StatusOf(err) >= 400 && lichess.StatusOf(err) < 500:
		g.log.Info().Err(err).Str("move", p.uci).Int("ply", p.plies).Msg("move refused")
		if p.refusals++; hedged && p.refusals == 1 {
			g.delivered(p, accepted) // not our turn: the other request has been handled
			return
		}
		g.delivered(p, refused)
		return
	case p.refusals > 0 || p.unanswered > 0 && errors.Is(err, lichess.ErrTimeout):
		return // the other request has said what there is to say, or still may
	default:
		pause = retryDelay(n)
	}
	g.log.Info().Err(err).Str("move", p.uci).Int("attempt", n).Dur("pause", pause).Msg("move not delivered, will be sent again")
	p.status = waiting
	g.hedge.clear()
	g.retry.set(pause)
}

// delivered notes that the server has handled the move; the stream has to show how.
func (g *game) delivered(p *pendingMove, s sendStatus) {
	p.status = s
	g.hedge.clear()
	g.retry.clear()
	wait := min(max(explainLeast, explainQ90s*g.q90()), explainMost)
	if s == refused && p.attempts > 1 {
		wait = explainRepeated
	}
	g.check.set(wait)
}

// retryDelay is the wait before the attempt after the n-th: 0.1, 0.2, 0.4 s and so on up
// to 5 s.
func retryDelay(n int) time.Duration {
	const first, longest = 100 * time.Millisecond, 5 * time.Second
	return min(longest, first<<min(n-1, 10))
}

// refusalPause is how long a move waits that was refused at its n-th attempt: what the
// server asks for, or, when our clock is shorter than that, as long as half of it but not
// less than leastPause, and not into the guard. It is never nothing: a server that refuses at
// once would be asked without end. Once the clock is gone there is no hurry any more.
func (g *game) refusalPause(n int, stated time.Duration) time.Duration {
	left, running := g.clockLeft()
	spare := max(0, left-g.way.overhead(left).Guard)
	if !running || left == 0 || stated < spare {
		return stated
	}
	return max(retryDelay(n), min(max(leastPause, spare/2), spare))
}
