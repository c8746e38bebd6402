package clock

// FeedbackElements are the parts of the adaptive feedback factor. Each can be switched
// off, so that matches can price it. That the best move keeps changing is none of them:
// beside these it was worth nothing in 4,000 games (docs/benchmarks.md).
type FeedbackElements struct {
	// Score: a score that falls, over depths and against the previous move, asks for time.
	Score bool
	// Nodes: so does a search that spends its nodes on other moves than the best one.
	Nodes bool
	// Forced: a single legal move is answered at once, a clearly only move soon.
	Forced bool
	// FailLows: a root move that turns out worse than expected asks for time.
	FailLows bool
}

// AllFeedback is every element switched on.
func AllFeedback() FeedbackElements {
	return FeedbackElements{Score: true, Nodes: true, Forced: true, FailLows: true}
}

// WithFeedback is the policy with these elements of feedback and no others. A policy whose
// feedback has no elements stays as it is.
func WithFeedback(p Policy, e FeedbackElements) Policy {
	switch p := p.(type) {
	case Capped:
		p.Policy = WithFeedback(p.Policy, e)
		return p
	case Adaptive:
		p.Feedback = e
		return p
	}
	return p
}

// The bounds of the adaptive feedback; starting values, to be priced by matches.
const (
	feedbackDepth  = 5 // shallower depths are over in a moment and say little
	minFeedback    = 0.35
	maxFeedback    = 2.5
	clearMargin    = 170 // an only move by so many centipawns saves time,
	clearestMargin = 400 // and no more of it beyond so many
)

// Scale implements Scaler.
func (a Adaptive) Scale(p Progress) float64 { return a.Feedback.Factor(p) }

// Factor is the factor on the move's original soft limit, 0 when the move is to be played
// at once. Nothing in it depends on the machine: the same reports give the same factor.
func (e FeedbackElements) Factor(p Progress) float64 {
	if e.Forced && p.LegalMoves == 1 {
		return 0
	}
	if p.Depth < feedbackDepth {
		return 1
	}
	f := 1.0
	if e.Score {
		f *= adaptiveScore(p)
	}
	if e.Nodes && p.Nodes > 0 {
		f *= nodeShare(float64(p.BestMoveNodes) / float64(p.Nodes))
	}
	if e.Forced {
		f *= onlyMove(p.ClearBy)
	}
	if e.FailLows {
		f *= failLows(p.FailLows)
	}
	return clamp(f, minFeedback, maxFeedback)
}

// adaptiveScore weighs a fall against the previous move and against three depths ago. A
// mate is no fall of so many centipawns: where one is seen, that part says nothing.
func adaptiveScore(p Progress) float64 {
	if isMate(p.Score) {
		return 1
	}
	f := 1.0
	if p.PrevMoveScore != nil && !isMate(*p.PrevMoveScore) {
		f += 0.01 * float64(*p.PrevMoveScore-p.Score)
	}
	if n := len(p.Scores); n > 3 && !isMate(p.Scores[n-4]) {
		f += 0.005 * float64(p.Scores[n-4]-p.Score)
	}
	return clamp(f, 0.75, 1.6)
}

// nodeShare is the factor for a search that spends this share of its nodes on the best move.
// Like the others it is 1 on average over the moves of a game, so that it moves time from
// one move to another and takes no more in all.
func nodeShare(share float64) float64 { return clamp(1.55-share, 0.4, 1.3) }

// onlyMove is the factor for a best move that is ahead of every other by so much.
func onlyMove(margin int) float64 {
	if margin < clearMargin {
		return 1
	}
	beyond := float64(min(margin, clearestMargin)-clearMargin) / (clearestMargin - clearMargin)
	return 0.6 - 0.2*beyond
}

// failLows is the factor for so many root moves that fell below their window. Most depths
// have none; what the others take is saved there.
func failLows(n int) float64 {
	f := 0.9
	for range min(max(n, 0), 3) {
		f *= 1.3
	}
	return min(f, 1.8)
}

func clamp(x, low, high float64) float64 { return min(max(x, low), high) }
