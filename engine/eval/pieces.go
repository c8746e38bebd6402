package eval

import "zeitnot/engine/position"

const (
	lightSquares  = position.Bitboard(0x55aa55aa55aa55aa)
	centreSquares = position.Bitboard(0x0000001818000000)
)

var (
	// outpostRanks are the fourth to sixth rank of each side.
	outpostRanks = [2]position.Bitboard{ranks(position.White, 3, 5), ranks(position.Black, 3, 5)}
	seventhRank  = [2]position.Bitboard{ranks(position.White, 6, 6), ranks(position.Black, 6, 6)}
	eighthRank   = [2]position.Bitboard{ranks(position.White, 7, 7), ranks(position.Black, 7, 7)}
)

// pieces judges the knights, bishops, rooks and queens of c: material, place, mobility,
// and what belongs to the kind. It fills the attack maps on the way.
func (e *Evaluator) pieces(in *info, c position.Color) pair {
	w, p := e.w, in.p
	them := c.Other()
	var v pair
	area := in.area[c]
	ringThem := in.ring[them]
	pawns := in.pawns[c]
	behindPawns := down(c, in.pawns[c]|in.pawns[them])
	// Squares that enemy pawns can never attack, which our pawns protect or could.
	safe := outpostRanks[c] &^ in.pawn.span[them]
	pst, flip := &w.PST[in.wing], in.flip[c]
	pawnCount := pawns.Count()

	// Knights.
	for b := p.Pieces(c, position.Knight); b != 0; {
		sq := b.PopFirst()
		att := position.KnightAttacks(sq)
		in.enter(e, c, position.Knight, att, ringThem)
		v += w.Material[position.Knight] + pst[position.Knight][(sq^flip)&63] +
			w.KnightMobility[(att&area).Count()] + w.KnightPawns[pawnCount]
		if safe.Has(sq) {
			if in.by[c][position.Pawn].Has(sq) {
				v += w.KnightOutpost[1]
			} else {
				v += w.KnightOutpost[0]
			}
		} else if att&safe&in.by[c][position.Pawn]&^in.own[c] != 0 {
			v += w.KnightReach
		}
		if behindPawns.Has(sq) {
			v += w.MinorBehindPawn
		}
		v += w.KnightKing[sq.Distance(in.kings[c])]
	}

	// Bishops: a queen does not stand in their way.
	bishops := p.Pieces(c, position.Bishop)
	if bishops&lightSquares != 0 && bishops&^lightSquares != 0 {
		v += w.BishopPair
	}
	through := in.occ &^ p.ByType(position.Queen)
	for b := bishops; b != 0; {
		sq := b.PopFirst()
		att := position.BishopAttacks(sq, through)
		in.enter(e, c, position.Bishop, att, ringThem)
		v += w.Material[position.Bishop] + pst[position.Bishop][(sq^flip)&63] +
			w.BishopMobility[(att&area).Count()]
		same := lightSquares
		if !lightSquares.Has(sq) {
			same = ^lightSquares
		}
		v += w.BishopPawns[(pawns & same).Count()]
		blocked := pawns & down(c, in.occ) & (fileA<<2 | fileA<<3 | fileA<<4 | fileA<<5)
		v += w.BishopBlocked * pair(min((blocked&same).Count(), 3))
		if safe.Has(sq) && in.by[c][position.Pawn].Has(sq) {
			v += w.BishopOutpost
		}
		if behindPawns.Has(sq) {
			v += w.MinorBehindPawn
		}
		if (position.BishopAttacks(sq, p.ByType(position.Pawn)) & centreSquares).Several() {
			v += w.BishopLong
		}
		v += w.BishopKing[sq.Distance(in.kings[c])]
	}

	// Rooks: queens and own rooks do not stand in their way.
	through = in.occ &^ (p.ByType(position.Queen) | p.Pieces(c, position.Rook))
	for b := p.Pieces(c, position.Rook); b != 0; {
		sq := b.PopFirst()
		att := position.RookAttacks(sq, through)
		in.enter(e, c, position.Rook, att, ringThem)
		mobility := (att & area).Count()
		v += w.Material[position.Rook] + pst[position.Rook][(sq^flip)&63] + w.RookMobility[mobility] + w.RookPawns[pawnCount]
		file := fileA << sq.File()
		switch {
		case file&pawns != 0:
			if mobility <= 3 && (in.kings[c].File() < 4) == (sq.File() < in.kings[c].File()) &&
				relativeRank(c, in.kings[c]) == 0 {
				v += w.RookTrapped
			}
		case file&in.pawns[them] != 0:
			v += w.RookHalfOpen
		default:
			v += w.RookOpen
		}
		if seventhRank[c].Has(sq) && (eighthRank[c].Has(in.kings[them]) || seventhRank[c]&in.pawns[them] != 0) {
			v += w.RookSeventh
		}
	}

	// Queens.
	for b := p.Pieces(c, position.Queen); b != 0; {
		sq := b.PopFirst()
		att := position.QueenAttacks(sq, in.occ)
		in.enter(e, c, position.Queen, att, ringThem)
		v += w.Material[position.Queen] + pst[position.Queen][(sq^flip)&63] +
			w.QueenMobility[(att&area).Count()]
	}
	return v
}

