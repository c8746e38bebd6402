package kpk

import "zeitnot/engine/position"

// verdict is what is known about a position while the bitbase is being made.
type verdict uint8

const (
	illegal verdict = iota
	open            // neither a win nor a draw so far
	win             // for White, who has the pawn
	draw
)

// Generate makes the bitbase: positions decided at once first, then backwards from those
// until nothing changes. What is never decided is drawn.
func Generate() []byte {
	verdicts := make([]verdict, size)
	each(func(stm position.Color, white, black, pawn position.Square) {
		verdicts[index(stm, white, black, pawn)] = atOnce(stm, white, black, pawn)
	})
	for changed := true; changed; {
		changed = false
		each(func(stm position.Color, white, black, pawn position.Square) {
			i := index(stm, white, black, pawn)
			if verdicts[i] != open {
				return
			}
			if stm == position.White {
				verdicts[i] = whiteToMove(verdicts, white, black, pawn)
			} else {
				verdicts[i] = blackToMove(verdicts, white, black, pawn)
			}
			changed = changed || verdicts[i] != open
		})
	}
	bits := make([]byte, size/8)
	for i, v := range verdicts {
		if v == win {
			bits[i>>3] |= 1 << (i & 7)
		}
	}
	return bits
}

// each visits all indexes.
func each(f func(stm position.Color, white, black, pawn position.Square)) {
	for rank := 1; rank <= 6; rank++ {
		for file := range 4 {
			for white := position.Square(0); white < 64; white++ {
				for black := position.Square(0); black < 64; black++ {
					pawn := position.SquareAt(file, rank)
					f(position.White, white, black, pawn)
					f(position.Black, white, black, pawn)
				}
			}
		}
	}
}

// atOnce decides what needs no look ahead: the promotion that stands, the pawn that falls,
// stalemate.
func atOnce(stm position.Color, white, black, pawn position.Square) verdict {
	attacked := position.PawnAttacks(position.White, pawn)
	guarded := position.KingAttacks(white)
	reach := position.KingAttacks(black)
	if white == black || white == pawn || black == pawn || guarded.Has(black) {
		return illegal
	}
	if stm == position.White {
		if attacked.Has(black) {
			return illegal
		}
		// A queen or, should that stalemate, a rook wins unless it is taken at once.
		to := pawn + 8
		if pawn.Rank() == 6 && to != white && to != black && (!reach.Has(to) || guarded.Has(to)) {
			return win
		}
		return open
	}
	if reach.Has(pawn) && !guarded.Has(pawn) {
		return draw
	}
	if reach&^(guarded|attacked) == 0 && !attacked.Has(black) {
		return draw
	}
	return open
}

// whiteToMove is a win if one move wins, a draw if all draw.
func whiteToMove(v []verdict, white, black, pawn position.Square) verdict {
	undecided := false
	look := func(white, pawn position.Square) bool {
		switch v[index(position.Black, white, black, pawn)] {
		case win:
			return true
		case open:
			undecided = true
		}
		return false
	}
	for to := position.KingAttacks(white); to != 0; {
		if look(to.PopFirst(), pawn) {
			return win
		}
	}
	if ahead := pawn + 8; pawn.Rank() < 6 && ahead != white && ahead != black {
		if look(white, ahead) {
			return win
		}
		if twice := ahead + 8; pawn.Rank() == 1 && twice != white && twice != black && look(white, twice) {
			return win
		}
	}
	if undecided {
		return open
	}
	return draw
}

// blackToMove is a draw if one move draws, a win for White if all lose.
func blackToMove(v []verdict, white, black, pawn position.Square) verdict {
	undecided := false
	for to := position.KingAttacks(black); to != 0; {
		switch v[index(position.White, white, to.PopFirst(), pawn)] {
		case draw:
			return draw
		case open:
			undecided = true
		}
	}
	if undecided {
		return open
	}
	return win
}
