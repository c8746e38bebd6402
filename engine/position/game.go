package position

import "fmt"

// Game is an initial position and the moves played from it. It is an immutable value:
// Play gives a new game and leaves the old one as it was, so games may be shared freely.
type Game struct {
	initial Position
	current Position
	moves   []Move
	keys    []uint64 // keys[i] is the key after i moves; keys[0] that of the initial position
}

// NewGame is a game without moves.
func NewGame(start Position) Game {
	return Game{initial: start, current: start, keys: []uint64{start.key}}
}

// ParseGame reads an initial FEN ("" and "startpos" are the standard one) and the moves
// from it in coordinates, castling in either notation. chess960 sets the flag; without it
// the flag follows from the FEN.
func ParseGame(fen string, chess960 bool, moves []string) (Game, error) {
	if fen == "" || fen == "startpos" {
		fen = StartFEN
	}
	start, err := ParseFEN(fen)
	if err != nil {
		return Game{}, err
	}
	if chess960 {
		start = start.WithChess960(true)
	}
	g := NewGame(start)
	g.moves = make([]Move, 0, len(moves))
	for i, s := range moves {
		m, err := g.current.ParseUCI(s)
		if err != nil {
			return Game{}, fmt.Errorf("ply %d: %w", i+1, err)
		}
		g.play(m)
	}
	return g, nil
}

// play appends in place; only for a game that nobody else has seen yet.
func (g *Game) play(m Move) {
	before := g.current
	before.Make(m, &g.current)
	g.moves = append(g.moves, m)
	g.keys = append(g.keys, g.current.key)
}

// Play is the game with the legal move m added. It copies the history.
func (g Game) Play(m Move) Game {
	g.moves = append(make([]Move, 0, len(g.moves)+1), g.moves...)
	g.keys = append(make([]uint64, 0, len(g.keys)+1), g.keys...)
	g.play(m)
	return g
}

// PlayUCI is Play for a move in coordinates, as ParseUCI reads it.
func (g Game) PlayUCI(s string) (Game, error) {
	m, err := g.current.ParseUCI(s)
	if err != nil {
		return Game{}, fmt.Errorf("ply %d: %w", len(g.moves)+1, err)
	}
	return g.Play(m), nil
}

// Undo is the game without its last n moves, at most all of them.
func (g Game) Undo(n int) Game {
	keep := max(0, len(g.moves)-max(0, n))
	u := NewGame(g.initial)
	for _, m := range g.moves[:keep] {
		u.play(m)
	}
	return u
}

// Position is the current position. It must not be modified.
func (g *Game) Position() *Position { return &g.current }

// Initial is the position before the first move. It must not be modified.
func (g *Game) Initial() *Position { return &g.initial }

// Moves are the moves played. They must not be modified.
func (g Game) Moves() []Move { return g.moves }

// Len is the number of plies played.
func (g Game) Len() int { return len(g.moves) }

// OwnMoves is the number of moves that the side to move has made: those among the moves
// played; without any, what the initial position's move number says.
func (g *Game) OwnMoves() int {
	if g.Len() > 0 {
		return g.Len() / 2
	}
	return g.current.FullmoveNumber() - 1
}

// Keys are the zobrist keys of all positions: Keys()[i] after i moves. They must not be
// modified.
func (g Game) Keys() []uint64 { return g.keys }

// Repetitions is how often the current position has occurred so far, itself included: 3
// is a threefold repetition. Positions are the same when pieces, side, castling rights and legal en
// passant captures are.
func (g Game) Repetitions() int {
	n := 1
	last := len(g.keys) - 1
	first := max(0, last-int(g.current.halfmove))
	for i := last - 2; i >= first; i -= 2 {
		if g.keys[i] == g.keys[last] {
			n++
		}
	}
	return n
}

// FiftyMoves tells whether a hundred half-moves have passed without capture or pawn move
// and the last of them did not mate.
func (g Game) FiftyMoves() bool {
	return g.current.halfmove >= 100 && !(g.current.InCheck() && !g.current.HasLegalMove())
}
