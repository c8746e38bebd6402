package eval

import "zeitnot/engine/position"

// pawnEntries is the number of entries of the pawn cache, a power of two.
const pawnEntries = 1 << 13

// pawnEntry is all that depends on the pawns, and for the king's shelter on the king's
// square, which is checked for each side.
type pawnEntry struct {
	key    uint64
	used   bool
	score  pair
	passed [2]position.Bitboard
	// span are the squares that the pawns of a side attack now or may attack further on.
	span    [2]position.Bitboard
	kings   [2]position.Square
	shelter [2]pair
}

// wingKeys tell apart entries of the same pawns with the kings on different wings, by the
// half of the white and of the black king.
var wingKeys = [2][2]uint64{{0, 0x9e3779b97f4a7c15}, {0xc2b2ae3d27d4eb4f, 0x165667b19e3779f9}}

// pawnsOf gives the cached entry of the position's pawns.
func (e *Evaluator) pawnsOf(in *info) *pawnEntry {
	p := in.p
	key := p.PawnKey() ^ wingKeys[in.flip[position.White]&1][in.flip[position.Black]&1]
	pe := &e.pawns[key&uint64(len(e.pawns)-1)]
	if pe.key != key || !pe.used {
		*pe = pawnEntry{key: key, used: true, kings: [2]position.Square{position.NoSquare, position.NoSquare}}
		white, black := e.pawnStructure(in, pe, position.White), e.pawnStructure(in, pe, position.Black)
		pe.score = white - black
	}
	for c := position.White; c <= position.Black; c++ {
		if k := p.KingSquare(c); pe.kings[c] != k {
			pe.kings[c] = k
			pe.shelter[c] = e.shelter(p, c, k)
		}
	}
	return pe
}

// fill moves a set forward over all ranks as c sees it, the set included.
func fill(c position.Color, b position.Bitboard) position.Bitboard {
	if c == position.White {
		b |= b << 8
		b |= b << 16
		return b | b<<32
	}
	b |= b >> 8
	b |= b >> 16
	return b | b>>32
}

// pawnStructure judges the pawns of c by themselves.
func (e *Evaluator) pawnStructure(in *info, pe *pawnEntry, c position.Color) pair {
	w, p := e.w, in.p
	pst, flip := &w.PST[in.wing], in.flip[c]
	them := c.Other()
	own, enemy := p.Pieces(c, position.Pawn), p.Pieces(them, position.Pawn)
	enemyAttacks := pawnAttacksOf(them, enemy)
	pe.span[c] = sideways(up(c, fill(c, own)))
	var v pair
	for b := own; b != 0; {
		sq := b.PopFirst()
		bit := sq.Bit()
		r := relativeRank(c, sq)
		v += w.Material[position.Pawn] + pst[position.Pawn][(sq^flip)&63]

		ahead := up(c, fill(c, bit))
		opposed := ahead&enemy != 0
		neighbours := sideways(fileA<<sq.File()) & own
		support := pawnAttacksOf(them, bit) & own
		phalanx := sideways(bit) & own
		stoppers := (ahead | sideways(ahead)) & enemy
		levers := pawnAttacksOf(c, bit) & enemy
		pushLevers := pawnAttacksOf(c, up(c, bit)) & enemy
		blocked := up(c, bit)&enemy != 0

		open := 1
		if opposed {
			open = 0
		}
		if support|phalanx != 0 {
			i := 0
			if phalanx != 0 {
				i = 1
			}
			v += w.Connected[i][r]
			v += w.Supported * pair(support.Count())
			if opposed {
				v += w.ConnectedOpposed
			}
		} else if neighbours == 0 {
			v += w.Isolated[open]
		} else if neighbours&neighboursBehind(c, sq) == 0 && (blocked || enemyAttacks&up(c, bit) != 0) {
			v += w.Backward[open]
		}
		if down(c, fill(them, bit))&own != 0 {
			v += w.Doubled
			if support == 0 && down(c, bit)&own != 0 {
				v += w.DoubledClose
			}
		}
		if levers.Several() && support == 0 {
			v += w.LeverTwice
		}

		// Passed: nothing stops it, or only what it can take or trade against in time.
		if ahead&own == 0 {
			if stoppers == 0 {
				pe.passed[c] |= bit
			} else if stoppers^levers == 0 ||
				stoppers^pushLevers == 0 && phalanx.Count() >= pushLevers.Count() {
				v += w.Candidate[r]
				if stoppers^levers == 0 {
					pe.passed[c] |= bit
				}
			}
		}
	}
	return v
}

