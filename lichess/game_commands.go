package lichess

import (
	"context"
	"net/http"
	"net/url"
)

// gameCall is a command to a game.
func gameCall(kind Kind, op, gameID, command string) call {
	k := post(kind, op+" "+gameID, "/api/bot/game/"+escape(gameID)+"/"+command)
	k.game = gameID
	return k
}

// Abort ends a game before both sides have moved, without a result.
func (c *Client) Abort(ctx context.Context, gameID string) error {
	return c.do(ctx, gameCall(KindGame, "abort", gameID, "abort"), nil)
}

// Resign resigns; before both sides have moved it aborts.
func (c *Client) Resign(ctx context.Context, gameID string) error {
	return c.do(ctx, gameCall(KindGame, "resign", gameID, "resign"), nil)
}

// ClaimVictory claims the win over an opponent who has been gone long enough.
func (c *Client) ClaimVictory(ctx context.Context, gameID string) error {
	return c.do(ctx, gameCall(KindGame, "claim victory in", gameID, "claim-victory"), nil)
}

// ClaimDraw claims a draw against an opponent who has been gone long enough.
func (c *Client) ClaimDraw(ctx context.Context, gameID string) error {
	return c.do(ctx, gameCall(KindGame, "claim draw in", gameID, "claim-draw"), nil)
}

// Draw offers or accepts a draw with yes, declines an offer with no. When nothing can be
// done the server answers success and does nothing.
func (c *Client) Draw(ctx context.Context, gameID string, yes bool) error {
	return c.do(ctx, gameCall(KindAnswer, "draw "+yesNo(yes)+" in", gameID, "draw/"+yesNo(yes)), nil)
}

// Takeback proposes or accepts a takeback with yes, declines a proposal with no.
func (c *Client) Takeback(ctx context.Context, gameID string, yes bool) error {
	return c.do(ctx, gameCall(KindAnswer, "takeback "+yesNo(yes)+" in", gameID, "takeback/"+yesNo(yes)), nil)
}

func yesNo(yes bool) string {
	if yes {
		return "yes"
	}
	return "no"
}

// MaxChat is the longest chat line the server takes, in characters.
const MaxChat = 140

// Chat writes into a room of the game's chat, at most MaxChat characters. A line with a link
// is dropped by the server without a word.
func (c *Client) Chat(ctx context.Context, gameID string, room Room, text string) error {
	k := gameCall(KindChat, "chat in", gameID, "chat")
	k.form = url.Values{"room": {string(room)}, "text": {text}}
	return c.do(ctx, k, nil)
}

// ReadChat reads what was said in the players' room.
func (c *Client) ReadChat(ctx context.Context, gameID string) ([]ChatMessage, error) {
	k := gameCall(KindLookup, "read chat of", gameID, "chat")
	k.method = http.MethodGet
	var messages []ChatMessage
	err := c.do(ctx, k, &messages)
	return messages, err
}

// ExportPGN gets a game as PGN, with clocks and without engine evaluations.
func (c *Client) ExportPGN(ctx context.Context, gameID string) (string, error) {
	k := get(KindLookup, "export "+gameID, "/game/export/"+escape(gameID))
	k.accept = "application/x-chess-pgn"
	k.query = url.Values{"evals": {"false"}, "clocks": {"true"}}
	body, err := c.fetch(ctx, k)
	return string(body), err
}
