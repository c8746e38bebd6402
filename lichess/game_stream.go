package lichess

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// GameLine is what a game stream brings: one of the four messages, or with all of them nil a
// sign of life (the stream is open, or a blank line came).
type GameLine struct {
	// Arrived is when the last byte of the line was read, before anything was parsed, with a
	// monotonic part. Time budgets count from here.
	Arrived time.Time
	Full    *GameFull
	State   *GameState
	Chat    *ChatLine
	Gone    *OpponentGone
}

// Alive reports whether the line is only a sign of life.
func (l GameLine) Alive() bool {
	return l.Full == nil && l.State == nil && l.Chat == nil && l.Gone == nil
}

// StreamGame opens the stream of a game and calls handle with each line, on the calling
// goroutine, until the stream ends, in the ways of StreamEvents. A clean end without a final
// state before it is a lost connection, not the end of the game.
func (c *Client) StreamGame(ctx context.Context, gameID string, handle func(GameLine)) error {
	k := get(KindGameStream, "game stream "+gameID, "/api/bot/game/stream/"+escape(gameID))
	k.game = gameID
	return c.stream(ctx, k, c.gameSilence, func(line []byte, arrived time.Time) {
		message, err := ParseGameLine(line)
		if errors.Is(err, errUnknownType) {
			c.log.Debug().Str("op", k.op).Err(err).Msg("line ignored")
			return
		}
		if err != nil {
			c.badLine(k.op, line, err)
			return
		}
		message.Arrived = arrived
		handle(message)
	})
}

// ParseGameLine reads a line of a game stream, without its time of arrival. An empty line is
// a sign of life. A type that is unknown or missing is an error; so is a message without
// what a game cannot do without.
func ParseGameLine(line []byte) (GameLine, error) {
	var l GameLine
	if len(line) == 0 {
		return l, nil
	}
	kind, err := lineType(line)
	if err != nil {
		return l, err
	}
	switch kind {
	case LineGameFull:
		l.Full = new(GameFull)
		err = l.Full.UnmarshalJSON(line)
	case LineGameState:
		l.State = new(GameState)
		err = l.State.UnmarshalJSON(line)
	case LineChatLine:
		l.Chat = new(ChatLine)
		err = tolerate(json.Unmarshal(line, l.Chat))
	case LineOpponentGone:
		l.Gone = new(OpponentGone)
		err = l.Gone.UnmarshalJSON(line)
	default:
		err = fmt.Errorf("%w %q", errUnknownType, oneLine(string(kind)))
	}
	if err != nil {
		return GameLine{}, err
	}
	return l, nil
}

// lineType is the type of a line. That of a state, for which a clock may be running, is told
// by how it begins.
func lineType(line []byte) (LineType, error) {
	if bytes.HasPrefix(line, []byte(`{"type":"gameState",`)) {
		return LineGameState, nil
	}
	var head struct {
		Type LineType `json:"type"`
	}
	err := tolerate(json.Unmarshal(line, &head))
	return head.Type, err
}
