package measure

// The game in which there is nothing to think about: Black's king goes to and fro between
// h8 and g8 and never has another legal move, whatever White does with king and pawns.
const forcedStart = "7k/R7/8/8/8/8/6PP/1K3R2 w - - 0 1"

// kingWalk are squares of White's king, each next to the one before, the last next to the
// first: away from the rank and the file that keep Black's king in.
var kingWalk = [...]string{
	"b1", "b2", "b3", "b4", "b5", "b6", "c6", "d6", "e6", "e5", "d5", "c5",
	"c4", "d4", "e4", "e3", "d3", "c3", "c2", "d2", "e2", "e1", "d1", "c1",
}

// forcedLine are White's moves: twice round the king's walk, then a pawn move, which starts
// all counts of repetitions and quiet moves again. A game of it ends by the server's limit
// of plies, so it is resigned before. No position comes up three times.
func forcedLine() []string {
	pawns := []string{"g2g3", "g3g4", "g4g5", "h2h3", "h3h4", "h4h5"}
	var line []string
	at := 0
	for _, pawn := range pawns {
		line = append(line, pawn)
		for range 2*len(kingWalk) - 1 {
			next := (at + 1) % len(kingWalk)
			line = append(line, kingWalk[at]+kingWalk[next])
			at = next
		}
	}
	return line[:forcedMoves]
}

// forcedMoves is how many moves of each side such a game has: fewer than the server allows.
const forcedMoves = 280
