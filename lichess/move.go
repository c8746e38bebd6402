package lichess

import (
	"context"
	"net/http/httptrace"
	"net/url"
	"strconv"
	"sync/atomic"
	"time"
)

// DefaultMoveTimeout is how long an attempt to send a move waits for its answer when the
// request does not say. The server usually answers within its own round trip; it may also
// never answer and have played the move.
const DefaultMoveTimeout = 3 * time.Second

// MoveRequest is a move to be sent.
type MoveRequest struct {
	GameID string
	// UCI is the move; castling of Chess960 as king takes rook.
	UCI string
	// OfferDraw makes or accepts a draw offer just before the move.
	OfferDraw bool
	// Timeout bounds one attempt; 0 is DefaultMoveTimeout. Give less when the clock is low.
	Timeout time.Duration
	// Hedge sends the move beside an attempt that has not been answered, by the connection
	// that is kept for that: those in use may be dead.
	Hedge bool
	// OnWritten, when given, is told when the request had been written to a connection. It
	// is called from the connection's writer, before or beside the answer, and again when a
	// kept connection turns out to be closed and the request is written to another one.
	OnWritten func(time.Time)
}

// MoveTimes tells when a move went out, for measuring what it cost.
type MoveTimes struct {
	// Written is when the request had been written to its connection; zero when it never
	// was. Answered is when its answer had come; zero when it did not.
	Written, Answered time.Time
}

// SendMove makes one attempt to send a move. It waits neither for the token bucket nor for a
// pause: whether there is time for that only the caller knows, who also sees in the game's
// stream whether a move whose answer was lost has been played. The attempt after one without
// an answer has a fresh connection. A success says that the server has handled the move,
// which is "played" unless the game ended before it.
func (c *Client) SendMove(ctx context.Context, m MoveRequest) (MoveTimes, error) {
	k := gameCall(KindMove, "move "+m.UCI+" in", m.GameID, "move/"+escape(m.UCI))
	k.timeout = m.Timeout
	if k.timeout <= 0 {
		k.timeout = DefaultMoveTimeout
	}
	k.hedge = m.Hedge
	c.spare.prepare()
	if m.OfferDraw {
		k.query = url.Values{"offeringDraw": {strconv.FormatBool(true)}}
	}
	var written atomic.Pointer[time.Time] // set by the connection's writer
	traced := httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{WroteRequest: func(i httptrace.WroteRequestInfo) {
		if now := time.Now(); i.Err == nil {
			written.Store(&now)
			if m.OnWritten != nil {
				m.OnWritten(now)
			}
		}
	}})
	err := c.do(traced, k, nil)
	var times MoveTimes
	if at := written.Load(); at != nil {
		times.Written = *at
	}
	switch {
	case err == nil || StatusOf(err) != 0:
		times.Answered = time.Now()
		if m.Hedge {
			c.moves.CloseIdleConnections() // the one without an answer may not be the only dead one
		}
	case ctx.Err() == nil:
		// The other kept connections may be as dead as this one.
		c.moves.CloseIdleConnections()
		c.spare.discard()
	}
	return times, err
}

// PrepareMove sees to it that a connection is at hand when the next move is to be sent. It
// returns at once.
func (c *Client) PrepareMove() { c.spare.prepare() }
