package uci

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"zeitnot/engine"
	"zeitnot/engine/position"
)

// Clocks are what both clocks show, for an engine that budgets by itself.
type Clocks struct {
	White, Black                   time.Duration
	WhiteIncrement, BlackIncrement time.Duration
	MovesToGo                      int // 0: the time is for the rest of the game
}

// ObeysStop says that the engine was seen to answer a stop at once. From then on it is given
// what is left of Hard, where the limits have a Scale, and told to stop when the soft limit is
// used up, as its own reports stretch and cut that.
func (c *Client) ObeysStop() { c.obeysStop = true }

// paced tells whether the client and not the engine minds the soft limit of l.
func (c *Client) paced(l engine.Limits) bool {
	return c.obeysStop && l.Scale != nil && l.Soft != nil && l.Hard != nil && !l.Held()
}

// Search lets the engine think within l: what is left of Soft, else of Hard, is sent as
// movetime (see ObeysStop); depth, nodes, mate and searchmoves as they are. When ctx ends, the
// engine is told to stop and its answer is the result.
func (c *Client) Search(ctx context.Context, g position.Game, l engine.Limits, onInfo func(engine.Info)) (engine.Result, error) {
	return c.SearchClock(ctx, g, nil, l, onInfo)
}

// SearchClock is Search with clocks; Soft and Hard of l are then not sent. If the answer is
// at fault the result still holds the first move of the last line that the engine showed
// (NoMove without one), for a caller who needs any move.
func (c *Client) SearchClock(ctx context.Context, g position.Game, clocks *Clocks, l engine.Limits, onInfo func(engine.Info)) (engine.Result, error) {
	if err := c.drain(context.WithoutCancel(ctx)); err != nil {
		return engine.Result{}, err
	}
	if err := c.prepare(g, l); err != nil {
		return engine.Result{}, err
	}
	return c.think(ctx, g, c.goCommand(g, clocks, l), newPace(g, l, clocks == nil && c.paced(l)), nil, onInfo)
}

// think sends the position and the go, and waits for the bestmove. When the pace says so or
// ctx ends the engine is told to stop. ponder is the hit of a ponder search, nil for any other.
func (c *Client) think(ctx context.Context, g position.Game, command string, pace *pace, ponder *pondering, onInfo func(engine.Info)) (engine.Result, error) {
	limit := time.NewTimer(pace.left())
	defer limit.Stop()
	lines, leave := c.listen()
	defer leave()
	if err := c.send(c.positionCommand(g)); err != nil {
		return engine.Result{}, err
	}
	c.mu.Lock()
	c.open = true
	c.mu.Unlock()
	if err := c.send(command); err != nil {
		return engine.Result{}, err
	}
	var hit <-chan struct{}
	if ponder != nil {
		hit = ponder.hit
	}
	result := engine.Result{Source: c.Name}
	done, stopped := ctx.Done(), false
	for {
		words, what := c.wait(lines, limit.C, done, hit)
		switch {
		case what == gotLine && words[0] == "info":
			info, ok := c.noteInfo(words[1:], g.Position(), &result, onInfo)
			if !ok || stopped {
				continue
			}
			pace.note(info)
			limit.Reset(pace.left())
		case what == gotLine && words[0] == "bestmove":
			return c.answer(words[1:], g.Position(), result)
		case what == gotLine:
		case what == outputEnded:
			return result, c.fault(Died, "during a search", c.endErr)
		case what == wasHit:
			hit = nil
			if stopped {
				continue
			}
			if err := c.send("ponderhit"); err != nil {
				return result, err
			}
			pace.hit(ponder.limits)
			limit.Reset(pace.left())
		case stopped && !c.isOpen():
			limit.Reset(c.patience.Stop) // it came in time; who was not run for a while has not read it yet
		case stopped:
			return result, c.fault(NoBestMove, fmt.Sprintf("not within %v of stop", c.patience.Stop), nil)
		default: // cancelled, or past the limit
			stopped, done = true, nil
			if err := c.send("stop"); err != nil {
				return result, err
			}
			limit.Reset(c.patience.Stop)
		}
	}
}

// prepare tells the engine what kind of chess and how many lines come.
func (c *Client) prepare(g position.Game, l engine.Limits) error {
	if on := g.Initial().Chess960(); on != c.chess960 {
		if err := c.SetOption("UCI_Chess960", strconv.FormatBool(on)); err != nil {
			return fmt.Errorf("a Chess960 game: %w", err)
		}
		c.chess960 = on
	}
	if lines := max(1, l.MultiPV); lines != c.multiPV {
		if err := c.SetOption("MultiPV", strconv.Itoa(lines)); err != nil {
			return err
		}
		c.multiPV = lines
	}
	return nil
}

