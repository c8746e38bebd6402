package arena

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"zeitnot/engine"
	"zeitnot/engine/pgn"
	"zeitnot/engine/position"
	"zeitnot/engine/uci"
)

// Fault is how a player lost without being beaten.
type Fault string

// The faults. Anything else that an engine does wrong counts as Failed.
const (
	NoFault     Fault = ""
	TimeForfeit Fault = "time forfeit"
	IllegalMove Fault = "illegal move"
	Failed      Fault = "engine failed"
)

// playing is one game under way. What is kept for both players stands in the order White,
// Black.
type playing struct {
	match   *Match
	number  int
	fixture fixture
	players [2]int // indices of the match's players
	seats   [2]Contestant
	limits  [2]Limits
	left    [2]time.Duration // on the clocks
	latency [2]func() time.Duration
	last    [2]*Spent // on each player's last move
	effort  [2]Effort
	game    position.Game
	judge   judge
	record  pgn.Game
}

// newGame sets game n up; seats are in the order White, Black.
func (m *Match) newGame(n int, f fixture, seats [2]Contestant) *playing {
	g := &playing{
		match: m, number: n, fixture: f, players: [2]int{f.white, f.black}, seats: seats,
		game:  m.Openings[f.opening%len(m.Openings)].Game,
		judge: judge{rules: m.Adjudicate},
	}
	for side, player := range g.players {
		g.limits[side] = m.Players[player].Limits
		g.left[side] = g.limits[side].Base
		if m.Virtual != nil && m.Virtual.Latency != nil {
			g.latency[side] = m.Virtual.Latency(g.seed(side))
		}
	}
	g.record = pgn.NewGame(*g.game.Initial())
	for _, move := range g.game.Moves() {
		g.record.Moves = append(g.record.Moves, pgn.Ply{Move: move, Comment: "book"})
	}
	return g
}

// seed is that of the game for one side: the same for both games of a pair would make
// players that draw lots repeat themselves.
func (g *playing) seed(side int) uint64 {
	return g.match.Seed*0x9E3779B97F4A7C15 + uint64(g.number) + uint64(g.players[side])<<32
}

// name is that of the player on the side.
func (g *playing) name(side int) string { return g.match.Players[g.players[side]].Name }

// mover is the side whose turn it is.
func (g *playing) mover() int {
	if g.game.Position().SideToMove() == position.White {
		return 0
	}
	return 1
}

// play plays the game to its end; false if ctx ended first.
func (g *playing) play(ctx context.Context) (Record, bool) {
	for side, s := range g.seats {
		err := guarded(func() error { return s.NewGame(ctx, g.seed(side)) })
		if ctx.Err() != nil {
			return Record{}, false
		}
		if err != nil {
			return g.lost(side, Failed, err.Error()), true
		}
	}
	for {
		if result, reason := ended(&g.game); result != "" {
			return g.over(result, reason), true
		}
		if result, reason := g.judge.verdict(&g.game); result != "" {
			return g.over(result, reason), true
		}
		side := g.mover()
		result, spent, err := g.ask(ctx, side)
		if ctx.Err() != nil {
			return Record{}, false
		}
		if fault, reason := g.faultOf(side, result, spent, err); fault != NoFault {
			return g.lost(side, fault, reason), true
		}
		g.played(side, result, spent)
	}
}

// ask lets the player think about the position and measures what that takes.
func (g *playing) ask(ctx context.Context, side int) (result engine.Result, spent Spent, err error) {
	limits, virtual := g.limits[side], g.match.Virtual
	patience := g.match.MoveLimit
	turn := Turn{Game: g.game, Limits: limits, Last: g.last[side]}
	if limits.Base > 0 {
		if virtual == nil {
			patience = g.left[side] + limits.Margin + time.Second
		}
		turn.Remaining = g.left[side]
		turn.OpponentRemaining, turn.OpponentIncrement = turn.Remaining, limits.Increment
		if other := g.limits[1-side]; other.Base > 0 {
			turn.OpponentRemaining, turn.OpponentIncrement = g.left[1-side], other.Increment
		}
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	var took time.Duration
	err = guarded(func() (err error) {
		start := time.Now()
		if virtual == nil {
			turn.Arrival = engine.Instant(start)
		}
		result, err = g.seats[side].Move(ctx, turn)
		took = time.Since(start)
		return err
	})
	if virtual != nil {
		took = virtual.spent(result.Nodes)
	}
	spent = Spent{Own: took, Charged: took}
	if g.latency[side] != nil {
		spent.Charged += max(0, g.latency[side]())
	}
	return result, spent, err
}

// spent is how long so many nodes take.
func (v *VirtualTime) spent(nodes uint64) time.Duration {
	return time.Duration(nodes) * time.Millisecond / time.Duration(v.NodesPerMS)
}

// guarded turns a panic of an embedded searcher into an error: it loses the game, not the
// match.
func guarded(f func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("panic: %v", v)
		}
	}()
	return f()
}

