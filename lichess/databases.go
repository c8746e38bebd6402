package lichess

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
)

// The servers beside the main one; each wants a client of its own.
const (
	DefaultTablebaseURL = "https://tablebase.lichess.org"
	DefaultExplorerURL  = "https://explorer.lichess.org"
)

// Category is the value of a position in the tablebase, for the side to move.
type Category string

// The categories, from the best to the worst. CategoryUnknown is none of them.
const (
	CategoryWin         Category = "win"
	CategorySyzygyWin   Category = "syzygy-win" // or drawn by the fifty-move rule, by a move or so
	CategoryMaybeWin    Category = "maybe-win"  // unless the fifty-move rule comes first
	CategoryCursedWin   Category = "cursed-win" // drawn by the fifty-move rule
	CategoryDraw        Category = "draw"
	CategoryBlessedLoss Category = "blessed-loss"
	CategoryMaybeLoss   Category = "maybe-loss"
	CategorySyzygyLoss  Category = "syzygy-loss"
	CategoryLoss        Category = "loss"
	CategoryUnknown     Category = "unknown"
)

// TablebaseAnswer is what the tablebase has for a position.
type TablebaseAnswer struct {
	Category Category `json:"category"`
	// DTZ is in half-moves, with the sign of the category; nil if it is not known.
	DTZ   *int            `json:"dtz"`
	Moves []TablebaseMove `json:"moves"` // all legal ones, best first
}

// TablebaseMove is a move and the position behind it, seen from the other side.
type TablebaseMove struct {
	UCI      string   `json:"uci"`
	Category Category `json:"category"`
	DTZ      *int     `json:"dtz"`
	Zeroing  bool     `json:"zeroing"`
	// Checkmate is given by the move.
	Checkmate bool `json:"checkmate"`
}

// Tablebase asks the tablebase about a position of standard chess. No token is sent.
func (c *Client) Tablebase(ctx context.Context, fen string) (*TablebaseAnswer, error) {
	k := get(KindDatabase, "tablebase", "/standard")
	k.query, k.noAuth = url.Values{"fen": {fen}}, true
	var a TablebaseAnswer
	if err := c.do(ctx, k, &a); err != nil {
		return nil, err
	}
	if a.Category == "" {
		return nil, &Error{Op: k.op, Status: http.StatusOK, Err: errors.New("answer without a category")}
	}
	return &a, nil
}

// ExplorerGames names the games that the explorer counts.
type ExplorerGames string

// The kinds of games.
const (
	MasterGames  ExplorerGames = "masters"
	LichessGames ExplorerGames = "lichess"
	PlayerGames  ExplorerGames = "player"
)

// ExplorerQuery asks for the moves played in a position of standard chess.
type ExplorerQuery struct {
	Games ExplorerGames
	FEN   string
	// Player and Color, white or black, are whose games count, for PlayerGames only.
	Player string
	Color  Color
}

// ExplorerAnswer is how often moves were played, and how the games ended.
type ExplorerAnswer struct {
	White int64          `json:"white"`
	Draws int64          `json:"draws"`
	Black int64          `json:"black"`
	Moves []ExplorerMove `json:"moves"`
}

// ExplorerMove is one of the moves; White, Draws and Black count the games with it by their
// results.
type ExplorerMove struct {
	UCI   string `json:"uci"`
	White int64  `json:"white"`
	Draws int64  `json:"draws"`
	Black int64  `json:"black"`
}

// Explorer asks the opening explorer, which wants a token: any, without a scope. Of a player's
// games it tells what it knows at once; more may be indexed meanwhile.
func (c *Client) Explorer(ctx context.Context, q ExplorerQuery) (*ExplorerAnswer, error) {
	k := get(KindDatabase, "explorer "+string(q.Games), "/"+escape(string(q.Games)))
	k.query = url.Values{"fen": {q.FEN}, "moves": {"12"}}
	switch q.Games {
	case PlayerGames:
		k.query.Set("player", q.Player)
		k.query.Set("color", string(q.Color))
		k.query.Set("recentGames", "0")
		k.accept, k.firstLine = acceptLines, true
	case LichessGames:
		k.query.Set("recentGames", "0")
		fallthrough
	default:
		k.query.Set("topGames", "0")
	}
	var a ExplorerAnswer
	if err := c.do(ctx, k, &a); err != nil {
		return nil, err
	}
	return &a, nil
}

// CloudAnswer is a stored evaluation.
type CloudAnswer struct {
	Depth int       `json:"depth"`
	PVs   []CloudPV `json:"pvs"` // best first
}

// CloudPV is one line; of Centipawns and Mate, both seen from White, one is given.
type CloudPV struct {
	Moves      string `json:"moves"` // by blanks, castling as king takes rook
	Centipawns *int   `json:"cp"`
	Mate       *int   `json:"mate"`
}

// CloudEval asks for the stored evaluation of a position of standard chess; an error for which
// IsNotFound says so when there is none. No token is sent.
func (c *Client) CloudEval(ctx context.Context, fen string) (*CloudAnswer, error) {
	k := get(KindDatabase, "cloud evaluation", "/api/cloud-eval")
	k.query, k.noAuth = url.Values{"fen": {fen}, "multiPv": {"1"}}, true
	var a CloudAnswer
	if err := c.do(ctx, k, &a); err != nil {
		return nil, err
	}
	return &a, nil
}

// firstLine reads up to the first line that is not blank.
func firstLine(r io.Reader) ([]byte, error) {
	lines := bufio.NewReader(r)
	for {
		line, err := lines.ReadBytes('\n')
		if text := bytes.TrimSpace(line); len(text) > 0 && (err == nil || errors.Is(err, io.EOF)) {
			return text, nil
		}
		if err != nil {
			return nil, err
		}
	}
}
