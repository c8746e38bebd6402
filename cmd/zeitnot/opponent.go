package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"zeitnot/clock"
	"zeitnot/config"
	"zeitnot/engine"
	"zeitnot/engine/instant"
	"zeitnot/engine/mcts"
	"zeitnot/engine/position"
	"zeitnot/engine/search"
	"zeitnot/lichess/sandbox"
)

// strength is one that the sandbox's own players come in.
type strength struct {
	name string
	// title is of the account, rating what it starts with: a guess, for the display.
	title  string
	rating int
	// nodes (rollouts, for mcts) bound a search; 0 is as much as the clock gives.
	nodes int
	// searcher makes another player than the embedded search; nil is that.
	searcher func(seed uint64) engine.Searcher
}

// levels lists them from the weakest to the strongest.
func levels() []strength {
	return []strength{
		{name: "random", rating: 400, searcher: func(seed uint64) engine.Searcher { return instant.Random{Seed: seed} }},
		{name: "greedy", rating: 800, searcher: func(seed uint64) engine.Searcher { return instant.Greedy{Seed: seed} }},
		{name: "mater", rating: 1000, searcher: func(seed uint64) engine.Searcher { return instant.Mater{Seed: seed} }},
		{name: "aggressive", rating: 1000, searcher: func(seed uint64) engine.Searcher { return instant.Aggressive{Seed: seed} }},
		{name: "mcts", title: "BOT", rating: 1250, nodes: 1000, searcher: func(seed uint64) engine.Searcher {
			return mcts.New(mcts.Options{HashMB: opponentHashMB, Seed: seed})
		}},
		{name: "novice", rating: 1400, nodes: 200},
		{name: "club", title: "BOT", rating: 1800, nodes: 2_000},
		{name: "expert", title: "BOT", rating: 2200, nodes: 20_000},
		{name: "engine", title: "BOT", rating: 2500},
	}
}

func levelNames() string {
	var names []string
	for _, l := range levels() {
		names = append(names, l.name)
	}
	return strings.Join(names, ", ")
}

func levelByName(name string) (strength, error) {
	for _, l := range levels() {
		if l.name == name {
			return l, nil
		}
	}
	return strength{}, fmt.Errorf("opponent %q: want one of %s", name, levelNames())
}

// botControl reads a time control that bots can play: Lichess lets nobody challenge a bot
// to ultraBullet, and clocks beyond the limits of its forms do not exist.
func botControl(text string) (config.TimeControl, error) {
	tc, err := config.ParseTimeControl(text)
	if err != nil {
		return tc, err
	}
	const typicalMoves = 40 // in the estimate by which speeds are told apart
	switch {
	case tc.Initial+typicalMoves*tc.Increment < 30*time.Second:
		return tc, fmt.Errorf("time control %q: that is ultraBullet, which bots cannot play", text)
	case tc.Initial > 3*time.Hour || tc.Increment > 3*time.Minute:
		return tc, fmt.Errorf("time control %q: want at most 180+180", text)
	}
	return tc, nil
}

// opponentHashMB is enough for what a sparring partner searches.
const opponentHashMB = 4

// player makes the level's player for one game. A positive cap is the longest that a move
// may take.
func (l strength) player(cap time.Duration) func(sandbox.GameInfo) sandbox.Opponent {
	return func(info sandbox.GameInfo) sandbox.Opponent {
		p := &enginePlayer{level: l, cap: cap}
		if l.searcher != nil {
			p.searcher = l.searcher(info.Seed)
		} else {
			p.searcher = search.New(search.Options{HashMB: opponentHashMB})
		}
		return p
	}
}

// enginePlayer lets a searcher play one side of one game of the sandbox.
type enginePlayer struct {
	level    strength
	searcher engine.Searcher
	cap      time.Duration
	// score is what the last search said, for our side.
	score engine.Score
}

// minDrawPly is the ply from which on a draw is taken at all.
const minDrawPly = 60

// Act implements sandbox.Opponent.
func (p *enginePlayer) Act(ctx context.Context, v sandbox.View) (sandbox.Action, error) {
	var a sandbox.Action
	if v.Over {
		return a, nil
	}
	if v.TheirTake {
		a.Takeback = sandbox.No
	}
	if v.TheirDraw {
		a.Draw = sandbox.No
		if len(v.Moves) >= minDrawPly && p.score <= 0 {
			a.Draw = sandbox.Yes
			return a, nil
		}
	}
	if !v.MyTurn {
		return a, nil
	}
	g, err := position.ParseGame(v.InitialFEN, v.Variant == sandbox.Chess960, v.Moves)
	if err != nil {
		return a, fmt.Errorf("game %s: %w", v.GameID, err)
	}
	r, err := p.searcher.Search(ctx, g, p.limits(v, g.Len()/2), nil)
	if err != nil {
		return a, fmt.Errorf("game %s: %w", v.GameID, err)
	}
	p.score = r.Score
	a.Move = g.Position().UCI(r.Best, g.Position().Chess960())
	return a, nil
}

// limits keep a search within its level and within the clock, which no sparring partner
// is meant to lose on.
func (p *enginePlayer) limits(v sandbox.View, moves int) engine.Limits {
	var l engine.Limits
	if p.level.nodes > 0 {
		l.Nodes = &p.level.nodes
	}
	think := p.cap
	if v.Control.Clock {
		b := clock.Capped{Policy: clock.SoftHard{}, Guard: clock.DefaultGuard}.Budget(clock.State{
			Remaining: v.Mine, Increment: v.Control.Increment, Base: v.Control.Limit, MoveNumber: moves,
		})
		if think == 0 || b.Soft < think {
			think = b.Soft
		}
	}
	if think > 0 || v.Control.Clock {
		l.Soft, l.Hard = &think, &think
	}
	return l
}
