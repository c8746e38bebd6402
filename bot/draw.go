package bot

import "zeitnot/engine"

// DrawRule says when a game is a draw to us: after each of the last Moves own moves the
// score was within Score centipawns of zero. The zero value never offers or accepts.
type DrawRule struct {
	Offer, Accept bool
	// Score in centipawns, inclusive.
	Score int
	// Moves is the number of consecutive own moves; 0 counts as 1.
	Moves int
	// MinMove is the move number of the game before which there are no draws.
	MinMove int
	// MaxPieces is the number of men on the board, kings included, above which there are
	// no draws; 0 is no limit.
	MaxPieces int
}

// ResignRule says when a game is lost to us. The zero value never resigns.
type ResignRule struct {
	Enabled bool
	// Score in centipawns, as a positive number: resign at -Score or worse, or when mated
	// by force.
	Score int
	// Moves is the number of consecutive own moves; 0 counts as 1.
	Moves int
}

// TakebackRule says how many takebacks an opponent is granted in one game.
type TakebackRule struct {
	// Casual is the number granted in a casual game; 0 is never. None in a rated game.
	Casual int
}

// drawOfferGap is the number of plies between two own draw offers, the server's own
// limit.
const drawOfferGap = 20

// scoreBook remembers what our own searches said, move by move. Only searches count:
// moves from a book or a table neither add nor end a row, and a move made because a
// search failed ends every row, since nothing is known of that position.
type scoreBook struct {
	quiet int // consecutive own searches within the draw rule's score
	lost  int // consecutive own searches at or beyond the resign rule's score
	last  engine.Score
	known bool // last is the score of our last move
}

// searched notes the score of one more own move.
func (b *scoreBook) searched(s engine.Score, d DrawRule, r ResignRule) {
	b.last, b.known = s, true
	if !s.IsMate() && int(s) <= d.Score && int(s) >= -d.Score {
		b.quiet++
	} else {
		b.quiet = 0
	}
	if (s.IsMate() && s < 0) || (!s.IsMate() && int(s) <= -r.Score) {
		b.lost++
	} else {
		b.lost = 0
	}
}

// failed notes a move that no search stands behind.
func (b *scoreBook) failed() { *b = scoreBook{} }

// drawn tells whether the rule calls the game a draw now: moveNumber is the game's, men
// the number on the board.
func (d DrawRule) drawn(b *scoreBook, moveNumber, men int) bool {
	return b.quiet >= max(1, d.Moves) && moveNumber >= d.MinMove &&
		(d.MaxPieces == 0 || men <= d.MaxPieces)
}

// hopeless tells whether the rule gives the game up now.
func (r ResignRule) hopeless(b *scoreBook) bool {
	return r.Enabled && b.lost >= max(1, r.Moves)
}