// enter enters the attacks of a piece into the maps and counts those on the enemy king.
func (in *info) enter(e *Evaluator, c position.Color, t position.PieceType, att, ring position.Bitboard) {
	in.add(c, t, att)
	in.phase += phaseWeight[t]
	if att&ring != 0 {
		in.attackers[c]++
		in.attackWeight[c] += e.w.Danger.Attacker[t]
		in.ringAttacks[c] += (att & in.by[c.Other()][position.King]).Count()
	}
}

// threats judges what the pieces of c attack.
func (e *Evaluator) threats(in *info, c position.Color) pair {
	w, p := e.w, in.p
	them := c.Other()
	var v pair
	men := in.own[them] &^ in.kings[them].Bit()
	nonPawns := men &^ in.pawns[them]
	protected := in.by[them][position.Pawn] | in.twice[them]&^in.twice[c]
	weak := men &^ protected & in.all[c]
	strong := nonPawns & protected

	if weak != 0 || strong != 0 {
		for b := (strong | weak) & (in.by[c][position.Knight] | in.by[c][position.Bishop]); b != 0; {
			sq := b.PopFirst()
			v += w.ThreatByMinor[weak>>sq&1][p.PieceAt(sq).Type()&7]
		}
		for b := (strong | weak) & in.by[c][position.Rook]; b != 0; {
			sq := b.PopFirst()
			v += w.ThreatByRook[weak>>sq&1][p.PieceAt(sq).Type()&7]
		}
		if weak&in.by[c][position.King] != 0 {
			v += w.ThreatByKing
		}
		hanging := weak & (^in.all[them] | nonPawns&in.twice[c])
		v += w.Hanging * pair(hanging.Count())
		v += w.WeakByQueen * pair((weak & in.all[them] & in.by[them][position.Queen] &^ in.by[them][position.Pawn]).Count())
	}

	// Squares that the enemy may not use freely because we attack them too.
	restricted := in.all[them] &^ protected & in.all[c]
	v += w.Restricted * pair(restricted.Count())

	// Safe pawns that attack pieces, and pawns that could with their next step.
	safe := ^in.all[them] | in.all[c]
	attacked := pawnAttacksOf(c, in.pawns[c]&safe) & nonPawns
	for b := attacked; b != 0; {
		v += w.ThreatByPawn[p.PieceAt(b.PopFirst()).Type()&7]
	}
	push := up(c, in.pawns[c]) &^ in.occ
	push |= up(c, push&ranks3[c]) &^ in.occ
	push &= safe &^ in.by[them][position.Pawn]
	v += w.ThreatByPush * pair((pawnAttacksOf(c, push) & nonPawns).Count())

	// Knights and sliders that could attack the queen from a safe square.
	if q := p.Pieces(them, position.Queen); q != 0 && !q.Several() {
		sq := q.First()
		ok := in.area[c] &^ in.pawns[c] & (^in.all[them] | in.twice[c]&^in.twice[them])
		v += w.QueenByKnight * pair((position.KnightAttacks(sq) & in.by[c][position.Knight] & ok).Count())
		ok &= in.twice[c]
		sliders := position.BishopAttacks(sq, in.occ)&in.by[c][position.Bishop] |
			position.RookAttacks(sq, in.occ)&in.by[c][position.Rook]
		v += w.QueenBySlider * pair((sliders & ok).Count())
	}
	return v
}

var ranks3 = [2]position.Bitboard{ranks(position.White, 2, 2), ranks(position.Black, 2, 2)}

// spaceArea is the centre of each side's own half.
var spaceArea = [2]position.Bitboard{
	ranks(position.White, 1, 3) & (fileA<<2 | fileA<<3 | fileA<<4 | fileA<<5),
	ranks(position.Black, 1, 3) & (fileA<<2 | fileA<<3 | fileA<<4 | fileA<<5),
}

// space judges the safe room of c behind its pawns, worth more with more pieces to use it.
func (e *Evaluator) space(in *info, c position.Color) pair {
	if in.phase < 12 {
		return 0
	}
	safe := spaceArea[c] &^ in.pawns[c] &^ in.by[c.Other()][position.Pawn]
	behind := in.pawns[c]
	behind |= down(c, behind)
	behind |= down(c, down(c, behind))
	bonus := safe.Count() + (behind & safe &^ in.all[c.Other()]).Count()
	n := (in.own[c] &^ in.pawns[c]).Count()
	return e.w.Space * pair(bonus*n/8)
}