// faultOf judges an answer.
func (g *playing) faultOf(side int, r engine.Result, spent Spent, err error) (Fault, string) {
	limits := g.limits[side]
	var fault *uci.Fault
	switch {
	case limits.Base > 0 && spent.Charged > g.left[side]+limits.Margin:
		return TimeForfeit, fmt.Sprintf("%v of %v used", spent.Charged.Round(time.Millisecond), g.left[side].Round(time.Millisecond))
	case errors.As(err, &fault) && (fault.Kind == uci.IllegalMove || fault.Kind == uci.NullMove):
		return IllegalMove, err.Error()
	case err != nil:
		return Failed, err.Error()
	case !g.game.Position().IsLegal(r.Best):
		return IllegalMove, fmt.Sprintf("move %d of %q is not legal", r.Best, g.game.Position().FEN())
	}
	return NoFault, ""
}

// played makes the move and notes it.
func (g *playing) played(side int, r engine.Result, spent Spent) {
	limits, effort := g.limits[side], &g.effort[side]
	ply := pgn.Ply{Move: r.Best}
	effort.Moves++
	effort.Nodes += r.Nodes
	if r.Depth > 0 {
		e := pgn.Eval{Score: r.Score, Depth: r.Depth}
		if side == 1 {
			e.Score = -e.Score
		}
		ply.Eval = &e
		effort.Depths += r.Depth
		effort.Searches++
	}
	if limits.Base > 0 {
		g.left[side] += limits.Increment - spent.Charged
		clock := g.left[side]
		ply.Clock = &clock
	}
	if limits.clocked() {
		elapsed := spent.Charged.Round(time.Millisecond)
		ply.Elapsed = &elapsed
		effort.Time += spent.Own
	}
	g.last[side] = &spent
	g.record.Moves = append(g.record.Moves, ply)
	g.judge.note(side, r)
	g.game = g.game.Play(r.Best)
}

// lost ends the game by a fault. Out of time is a draw if the opponent could never mate.
func (g *playing) lost(side int, fault Fault, detail string) Record {
	result, winner := pgn.BlackWins, position.Black
	if side == 1 {
		result, winner = pgn.WhiteWins, position.White
	}
	if fault == TimeForfeit && !g.game.Position().CanMate(winner) {
		result = pgn.Draw
	}
	if n := len(g.record.Moves); n > 0 {
		g.record.Moves[n-1].Comment = detail
	} else {
		g.record.Comment = detail
	}
	r := g.over(result, string(fault)+" by "+g.name(side))
	r.Fault, r.FaultBy = fault, g.players[side]
	return r
}

// over completes the record of the game.
func (g *playing) over(result, reason string) Record {
	m := g.match
	t := &g.record.Tags
	t.Set("Event", m.Event)
	if !m.Date.IsZero() {
		t.Set("Date", m.Date.Format("2006.01.02"))
	}
	t.Set("Round", g.round())
	t.Set("White", g.name(0))
	t.Set("Black", g.name(1))
	if g.limits[0] == g.limits[1] {
		t.Set("TimeControl", pgn.TimeControl(g.limits[0].Base, g.limits[0].Increment))
	}
	t.Set("WhiteLimits", g.limits[0].String())
	t.Set("BlackLimits", g.limits[1].String())
	if m.Virtual != nil {
		t.Set("NodesPerMS", strconv.Itoa(m.Virtual.NodesPerMS))
	}
	t.Set("PlyCount", strconv.Itoa(g.game.Len()))
	t.Set("Termination", reason)
	g.record.Result = result
	return Record{
		Number: g.number, White: g.players[0], Black: g.players[1], Result: result, Reason: reason,
		Plies: g.game.Len(), Effort: g.effort, PGN: g.record.String(),
	}
}

// round is the opening, the pairing if there are several, and the game of the pair, all
// from 1.
func (g *playing) round() string {
	game := 1
	if g.fixture.second {
		game = 2
	}
	if len(g.match.Players) == 2 {
		return fmt.Sprintf("%d.%d", g.fixture.opening+1, game)
	}
	return fmt.Sprintf("%d.%d.%d", g.fixture.opening+1, g.fixture.pairing+1, game)
}

// ended is the result that the rules give, "" while the game goes on.
func ended(g *position.Game) (result, reason string) {
	p := g.Position()
	switch {
	case !p.HasLegalMove() && p.InCheck() && p.SideToMove() == position.White:
		return pgn.BlackWins, "mate"
	case !p.HasLegalMove() && p.InCheck():
		return pgn.WhiteWins, "mate"
	case !p.HasLegalMove():
		return pgn.Draw, "stalemate"
	case p.InsufficientMaterial():
		return pgn.Draw, "insufficient material"
	case g.FiftyMoves():
		return pgn.Draw, "fifty moves"
	case g.Repetitions() >= 3:
		return pgn.Draw, "threefold repetition"
	}
	return "", ""
}
