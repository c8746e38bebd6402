package position

// MoveList holds the moves of one position without allocating. No legal position has
// more than 218 moves. The zero value is empty; a generator overwrites what was there.
type MoveList struct {
	moves [256]Move
	n     int
}

// Len is the number of moves.
func (l *MoveList) Len() int { return l.n }

// At is move number i from 0.
func (l *MoveList) At(i int) Move { return l.moves[i&255] }

// Slice is the list as a slice of its own memory: valid until the list is filled again.
func (l *MoveList) Slice() []Move { return l.moves[:l.n] }
