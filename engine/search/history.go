package search

import "zeitnot/engine/position"

const (
	// historyMax bounds every history value; updates pull towards it and never pass it.
	historyMax = 16384
	// pieces is the number of coloured pieces, as pieceIndex counts them.
	pieces = 12
	// noCont is the continuation row of a null move and of the plies before the root. Row 0
	// belongs to a white pawn on a1, which cannot have moved there.
	noCont = 0

	// pawnRows is the number of pawn structures that the pawn history tells apart.
	pawnRows         = 1 << 10
	pawnCorrections  = 1 << 14
	pieceCorrections = 1 << 15
	// correctionMax bounds a correction: correctionGrain units are one centipawn.
	correctionGrain = 256
	correctionMax   = correctionGrain * 64
)

// history remembers which moves were good elsewhere in the tree. It lives from search to
// search until the game is over, and it is several megabytes without a pointer.
type history struct {
	// quiet: by side to move, by whether the enemy attacks the square that the move leaves
	// (2) and the one it goes to (1), and by both squares.
	quiet [2][4][64 * 64]int16
	// pawn: by the pawns on the board, and by the piece and target of the move.
	pawn [pawnRows][pieces * 64]int16
	// capture: by moving piece, target square, and captured type.
	capture [pieces][64][8]int16
	// cont, continuation history: by the piece and target of an earlier move, and by those
	// of the move itself.
	cont [pieces * 64][pieces * 64]int16
	// pawnCorrection is how much the search has found the static evaluation to be wrong
	// under the same pawns, by side to move.
	pawnCorrection [2][pawnCorrections]int16
	// pieceCorrection is the same with the same pieces of one side, by side to move and by
	// whose pieces they are.
	pieceCorrection [2][2][pieceCorrections]int16
	// contCorrection is the same after the last two moves, by the continuation rows of both.
	contCorrection [pieces * 64][pieces * 64]int16
}

func (h *history) clear() { *h = history{} }

// pieceIndex numbers the coloured pieces without gaps.
func pieceIndex(p position.Piece) int {
	return int(p&7) + int(p>>3)*6
}

// contIndex is the row or column of a move of the continuation history.
func contIndex(p *position.Position, m position.Move) int {
	return pieceIndex(p.PieceAt(m.From()))<<6 | int(m.To())
}

// fromTo is the index of a move in the quiet history.
func fromTo(m position.Move) int { return int(m & 0xfff) }

// threats is the set of squares that the side to move must beware of at ply.
func (t *thread) threats(ply int) position.Bitboard {
	f := t.frame(ply)
	if key := f.pos.Key(); f.threatsOf != key {
		f.threatsOf, f.threats = key, f.pos.AttackedBy(f.pos.SideToMove().Other())
	}
	return f.threats
}

// dangers tells from where and to where a move goes under these threats, as quiet wants it.
func dangers(threats position.Bitboard, m position.Move) int {
	return btoi(threats.Has(m.From()))<<1 | btoi(threats.Has(m.To()))
}

// quietEntry is the quiet history of a move in the position at ply.
func (t *thread) quietEntry(ply int, m position.Move) *int16 {
	side := t.frame(ply).pos.SideToMove()
	return &t.hist.quiet[side][dangers(t.threats(ply), m)][fromTo(m)]
}

// nudge moves a history value towards the bonus.
func nudge(v *int16, bonus int) { pull(v, bonus, historyMax) }

// pull moves a value towards the bonus; the farther it already is, the less, and never
// beyond most in size.
func pull(v *int16, bonus, most int) {
	*v += int16(bonus - int(*v)*abs(bonus)/most)
}

// bonusFor is the reward of the move that caused a cutoff, and malusFor the penalty of
// those tried before it in vain.
func bonusFor(depth int) int { return min(170*depth-60, 1700) }
func malusFor(depth int) int { return min(190*depth-40, 1500) }

func (h *history) captureEntry(p *position.Position, m position.Move) *int16 {
	return &h.capture[pieceIndex(p.PieceAt(m.From()))][m.To()&63][p.Captured(m)&7]
}

// quietScore is what all histories say of a quiet move in the position of frame f.
func (t *thread) quietScore(ply int, m position.Move) int {
	p := &t.frame(ply).pos
	i := contIndex(p, m)
	return int(*t.quietEntry(ply, m)) +
		int(t.hist.pawn[p.PawnKey()%pawnRows][i]) +
		int(t.hist.cont[t.frame(ply-1).cont][i]) +
		int(t.hist.cont[t.frame(ply-2).cont][i]) +
		int(t.hist.cont[t.frame(ply-4).cont][i])/2
}

// nudgeQuiet rewards or punishes a quiet move in all histories.
func (t *thread) nudgeQuiet(ply int, m position.Move, bonus int) {
	p := &t.frame(ply).pos
	i := contIndex(p, m)
	nudge(t.quietEntry(ply, m), bonus)
	nudge(&t.hist.pawn[p.PawnKey()%pawnRows][i], bonus)
	t.nudgeCont(ply, i, bonus)
}

func (t *thread) nudgeCont(ply, i, bonus int) {
	for _, back := range [...]int{1, 2, 4} {
		if row := t.frame(ply - back).cont; row != noCont {
			nudge(&t.hist.cont[row][i], bonus)
		}
	}
}

// learn updates the histories after best has caused a cutoff; quiets and noisies are the
// moves that were searched before it without one.
func (t *thread) learn(ply, depth int, best position.Move, quiets, noisies []position.Move) {
	f := t.frame(ply)
	p := &f.pos
	bonus, malus := bonusFor(depth), malusFor(depth)
	if p.IsNoisy(best) {
		nudge(t.hist.captureEntry(p, best), bonus)
	} else {
		f.killer = best
		// A quiet move that cuts at once at a low depth proves little.
		if depth > 3 || len(quiets) > 0 {
			t.nudgeQuiet(ply, best, bonus)
		}
		for _, m := range quiets {
			t.nudgeQuiet(ply, m, -malus)
		}
	}
	for _, m := range noisies {
		nudge(t.hist.captureEntry(p, m), -malus)
	}
}

// corrections are those that apply at ply.
func (t *thread) corrections(ply int) [4]*int16 {
	p := &t.frame(ply).pos
	side := p.SideToMove()
	pieces := &t.hist.pieceCorrection[side]
	return [...]*int16{
		&t.hist.pawnCorrection[side][p.PawnKey()%pawnCorrections],
		&pieces[position.White][p.PieceKey(position.White)%pieceCorrections],
		&pieces[position.Black][p.PieceKey(position.Black)%pieceCorrections],
		&t.hist.contCorrection[t.frame(ply-2).cont][t.frame(ply-1).cont],
	}
}

// corrected is the static evaluation as the search has learned to see it under these pawns,
// with these pieces and after these moves. It fades as the fifty-move limit comes nearer, so
// that the better side makes progress.
func (t *thread) corrected(ply, raw int) int {
	raw = raw * (200 - min(t.frame(ply).pos.HalfmoveClock(), 100)) / 200
	sum := 0
	for _, c := range t.corrections(ply) {
		sum += int(*c)
	}
	return min(max(raw+sum/correctionGrain, -mateInMax+1), mateInMax-1)
}

// correct moves the corrections towards what the search found, diff off the evaluation as
// it was corrected until now.
func (t *thread) correct(ply, depth, diff int) {
	bonus := min(max(diff*min(depth+1, 16), -correctionMax/4), correctionMax/4)
	for _, c := range t.corrections(ply) {
		pull(c, bonus, correctionMax)
	}
}
