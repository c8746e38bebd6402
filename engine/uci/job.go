package uci

import (
	"context"
	"fmt"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"zeitnot/engine"
	"zeitnot/engine/position"
)

// job is something that runs beside the conversation: a search, a perft or a bench.
type job struct {
	cancel context.CancelFunc
	done   chan struct{} // closed by the job's goroutine as its last act
	// told is closed once the answer may be written: at the start, unless the search is
	// infinite or pondering; then by stop or ponderhit.
	told   chan struct{}
	tell   func()           // closes told, once
	ponder engine.Pondering // nil unless the search ponders
	params goParams         // of the search
	hit    bool             // ponderhit has come
}

// start runs f beside the conversation until it is through or stopped.
func (s *Server) start(ctx context.Context, j *job, f func(context.Context)) {
	ctx, j.cancel = context.WithCancel(ctx)
	j.done = make(chan struct{})
	j.told = make(chan struct{})
	j.tell = sync.OnceFunc(func() { close(j.told) })
	s.job = j
	go func() {
		defer close(j.done)
		defer j.cancel()
		f(ctx)
	}()
}

// stopJob ends what is running, if anything is, and waits until it has answered.
func (s *Server) stopJob() {
	if s.job == nil {
		return
	}
	s.job.tell()
	if s.job.ponder != nil {
		s.job.ponder.Stop() // does nothing once it has answered
	}
	s.job.cancel()
	<-s.job.done
	s.job = nil
}

// goCommand starts what `go` asks for; at is when it arrived.
func (s *Server) goCommand(ctx context.Context, args []string, at time.Duration) {
	params := parseGo(args, s.game.Position())
	for _, c := range params.complaints {
		s.infoString(c)
	}
	if params.perft != nil {
		s.startPerft(ctx, *params.perft)
		return
	}
	j := &job{params: params}
	search := &searching{
		engine: s.cfg.Engine, out: s.out, now: s.cfg.Now, started: at,
		game: s.game, limits: s.limits(&params, at), showWDL: s.showWDL,
	}
	search.kingTakesRook = castlesOntoRook(s.game.Position(), s.chess960)

	answer := func() (engine.Result, error) { return engine.Result{}, nil }
	switch {
	case !s.game.Position().HasLegalMove():
		search.reportEnd()
	case params.ponder:
		// The clock counts from the hit on, which brings its own limits.
		search.limits.Ponder, search.limits.Infinite = true, false
		search.limits.Soft, search.limits.Hard, search.limits.Deadline = nil, nil, nil
		// Ponder does not block; it is called here so that a stop or ponderhit finds it.
		var err error
		if j.ponder, err = search.ponder(ctx); err == nil {
			answer = j.ponder.Result
		} else {
			answer = func() (engine.Result, error) { return engine.Result{}, err }
		}
	default:
		answer = nil
	}
	s.start(ctx, j, func(ctx context.Context) {
		if answer == nil {
			answer = func() (engine.Result, error) {
				return search.engine.Search(ctx, search.game, search.limits, search.report)
			}
		}
		best := search.checked(answer)
		select {
		case <-j.told:
		case <-ctx.Done():
		}
		search.out.lines(best)
	})
	if !params.ponder && !params.endless() {
		j.tell()
	}
}

// ponderHit turns the pondering search into a normal one.
func (s *Server) ponderHit(at time.Duration) {
	j := s.job
	if j == nil || !j.params.ponder || j.hit {
		s.infoString("ponderhit without a pondering search is ignored")
		return
	}
	j.hit = true
	l := s.limits(&j.params, at)
	if j.ponder != nil {
		j.ponder.Hit(l)
	}
	if !l.Infinite {
		j.tell()
	}
}

// searching is one search and how it is reported.
type searching struct {
	engine        Engine
	out           *lineWriter
	now           func() time.Duration
	started       time.Duration
	game          position.Game
	limits        engine.Limits
	kingTakesRook bool
	showWDL       bool
}

// ponder starts a pondering search.
func (s *searching) ponder(ctx context.Context) (p engine.Pondering, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v", r)
		}
	}()
	return s.engine.Ponder(ctx, s.game, s.limits, s.report), nil
}

// checked waits for the answer and is the bestmove line. Whatever goes wrong inside the
// engine, a panic included, the line holds a legal move if there is one: in a game any
// move is better than none.
func (s *searching) checked(answer func() (engine.Result, error)) string {
	result, err := recovered(answer)
	p := s.game.Position()
	if !p.HasLegalMove() {
		return "bestmove 0000"
	}
	switch {
	case err != nil:
		s.out.lines("info string the search went wrong, any move is played: " + printable(err.Error()))
	case result.Best == position.NoMove || !p.IsLegal(result.Best):
		err = fmt.Errorf("no legal move")
		s.out.lines("info string the search gave no legal move, any move is played")
	}
	if err != nil {
		return "bestmove " + p.UCI(s.anyMove(), s.kingTakesRook)
	}
	best := "bestmove " + p.UCI(result.Best, s.kingTakesRook)
	var next position.Position
	p.Make(result.Best, &next)
	if result.Ponder != position.NoMove && next.IsLegal(result.Ponder) {
		best += " ponder " + next.UCI(result.Ponder, s.kingTakesRook)
	}
	return best
}

// recovered turns a panic of the engine into an error.
func recovered(answer func() (engine.Result, error)) (r engine.Result, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("panic: %v at %s", v, strings.ReplaceAll(string(debug.Stack()), "\n", " "))
		}
	}()
	return answer()
}

// anyMove is the first move that may be played.
func (s *searching) anyMove() position.Move {
	if len(s.limits.SearchMoves) > 0 {
		return s.limits.SearchMoves[0]
	}
	var l position.MoveList
	s.game.Position().Legal(&l)
	return l.At(0)
}

// reportEnd says why there is no move.
func (s *searching) reportEnd() {
	if s.game.Position().InCheck() {
		s.out.lines("info depth 0 score "+s.scoreText(engine.MatedIn(0)), "info string no legal move: checkmate")
		return
	}
	s.out.lines("info depth 0 score "+s.scoreText(0), "info string no legal move: stalemate")
}
