package online

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"zeitnot/engine"
	"zeitnot/engine/position"
	"zeitnot/lichess"
)

const (
	// minShare and minScore leave out moves that few play or that do badly, as when the book
	// inside was made.
	minShare = 0.05
	minScore = 0.40
	// outOfBook is after how many of our positions in a row an opening is left for good.
	outOfBook = 3
	// maxGames is beyond all games ever played.
	maxGames = 1 << 40
)

// Explorer asks which moves were played, and draws one by what they scored, as from a book.
type Explorer struct {
	Client *lichess.Client
	Games  lichess.ExplorerGames
	Player string // for lichess.PlayerGames
	// MinGames leaves out moves that fewer games have.
	MinGames int
	// MaxMove is the last move of a game that is asked for.
	MaxMove int
}

// played is how a move did for the side that plays it.
type played struct{ wins, draws, losses int64 }

func (v played) games() int64 { return v.wins + v.draws + v.losses }

// weight is what the move scored: two for a win, one for a draw.
func (v played) weight() int64 { return 2*v.wins + v.draws }

func (Explorer) name() string { return "online explorer" }

func (Explorer) misses() int { return outOfBook }

func (e Explorer) fits(g position.Game) bool { return opening(g, e.MaxMove) }

// opening tells whether a game is in an opening of standard chess.
func opening(g position.Game, maxMove int) bool {
	p := g.Position()
	return p.FullmoveNumber() <= maxMove && !p.Chess960()
}

func (Explorer) key(p *position.Position) key { return key{zobrist: p.Key()} }

func (e Explorer) ask(ctx context.Context, p *position.Position) ([]candidate, error) {
	color := lichess.White
	if p.SideToMove() == position.Black {
		color = lichess.Black
	}
	a, err := e.Client.Explorer(ctx, lichess.ExplorerQuery{Games: e.Games, FEN: p.FEN(), Player: e.Player, Color: color})
	if err != nil {
		return nil, err
	}
	var known []candidate
	for _, m := range a.Moves {
		move, err := legal(p, m.UCI)
		if err != nil {
			return nil, err
		}
		if min(m.White, m.Draws, m.Black) < 0 || max(m.White, m.Draws, m.Black) > maxGames {
			return nil, fmt.Errorf("explorer: counts of games with move %s that cannot be", m.UCI)
		}
		v := played{m.White, m.Draws, m.Black}
		if color == lichess.Black {
			v = played{m.Black, m.Draws, m.White}
		}
		known = append(known, candidate{move: move, played: v})
	}
	return known, nil
}

// choose draws a move by its weight. None goes back to a position of the game.
func (e Explorer) choose(g position.Game, known []candidate) (engine.Advice, bool) {
	all := int64(0)
	for _, c := range known {
		all += c.games()
	}
	total := int64(0)
	good := slices.DeleteFunc(slices.Clone(known), func(c candidate) bool {
		n := float64(c.games())
		bad := c.games() < int64(max(e.MinGames, 1)) || n < minShare*float64(all) || float64(c.weight()) < minScore*2*n || repeats(g, c.move)
		if !bad {
			total += c.weight()
		}
		return bad
	})
	if total == 0 {
		return engine.Advice{}, false
	}
	n := rand.Int64N(total)
	for _, c := range good {
		if n -= c.weight(); n < 0 {
			return engine.Advice{Moves: []position.Move{c.move}, Final: true}, true
		}
	}
	panic("online: the weights do not sum up")
}