func (c *Client) positionCommand(g position.Game) string {
	var b strings.Builder
	if fen := g.Initial().FEN(); fen == position.StartFEN {
		b.WriteString("position startpos")
	} else {
		b.WriteString("position fen " + fen)
	}
	if g.Len() > 0 {
		b.WriteString(" moves")
		for _, m := range g.Moves() {
			b.WriteString(" " + g.Initial().UCI(m, c.chess960))
		}
	}
	return b.String()
}

// goCommand writes the limits. Times are at least 1 ms: engines take 0 and less for "no
// limit" or never move.
func (c *Client) goCommand(g position.Game, clocks *Clocks, l engine.Limits) string {
	var b strings.Builder
	b.WriteString("go")
	number := func(name string, n int64) { fmt.Fprintf(&b, " %s %d", name, n) }
	bounded := false
	if l.Ponder {
		b.WriteString(" ponder")
	}
	switch {
	case l.Ponder:
		number("movetime", longestPonder.Milliseconds())
		bounded = true
	case clocks != nil:
		number("wtime", max(1, clocks.White.Milliseconds()))
		number("btime", max(1, clocks.Black.Milliseconds()))
		number("winc", max(0, clocks.WhiteIncrement.Milliseconds()))
		number("binc", max(0, clocks.BlackIncrement.Milliseconds()))
		if clocks.MovesToGo > 0 {
			number("movestogo", int64(clocks.MovesToGo))
		}
		bounded = true
	case l.Soft != nil || l.Hard != nil:
		budget := l.Soft
		if budget == nil || l.Hard != nil && (*l.Hard < *budget || c.paced(l)) {
			budget = l.Hard
		}
		number("movetime", max(1, (*budget-sinceArrival(l)).Milliseconds()))
		bounded = true
	}
	for _, n := range []struct {
		name  string
		value *int
	}{{"depth", l.Depth}, {"nodes", l.Nodes}, {"mate", l.Mate}} {
		if n.value != nil {
			number(n.name, int64(max(1, *n.value)))
			bounded = true
		}
	}
	if l.Infinite || !bounded {
		b.WriteString(" infinite")
	}
	if len(l.SearchMoves) > 0 {
		b.WriteString(" searchmoves")
		for _, m := range l.SearchMoves {
			b.WriteString(" " + g.Position().UCI(m, c.chess960))
		}
	}
	return b.String()
}

// sinceArrival is how much of Soft and Hard is gone before the engine hears of the search;
// 0 if the limits do not tell when the state arrived.
func sinceArrival(l engine.Limits) time.Duration {
	if l.Deadline == nil || l.Hard == nil {
		return 0
	}
	return max(0, engine.Now()-(*l.Deadline-*l.Hard))
}

// noteInfo keeps what the result needs and passes the report on.
func (c *Client) noteInfo(words []string, p *position.Position, result *engine.Result, onInfo func(engine.Info)) (engine.Info, bool) {
	info, ok := parseInfo(words, p)
	if !ok {
		return info, false
	}
	if info.MultiPV <= 1 && info.Bound == engine.BoundExact {
		result.Score, result.Depth = info.Score, info.Depth
		if len(info.PV) > 0 {
			result.Best = info.PV[0]
		}
	}
	result.Nodes = max(result.Nodes, info.Nodes)
	if onInfo != nil {
		onInfo(info)
	}
	return info, true
}

// answer reads the words after bestmove. Moves may be in capitals and castling in either
// notation; a bad ponder move is only left out.
func (c *Client) answer(words []string, p *position.Position, result engine.Result) (engine.Result, error) {
	move := ""
	if len(words) > 0 {
		move = strings.ToLower(words[0])
	}
	switch move {
	case "", "0000", "(none)", "none", "null", "(null)":
		if !p.HasLegalMove() {
			result.Best = position.NoMove
			return result, nil
		}
		return result, c.fault(NullMove, "bestmove "+strings.Join(words, " ")+" at "+p.FEN(), nil)
	}
	m, err := p.ParseUCI(move)
	if err != nil {
		return result, c.fault(IllegalMove, "bestmove "+strings.Join(words, " ")+" at "+p.FEN(), err)
	}
	result.Best = m
	if len(words) > 2 && strings.EqualFold(words[1], "ponder") {
		var next position.Position
		p.Make(m, &next)
		if reply, err := next.ParseUCI(strings.ToLower(words[2])); err == nil {
			result.Ponder = reply
		}
	}
	return result, nil
}
