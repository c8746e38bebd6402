package online

import (
	"context"
	"errors"
	"strings"

	"zeitnot/engine"
	"zeitnot/engine/position"
	"zeitnot/lichess"
)

// Cloud asks for the best move of a stored analysis.
type Cloud struct {
	Client *lichess.Client
	// MinDepth is the least depth of an analysis that counts.
	MinDepth int
	// MaxMove is the last move of a game that is asked for.
	MaxMove int
}

func (Cloud) name() string { return "online cloud" }

func (Cloud) misses() int { return outOfBook }

func (c Cloud) fits(g position.Game) bool { return opening(g, c.MaxMove) }

func (Cloud) key(p *position.Position) key { return key{zobrist: p.Key()} }

func (c Cloud) ask(ctx context.Context, p *position.Position) ([]candidate, error) {
	a, err := c.Client.CloudEval(ctx, p.FEN())
	if err != nil || a.Depth < c.MinDepth {
		return nil, err
	}
	if len(a.PVs) == 0 {
		return nil, errors.New("cloud evaluation without a line")
	}
	pv := a.PVs[0]
	first, _, _ := strings.Cut(strings.TrimSpace(pv.Moves), " ")
	move, err := legal(p, first)
	if err != nil {
		return nil, err
	}
	return []candidate{{move: move, score: score(pv, p.SideToMove())}}, nil
}

// score is the evaluation of a line, which is seen from White, for a side.
func score(pv lichess.CloudPV, us position.Color) engine.Score {
	sign := 1
	if us == position.Black {
		sign = -1
	}
	switch {
	case pv.Mate != nil:
		const most = engine.MaxPly / 2
		n := sign * max(-most, min(most, *pv.Mate))
		if n > 0 {
			return engine.MateIn(2*n - 1)
		}
		return engine.MatedIn(-2 * n)
	case pv.Centipawns != nil:
		const most = int(engine.TableWin)
		return engine.Score(sign * max(-most, min(most, *pv.Centipawns)))
	}
	return 0
}

// choose plays the move unless it goes back to a position of the game.
func (Cloud) choose(g position.Game, known []candidate) (engine.Advice, bool) {
	if repeats(g, known[0].move) {
		return engine.Advice{}, false
	}
	return engine.Advice{Moves: []position.Move{known[0].move}, Final: true, Score: known[0].score}, true
}
