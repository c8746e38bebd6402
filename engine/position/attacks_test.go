package position_test

import (
	"math/rand/v2"
	"testing"

	"zeitnot/engine/position"
)

// All blockers that matter, for every square: the tables hold what a walk along the rays finds.
func TestSliderTablesEqualAWalkAlongTheRays(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for s := range position.NoSquare {
		for _, rook := range []bool{true, false} {
			relevant := position.WalkRays(s, 0, rook)
			for occ := position.Bitboard(0); ; {
				noise := position.Bitboard(rng.Uint64()) &^ relevant
				got := position.BishopAttacks(s, occ|noise)
				if rook {
					got = position.RookAttacks(s, occ|noise)
				}
				if want := position.WalkRays(s, occ, rook); got != want {
					t.Fatalf("attacks from %v (rook %v) with %#x occupied: got %#x, want %#x", s, rook, occ|noise, got, want)
				}
				if occ = (occ - relevant) & relevant; occ == 0 {
					break
				}
			}
		}
	}
}

func TestBetweenAndLine(t *testing.T) {
	for _, c := range []struct {
		a, b          string
		between, line int
	}{
		{"a1", "h8", 6, 8},
		{"a1", "a2", 0, 8},
		{"b1", "c2", 0, 7},
		{"h1", "a8", 6, 8},
		{"e4", "e8", 3, 8},
		{"a1", "b3", 0, 0},
		{"d4", "d4", 0, 0},
	} {
		a, b := square(c.a), square(c.b)
		for _, pair := range [][2]position.Square{{a, b}, {b, a}} {
			between, line := position.Between(pair[0], pair[1]), position.Line(pair[0], pair[1])
			if between.Count() != c.between || line.Count() != c.line {
				t.Errorf("%v to %v: got %d between and %d on the line, want %d and %d",
					pair[0], pair[1], between.Count(), line.Count(), c.between, c.line)
			}
			if line != 0 && (!line.Has(a) || !line.Has(b) || between.Has(a) || between.Has(b) || between&^line != 0) {
				t.Errorf("%v to %v: ends or squares between are misplaced", pair[0], pair[1])
			}
		}
	}
}

func TestLeaperAttacks(t *testing.T) {
	for _, c := range []struct {
		what string
		got  position.Bitboard
		want []string
	}{
		{"knight in the corner", position.KnightAttacks(square("h1")), []string{"f2", "g3"}},
		{"king at the edge", position.KingAttacks(square("a4")), []string{"a3", "a5", "b3", "b4", "b5"}},
		{"white pawn at the edge", position.PawnAttacks(position.White, square("a2")), []string{"b3"}},
		{"black pawn", position.PawnAttacks(position.Black, square("e4")), []string{"d3", "f3"}},
	} {
		var want position.Bitboard
		for _, s := range c.want {
			want |= square(s).Bit()
		}
		if c.got != want {
			t.Errorf("%s: got %#x, want %#x", c.what, c.got, want)
		}
	}
}

func square(s string) position.Square {
	return position.SquareAt(int(s[0]-'a'), int(s[1]-'1'))
}

func TestDistanceIsTheNumberOfKingMoves(t *testing.T) {
	for from := range position.NoSquare {
		reached := from.Bit()
		for moves := 0; moves < 8; moves++ {
			for to := range position.NoSquare {
				if got := from.Distance(to); reached.Has(to) != (got <= moves) {
					t.Fatalf("from %v to %v: got %d; a king is there after %d moves: %v", from, to, got, moves, reached.Has(to))
				}
			}
			for b := reached; b != 0; {
				reached |= position.KingAttacks(b.PopFirst())
			}
		}
	}
}
