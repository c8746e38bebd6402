package lichess

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// EventLine is what the event stream brings: an event, or with a nil Event a sign of life (the
// stream is open, or a blank line came).
type EventLine struct {
	// Arrived is when the last byte of the line was read, with a monotonic part.
	Arrived time.Time
	Event   *Event
}

// StreamEvents opens the event stream and calls handle with each line, on the calling
// goroutine, until the stream ends: io.EOF for a clean end, the context's error when that
// ended it, an *Error for everything else (ErrSilent inside it when no byte came for too
// long). Events of unknown types and unreadable lines are skipped. There is one stream per
// token: opening another ends this one cleanly.
//
// At connect the server repeats running games and open challenges; some of many may be lost.
func (c *Client) StreamEvents(ctx context.Context, handle func(EventLine)) error {
	k := get(KindEventStream, "event stream", "/api/stream/event")
	if c.eventOpens != nil {
		if err := c.eventOpens.wait(ctx, 0, 0); err != nil {
			return err
		}
	}
	return c.stream(ctx, k, c.eventSilence, func(line []byte, arrived time.Time) {
		if len(line) == 0 {
			handle(EventLine{Arrived: arrived})
			return
		}
		event, err := ParseEvent(line)
		if errors.Is(err, errUnknownType) {
			c.log.Debug().Str("op", k.op).Err(err).Msg("line ignored")
			return
		}
		if err != nil {
			c.badLine(k.op, line, err)
			return
		}
		handle(EventLine{Arrived: arrived, Event: event})
	})
}

// errUnknownType marks a line that is sound but of a type that we do not know.
var errUnknownType = errors.New("unknown type")

// ParseEvent reads a line of the event stream. A type that is unknown or missing is an
// error; so is an event without the id of its game or challenge. Other fields may be missing or odd.
func ParseEvent(line []byte) (*Event, error) {
	var e Event
	if err := tolerate(json.Unmarshal(line, &e)); err != nil {
		return nil, err
	}
	switch e.Type {
	case EventGameStart, EventGameFinish:
		if e.Game == nil || !e.Game.settleID() {
			return nil, fmt.Errorf("%s without a game id", e.Type)
		}
	case EventChallenge, EventChallengeCanceled, EventChallengeDeclined:
		if e.Challenge == nil || e.Challenge.ID == "" {
			return nil, fmt.Errorf("%s without a challenge id", e.Type)
		}
	default:
		return nil, fmt.Errorf("%w %q", errUnknownType, oneLine(string(e.Type)))
	}
	return &e, nil
}

// settleID fills GameID from whichever id is there; false when there is none.
func (g *GameInfo) settleID() bool {
	switch {
	case g.GameID != "":
	case g.ID != "":
		g.GameID = g.ID
	default:
		g.GameID = gameOfFullID(g.FullID)
	}
	return g.GameID != ""
}

// gameOfFullID is the id of the game in the id of a player's seat, its first eight letters
// and digits; "" when it has none.
func gameOfFullID(full string) string {
	const size = 8
	if len(full) < size {
		return ""
	}
	for _, c := range []byte(full[:size]) {
		if (c < '0' || c > '9') && (c|0x20 < 'a' || c|0x20 > 'z') {
			return ""
		}
	}
	return full[:size]
}
