package uci

import (
	"math"
	"time"

	"zeitnot/engine"
	"zeitnot/engine/position"
)

// pace is when a search is told to stop: at the hard limit, and where Scale moves the soft
// limit by what the engine reports, at that. A soft limit without Scale is the engine's own
// business, except after a ponder hit.
type pace struct {
	limits engine.Limits
	from   time.Duration // where Soft counts from
	hard   time.Duration // the instant of the hard limit
	scaled bool
	factor float64
	// reached is what the engine has reported; best is the move of its last line.
	reached engine.Feedback
	best    position.Move
}

// never is later than any search.
const never = time.Duration(math.MaxInt64)

func newPace(g position.Game, l engine.Limits, scaled bool) *pace {
	var moves position.MoveList
	g.Position().Legal(&moves)
	now := engine.Now()
	p := &pace{from: now, hard: never}
	p.reached.LegalMoves = moves.Len()
	p.bound(l, now)
	if l.Deadline != nil && l.Hard != nil {
		p.from = min(now, *l.Deadline-*l.Hard)
	}
	p.scaled = scaled
	return p
}

// bound sets the limits.
func (p *pace) bound(l engine.Limits, now time.Duration) {
	p.limits, p.hard, p.factor = l, never, 1
	switch {
	case l.Deadline != nil:
		p.hard = *l.Deadline
	case l.Hard != nil:
		p.hard = now + *l.Hard
	}
}

// hit sets the limits of a ponder hit. Soft goes on counting from the start of the search,
// and the client minds it: the engine was told of no time.
func (p *pace) hit(l engine.Limits) {
	p.bound(l, engine.Now())
	p.scaled = l.Soft != nil
	p.scale()
}

// note takes a report. A depth counts as finished with the first line that has it; engines
// that show more lines of one depth have changed their mind when the move is another.
func (p *pace) note(i engine.Info) {
	r := &p.reached
	if i.MultiPV > 1 || len(i.PV) == 0 {
		return
	}
	switch {
	case i.Bound == engine.BoundUpper:
		r.FailLows++
	case i.Bound != engine.BoundExact:
	case i.Depth > r.Depth:
		r.BestStableFor++
		if i.PV[0] != p.best || r.Depth == 0 {
			r.BestStableFor = 0
		}
		p.best, r.Depth, r.Score = i.PV[0], i.Depth, int(i.Score)
		p.scale()
		r.FailLows = 0
	case i.PV[0] != p.best:
		p.best, r.BestStableFor = i.PV[0], 0
	}
}

// scale asks for the factor on Soft.
func (p *pace) scale() {
	if p.scaled && p.limits.Scale != nil && p.reached.Depth > 0 {
		p.factor = p.limits.Scale(p.reached)
	}
}

// left is how long until the stop, never without limits.
func (p *pace) left() time.Duration {
	stop := p.hard
	if p.scaled && p.limits.Soft != nil {
		stop = min(stop, p.from+time.Duration(float64(*p.limits.Soft)*p.factor))
	}
	if stop == never {
		return never
	}
	return max(0, stop-engine.Now())
}
