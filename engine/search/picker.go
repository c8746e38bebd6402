package search

import "zeitnot/engine/position"

// The stages of the picker, in order.
const (
	stageTT = iota
	stageGenNoisy
	stageGoodNoisy
	stageKiller
	stageGenQuiet
	stageQuiet
	stageBadNoisy
	stageDone
)

// scored is a move with its rank among its like.
type scored struct {
	move  position.Move
	score int32
}

// picker hands out the legal moves of one position, likely cutoffs first, generating as
// late as it can: the TT move, winning and even captures, the killer, quiet moves by
// history, losing captures. In quiescence it stops after the noisy moves.
type picker struct {
	tt, killer position.Move
	// threshold is the static exchange value that a noisy move must reach to count as good.
	threshold  int
	stage      uint8
	noisyOnly  bool
	skipQuiets bool
	// rank is the score of the last move given out, if ranked tells that it has one.
	rank   int32
	ranked bool
	// moves[:bad] are losing captures put by, moves[next:end] those still to come.
	bad, next, end int
	moves          [256]scored
}

// start makes the picker ready; tt and killer need not be legal.
func (k *picker) start(p *position.Position, tt, killer position.Move, noisyOnly bool, threshold int) {
	k.stage, k.noisyOnly, k.skipQuiets, k.threshold = stageTT, noisyOnly, false, threshold
	k.tt, k.killer = position.NoMove, position.NoMove
	k.bad, k.next, k.end = 0, 0, 0
	if tt != position.NoMove && (!noisyOnly || p.IsNoisy(tt)) && p.IsLegal(tt) {
		k.tt = tt
	} else {
		k.stage = stageGenNoisy
	}
	if killer != k.tt {
		k.killer = killer
	}
}

// next is the following move of the picker at this ply, NoMove when there is none left.
func (t *thread) next(ply int, k *picker) position.Move {
	p := &t.frame(ply).pos
	switch k.stage {
	case stageTT:
		k.stage, k.ranked = stageGenNoisy, false
		return k.tt

	case stageGenNoisy:
		// Captures and queen promotions, most valuable victim first, corrected by history.
		p.LegalNoisy(&t.list)
		for _, m := range t.list.Slice() {
			if m != k.tt {
				k.moves[k.end] = scored{m, int32(t.noisyScore(p, m))}
				k.end++
			}
		}
		k.stage = stageGoodNoisy
		fallthrough

	case stageGoodNoisy:
		for k.next < k.end {
			m := k.best()
			if seeAtLeast(p, m, k.threshold) {
				return m
			}
			k.moves[k.bad].move = m
			k.bad++
		}
		if k.noisyOnly {
			k.stage = stageDone
			return position.NoMove
		}
		k.stage = stageKiller
		fallthrough

	case stageKiller:
		k.stage = stageGenQuiet
		if m := k.killer; m != position.NoMove && !k.skipQuiets && p.IsLegal(m) && !p.IsNoisy(m) {
			k.ranked = false
			return m
		}
		k.killer = position.NoMove // not given out here, so the quiet stage must not skip it
		fallthrough

	case stageGenQuiet:
		if !k.skipQuiets {
			k.next, k.end = k.bad, k.bad
			p.LegalQuiet(&t.list)
			side := p.SideToMove()
			quiet, threats := &t.hist.quiet[side], t.threats(ply)
			pawn := &t.hist.pawn[p.PawnKey()%pawnRows]
			c1 := &t.hist.cont[t.frame(ply-1).cont]
			c2 := &t.hist.cont[t.frame(ply-2).cont]
			c4 := &t.hist.cont[t.frame(ply-4).cont]
			checks := checkSquares(p)
			for _, m := range t.list.Slice() {
				if m == k.tt || m == k.killer {
					continue
				}
				i := contIndex(p, m)
				score := int32(quiet[dangers(threats, m)][fromTo(m)]) + int32(pawn[i]) + int32(c1[i]) + int32(c2[i]) + int32(c4[i])/2
				if checks[p.PieceAt(m.From())&7].Has(m.To()) && seeAtLeast(p, m, -75) {
					score += checkBonus
				}
				k.moves[k.end] = scored{m, score}
				k.end++
			}
		}
		k.stage = stageQuiet
		fallthrough

	case stageQuiet:
		if !k.skipQuiets && k.next < k.end {
			return k.best()
		}
		k.stage = stageBadNoisy
		k.next = 0
		fallthrough

	case stageBadNoisy:
		if k.next < k.bad {
			k.next++
			k.ranked = false
			return k.moves[k.next-1].move
		}
		k.stage = stageDone
	}
	return position.NoMove
}

// checkBonus brings quiet moves that check at once, and are not simply lost, to the front.
const checkBonus = 12000

// checkSquares are the squares from where each type of piece would check the enemy king.
func checkSquares(p *position.Position) (at [8]position.Bitboard) {
	them := p.SideToMove().Other()
	king, occ := p.KingSquare(them), p.Occupied()
	at[position.Pawn] = position.PawnAttacks(them, king)
	at[position.Knight] = position.KnightAttacks(king)
	at[position.Bishop] = position.BishopAttacks(king, occ)
	at[position.Rook] = position.RookAttacks(king, occ)
	at[position.Queen] = at[position.Bishop] | at[position.Rook]
	return at
}

// best takes the highest of the moves that are still to come.
func (k *picker) best() position.Move {
	rest := k.moves[k.next:k.end]
	top := 0
	for i := range rest {
		if rest[i].score > rest[top].score {
			top = i
		}
	}
	rest[0], rest[top] = rest[top], rest[0]
	k.next++
	k.rank, k.ranked = rest[0].score, true
	return rest[0].move
}

// noisyScore ranks captures and promotions.
func (t *thread) noisyScore(p *position.Position, m position.Move) int {
	return seeGain(p, m)*16 + int(*t.hist.captureEntry(p, m))
}
