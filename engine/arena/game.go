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

// playing is one game under way.
type playing struct {
	match  *Match
	number int
	seats  [2]Contestant // by player
	white  int           // the player with the white pieces
	game   position.Game
	left   [2]time.Duration // on the players' clocks
	judge  judge
	record pgn.Game
	faulty int // the player at fault; -1 for none
}

// newGame sets game n up: its opening, and who is White.
func (m *Match) newGame(n int, seats [2]Contestant) *playing {
	pair := (n - 1) / 2
	g := &playing{
		match: m, number: n, seats: seats, white: (n - 1) % 2, faulty: -1,
		game:  m.Openings[pair%len(m.Openings)].Game,
		judge: judge{rules: m.Adjudicate},
	}
	for i, p := range m.Players {
		g.left[i] = p.Limits.Base
	}
	g.record = pgn.NewGame(*g.game.Initial())
	for _, move := range g.game.Moves() {
		g.record.Moves = append(g.record.Moves, pgn.Ply{Move: move, Comment: "book"})
	}
	return g
}

// seed is that of the game: the same for both games of a pair would make players that draw lots
// repeat themselves.
func (g *playing) seed() uint64 {
	return g.match.Seed*0x9E3779B97F4A7C15 + uint64(g.number)
}

// mover is the player whose turn it is.
func (g *playing) mover() int {
	if g.game.Position().SideToMove() == position.White {
		return g.white
	}
	return 1 - g.white
}

// play plays the game to its end; false if ctx ended first.
func (g *playing) play(ctx context.Context) (Record, bool) {
	for i, s := range g.seats {
		err := guarded(func() error { return s.NewGame(ctx, g.seed()+uint64(i)<<32) })
		if ctx.Err() != nil {
			return Record{}, false
		}
		if err != nil {
			return g.lost(i, Failed, err.Error()), true
		}
	}
	for {
		if result, reason := ended(&g.game); result != "" {
			return g.over(result, reason), true
		}
		if result, reason := g.judge.verdict(&g.game); result != "" {
			return g.over(result, reason), true
		}
		player := g.mover()
		result, took, err := g.ask(ctx, player)
		if ctx.Err() != nil {
			return Record{}, false
		}
		if fault, reason := g.faultOf(player, result, took, err); fault != NoFault {
			return g.lost(player, fault, reason), true
		}
		g.played(player, result, took)
	}
}

// ask lets the player think about the position and measures how long that takes.
func (g *playing) ask(ctx context.Context, player int) (result engine.Result, took time.Duration, err error) {
	limits := g.match.Players[player].Limits
	patience := g.match.MoveLimit
	turn := Turn{Game: g.game, Limits: limits}
	if limits.Base > 0 {
		patience = g.left[player] + limits.Margin + time.Second
		turn.Remaining = g.left[player]
		turn.OpponentRemaining, turn.OpponentIncrement = turn.Remaining, limits.Increment
		if other := g.match.Players[1-player].Limits; other.Base > 0 {
			turn.OpponentRemaining, turn.OpponentIncrement = g.left[1-player], other.Increment
		}
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	err = guarded(func() (err error) {
		start := time.Now()
		turn.Arrival = engine.Instant(start)
		result, err = g.seats[player].Move(ctx, turn)
		took = time.Since(start)
		return err
	})
	return result, took, err
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
func (g *playing) faultOf(player int, r engine.Result, took time.Duration, err error) (Fault, string) {
	limits := g.match.Players[player].Limits
	var fault *uci.Fault
	switch {
	case limits.Base > 0 && took > g.left[player]+limits.Margin:
		return TimeForfeit, fmt.Sprintf("%v of %v used", took.Round(time.Millisecond), g.left[player].Round(time.Millisecond))
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
func (g *playing) played(player int, r engine.Result, took time.Duration) {
	limits := g.match.Players[player].Limits
	ply := pgn.Ply{Move: r.Best}
	white := g.game.Position().SideToMove() == position.White
	if r.Depth > 0 {
		e := pgn.Eval{Score: r.Score, Depth: r.Depth}
		if !white {
			e.Score = -e.Score
		}
		ply.Eval = &e
	}
	if limits.Base > 0 {
		g.left[player] += limits.Increment - took
		clock := g.left[player]
		ply.Clock = &clock
	}
	if limits.Timed() {
		elapsed := took.Round(time.Millisecond)
		ply.Elapsed = &elapsed
	}
	g.record.Moves = append(g.record.Moves, ply)
	g.judge.note(white, r)
	g.game = g.game.Play(r.Best)
}

// lost ends the game by a fault. Out of time is a draw if the opponent could never mate.
func (g *playing) lost(player int, fault Fault, detail string) Record {
	g.faulty = player
	result, winner := pgn.BlackWins, position.Black
	if player != g.white {
		result, winner = pgn.WhiteWins, position.White
	}
	if fault == TimeForfeit && !g.game.Position().CanMate(winner) {
		result = pgn.Draw
	}
	r := g.over(result, string(fault)+" by "+g.match.Players[player].Name)
	r.Fault, r.FaultBy = fault, player
	if n := len(r.Game.Moves); n > 0 {
		r.Game.Moves[n-1].Comment = detail
	} else {
		r.Game.Comment = detail
	}
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
	t.Set("Round", fmt.Sprintf("%d.%d", (g.number+1)/2, (g.number-1)%2+1))
	names := [2]string{m.Players[g.white].Name, m.Players[1-g.white].Name}
	t.Set("White", names[0])
	t.Set("Black", names[1])
	limits := [2]Limits{m.Players[g.white].Limits, m.Players[1-g.white].Limits}
	if limits[0] == limits[1] {
		t.Set("TimeControl", pgn.TimeControl(limits[0].Base, limits[0].Increment))
	}
	t.Set("WhiteLimits", limits[0].String())
	t.Set("BlackLimits", limits[1].String())
	t.Set("PlyCount", strconv.Itoa(g.game.Len()))
	t.Set("Termination", reason)
	g.record.Result = result
	return Record{Number: g.number, White: g.white, Result: result, Reason: reason, Plies: g.game.Len(), Game: g.record}
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
