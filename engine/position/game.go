package position

// Game is an initial position and the moves played from it. It is an immutable value:
// Play gives a new game and leaves the old one as it was, so games may be shared freely.
type Game struct {
	initial Position
	current Position
	moves   []Move
	keys    []uint64 // keys[i] is the key after i moves; keys[0] that of the initial position
}
