package position_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"zeitnot/engine/position"
)

// parse is ParseFEN for positions that a test knows to be legal.
func parse(t testing.TB, fen string) position.Position {
	t.Helper()
	p, err := position.ParseFEN(fen)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// chess960Start is the initial position number n (0-959) in the usual numbering, which
// places bishops, queen and knights by division and fills up with rook, king, rook.
func chess960Start(n int) string {
	rank := []byte("........")
	place := func(piece byte, nth int) { // on the nth square still empty
		for i := range rank {
			if rank[i] == '.' {
				if nth == 0 {
					rank[i] = piece
					return
				}
				nth--
			}
		}
	}
	rank[1+n%4*2] = 'B'
	n /= 4
	rank[n%4*2] = 'B'
	n /= 4
	place('Q', n%6)
	n /= 6
	knights := [][2]int{{0, 1}, {0, 2}, {0, 3}, {0, 4}, {1, 2}, {1, 3}, {1, 4}, {2, 3}, {2, 4}, {3, 4}}[n]
	place('N', knights[1])
	place('N', knights[0])
	for _, piece := range []byte("RKR") {
		place(piece, 0)
	}
	white := string(rank)
	return strings.ToLower(white) + "/pppppppp/8/8/8/8/PPPPPPPP/" + white + " w KQkq - 0 1"
}

// roots are where drawn positions start from, beside the initial positions of Chess960:
// set-ups in which rare moves are near.
var roots = []string{
	position.StartFEN,
	kiwipete,
	"r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
	"8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
	"n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
	"4rrk1/pbbp2p1/1ppnp3/3n1pqp/3N1PQP/1PPNP3/PBBP2P1/4RRK1 w Ff - 0 1",
	"r1k1r2q/p1ppp1pp/8/8/8/8/P1PPP1PP/R1K1R2Q w KQkq - 0 1",
	"4k3/pppppppp/8/8/8/8/PPPPPPPP/4K3 w - - 0 1",
}

// drawPosition draws a position some legal moves away from a root.
func drawPosition(t *rapid.T) position.Position {
	var fen string
	if n := rapid.IntRange(0, len(roots)+959).Draw(t, "root"); n < len(roots) {
		fen = roots[n]
	} else {
		fen = chess960Start(n - len(roots))
	}
	p, err := position.ParseFEN(fen)
	if err != nil {
		t.Fatal(err)
	}
	for _, choice := range rapid.SliceOfN(rapid.Uint8(), 0, 120).Draw(t, "moves") {
		var l position.MoveList
		if p.Legal(&l); l.Len() == 0 {
			break
		}
		var next position.Position
		p.Make(l.At(int(choice)%l.Len()), &next)
		p = next
	}
	return p
}

// oddPositions are n legal positions with pieces thrown on the board at random: far from
// any game, full of pins and checks.
func oddPositions(t testing.TB, n int) []position.Position {
	t.Helper()
	rng := rand.New(rand.NewPCG(1, 2))
	var found []position.Position
	for len(found) < n {
		var board [64]byte
		place := func(piece byte) { board[rng.IntN(64)] = piece }
		for range 2 + rng.IntN(14) {
			place("PNBRQpnbrq"[rng.IntN(10)])
		}
		place('K')
		place('k')
		rights := []string{"-", "KQkq", "KQ", "kq", "K", "q"}[rng.IntN(6)]
		if rights != "-" {
			board[56+rng.IntN(8)], board[rng.IntN(8)] = 'K', 'k'
		}
		ep := "-"
		side := rng.IntN(2)
		if rng.IntN(2) == 0 { // a pawn that has just stepped two squares, with a neighbour
			file := rng.IntN(8)
			row, target := 3, 2
			pieces := "pP"
			if side == 1 {
				row, target, pieces = 4, 5, "Pp"
			}
			board[row*8+file] = pieces[0]
			board[row*8+max(file-1, 0)] = pieces[1]
			board[row*8+file] = pieces[0]
			ep = fmt.Sprintf("%c%c", 'a'+file, '8'-byte(target))
		}
		p, err := position.ParseFEN(boardText(board) + " " + "wb"[side:side+1] + " " + rights + " " + ep)
		if err == nil {
			found = append(found, p)
		}
	}
	return found
}

// boardText writes 64 FEN letters from a8 to h1, zero for an empty square.
func boardText(board [64]byte) string {
	var b strings.Builder
	for i, piece := range board {
		if i%8 == 0 && i > 0 {
			b.WriteByte('/')
		}
		if piece == 0 {
			piece = '1'
		}
		b.WriteByte(piece)
	}
	return b.String()
}
