package eval

import "zeitnot/engine/position"

// king judges the safety of the king of c: its pawns, and how many enemy pieces bear upon
// it from how near. The sum of the attack, the danger, counts by its square: one attacker
// is harmless, three are not.
func (e *Evaluator) king(in *info, c position.Color) pair {
	w, p := e.w, in.p
	d := &w.Danger
	them := c.Other()
	k := in.kings[c]
	v := in.pawn.shelter[c] + w.PST[in.wing][position.King][(k^in.flip[c])&63]

	file := fileA << k.File()
	if file&in.pawns[c] == 0 {
		if file&in.pawns[them] == 0 {
			v += w.KingOpen
		} else {
			v += w.KingHalfOpen
		}
	}

	if flanks[k.File()]&p.ByType(position.Pawn) == 0 {
		v += w.PawnlessFlank
	}
	pinned := p.Pinned(c).Count()
	v += w.Pinned * pair(pinned)

	// Squares that we defend with king or queen at most.
	weak := in.all[them] &^ in.twice[c] & (^in.all[c] | in.by[c][position.King] | in.by[c][position.Queen])
	// Squares from where an enemy piece could give check without being taken for nothing.
	safe := ^in.own[them] & (^in.all[c] | weak&in.twice[them])
	straight := position.RookAttacks(k, in.occ&^p.Pieces(c, position.Queen))
	diagonal := position.BishopAttacks(k, in.occ&^p.Pieces(c, position.Queen))
	queens := in.by[them][position.Queen]
	danger := d.Base
	checks := [...]struct {
		t  position.PieceType
		at position.Bitboard
	}{
		{position.Knight, position.KnightAttacks(k) & in.by[them][position.Knight]},
		{position.Bishop, diagonal & in.by[them][position.Bishop]},
		{position.Rook, straight & in.by[them][position.Rook]},
		{position.Queen, (straight | diagonal) & queens &^ in.by[c][position.Queen]},
	}
	unsafe := 0
	for i := range checks {
		ch := &checks[i]
		if ch.at == 0 {
			continue
		}
		if n := (ch.at & safe).Count(); n > 0 {
			danger += d.SafeCheck[ch.t][min(n, 2)-1]
		} else {
			unsafe += ch.at.Count()
		}
	}
	flank := flanks[k.File()] & halves[c]
	attack := in.all[them] & flank
	danger += in.attackers[them]*in.attackWeight[them] +
		d.RingAttack*in.ringAttacks[them] +
		d.WeakRing*(in.ring[c]&weak).Count() +
		d.UnsafeCheck*unsafe +
		d.FlankAttack*(attack.Count()+(attack&in.twice[them]).Count()) +
		d.FlankDefence*(in.all[c]&flank).Count() +
		d.Pinned*pinned +
		d.Shelter*in.pawn.shelter[c].mg()/16
	if p.Pieces(them, position.Queen) == 0 {
		danger += d.NoQueen
	}
	if in.by[c][position.Knight]&in.by[c][position.King] != 0 {
		danger += d.KnightDefender
	}
	if danger > 0 {
		danger = min(danger, 3000)
		v -= s(danger*danger/4096, danger/16)
	}
	return v
}

// flanks are the files that matter to a king on each file, halves the ranks.
var (
	flanks = [8]position.Bitboard{
		fileA | fileA<<1 | fileA<<2, fileA | fileA<<1 | fileA<<2 | fileA<<3, fileA | fileA<<1 | fileA<<2 | fileA<<3,
		fileA<<2 | fileA<<3 | fileA<<4 | fileA<<5, fileA<<2 | fileA<<3 | fileA<<4 | fileA<<5,
		fileA<<4 | fileA<<5 | fileA<<6 | fileA<<7, fileA<<4 | fileA<<5 | fileA<<6 | fileA<<7, fileA<<5 | fileA<<6 | fileA<<7,
	}
	halves = [2]position.Bitboard{ranks(position.White, 0, 4), ranks(position.Black, 0, 4)}
)
