package search

// Margins of the search in centipawns. They are starting values from the ranges that
// strong open engines publish, to be tuned by matches.
const (
	// rfpMargin per ply of depth that reverse futility demands above beta.
	rfpMargin = 75
	// razorBase and razorMargin (per depth squared) below alpha send a node to quiescence.
	razorBase, razorMargin = 250, 120
	// probMargin above beta is what a capture must promise to ProbCut.
	probMargin = 190
	// futilityBase and futilityMargin (per ply of reduced depth) bound what a quiet move gains.
	futilityBase, futilityMargin = 90, 85
	// deltaMargin is what a capture in quiescence may gain beside the piece.
	deltaMargin = 150
)
