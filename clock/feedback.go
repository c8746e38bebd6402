package clock

// Report is what a search knows of its own progress after a finished depth. Its fields
// are those of the engine's feedback, so that one converts into the other.
type Report struct {
	Depth int
	// Score in centipawns for the side to move; from 29000 in size on it is a mate.
	Score int
	// BestStableFor is the number of finished depths for which the best move has not changed.
	BestStableFor int
	FailLows      int
	LegalMoves    int
	// PrevMoveScore is the score at the end of the previous move; nil when there is none.
	PrevMoveScore        *int
	BestMoveNodes, Nodes uint64
	// ClearBy is by how many centipawns, at the least, a verification search found the best
	// move ahead of all others; 0 when none was made, or when it found nothing of note.
	ClearBy int
}

// Progress is the latest report of a search together with what came before it.
type Progress struct {
	Report
	// Scores are those of the finished depths of this move in their order, this one last.
	Scores []int
}

// Scaler is a Policy that lets a running search stretch or cut its soft limit.
type Scaler interface {
	Policy
	// Scale is the factor on the move's original soft limit; the hard limit stays.
	Scale(Progress) float64
}

// Follow returns the function that watches one move's search for the policy: it is given
// each report in turn and returns the factor on the soft limit. It is nil when the policy
// does not scale. Every move needs a new one.
func Follow(p Policy) func(Report) float64 {
	if c, ok := p.(Capped); ok {
		p = c.Policy // a cap does not change what a policy makes of reports
	}
	s, ok := p.(Scaler)
	if !ok {
		return nil
	}
	var scores []int
	return func(r Report) float64 {
		scores = append(scores, r.Score)
		return s.Scale(Progress{Report: r, Scores: scores})
	}
}

// mateScore is beyond every evaluation and every win by tables, and below every mate.
const mateScore = 29_000

func isMate(score int) bool { return score >= mateScore || score <= -mateScore }