// neighboursBehind are the squares on the adjacent files level with sq or behind it.
func neighboursBehind(c position.Color, sq position.Square) position.Bitboard {
	return sideways(fill(c.Other(), sq.Bit()))
}

// shelter judges the pawns in front of the king of c on k: own ones that cover it, enemy
// ones that storm it, on the king's file and both beside it.
func (e *Evaluator) shelter(p *position.Position, c position.Color, k position.Square) pair {
	w := e.w
	them := c.Other()
	inFront := fill(c, rank1<<(8*k.Rank()))
	own := p.Pieces(c, position.Pawn) & inFront
	enemy := p.Pieces(them, position.Pawn) & inFront
	var v pair
	centre := min(max(k.File(), 1), 6)
	for f := centre - 1; f <= centre+1; f++ {
		file := fileA << f
		edge := min(f, 7-f)
		cover := 0
		if b := own & file; b != 0 {
			cover = nearest(c, b)
		}
		storm := 0
		if b := enemy & file; b != 0 {
			storm = nearest(c, b)
		}
		v += w.Shelter[edge][cover]
		if cover > 0 && storm == cover+1 {
			v += w.StormBlocked[storm]
		} else {
			v += w.Storm[edge][storm]
		}
	}
	return v
}

// relativeLast is the rank where pawns of c promote.
func relativeLast(c position.Color) int {
	if c == position.White {
		return 7
	}
	return 0
}

// nearest is the rank, as c sees it, of the pawn of the set nearest to c's first rank.
func nearest(c position.Color, b position.Bitboard) int {
	if c == position.White {
		return b.First().Rank()
	}
	return 7 - b.Last().Rank()
}

// passed judges the passed pawns of c, which depends on kings and pieces.
func (e *Evaluator) passed(in *info, c position.Color) pair {
	w, p := e.w, in.p
	them := c.Other()
	var v pair
	onlyPawns := in.own[them]&^in.pawns[them]&^in.kings[them].Bit() == 0
	for b := in.pawn.passed[c]; b != 0; {
		sq := b.PopFirst()
		bit := sq.Bit()
		r := relativeRank(c, sq)
		v += w.Passed[r]
		stop := up(c, bit)
		stopSq := stop.First()
		if onlyPawns {
			// Steps to promotion, one less from the first rank, against the king's way there.
			steps := min(7-r, 5)
			goal := position.SquareAt(sq.File(), relativeLast(c))
			way := in.kings[them].Distance(goal)
			if p.SideToMove() == them {
				way--
			}
			if way > steps && up(c, fill(c, bit))&in.occ == 0 {
				v += w.PassedRunner
			}
		}
		if r >= 3 {
			v += w.PassedOwnKing[min(in.kings[c].Distance(stopSq), 5)] * pair(r-2)
			v += w.PassedEnemyKing[min(in.kings[them].Distance(stopSq), 5)] * pair(r-2)
			if in.occ&stop == 0 {
				// How much of the way is attacked, and who stands behind.
				path := up(c, fill(c, bit))
				behind := down(c, fill(them, bit))
				majors := p.ByType(position.Rook) | p.ByType(position.Queen)
				back := position.Bitboard(0)
				if m := behind & majors; m != 0 {
					back = position.RookAttacks(sq, in.occ) & m
				}
				unsafe := path & (in.all[them] | in.own[them])
				if back&in.own[them] != 0 {
					unsafe = path
				}
				switch {
				case unsafe == 0:
					v += w.PassedFree[r]
				case unsafe&stop == 0:
					v += w.PassedStep[r]
				}
				if in.all[c]&stop != 0 || back&in.own[c] != 0 {
					v += w.PassedDefended[r]
				}
			} else if in.own[them]&stop != 0 {
				v += w.PassedBlocked[r]
			}
		}
	}
	return v
}
