package search

import (
	"zeitnot/engine"
	"zeitnot/engine/position"
)

// bottom is what a position counts where the stack ends.
func (t *thread) bottom(p *position.Position) int {
	if p.InCheck() {
		return 0
	}
	return t.ev.Evaluate(p)
}

// quiesce searches captures and queen promotions, and every evasion of a check, until the
// position is quiet enough for the evaluation to be believed.
func (t *thread) quiesce(ply, alpha, beta int) int {
	pvNode := beta-alpha > 1
	f := t.frame(ply)
	p := &f.pos
	t.pv[ply].n = 0

	if t.nodes >= t.pollAt {
		t.poll()
	}
	if t.stopped {
		return 0
	}
	if pvNode && ply > t.selDepth {
		t.selDepth = ply
	}
	if t.drawn(ply) {
		return 0
	}
	if alpha < 0 && t.canRepeat(ply) {
		if alpha = 0; alpha >= beta {
			return 0
		}
	}
	inCheck := p.InCheck()
	if ply >= maxPly-1 {
		return t.bottom(p)
	}

	key := p.Key()
	e, hit := t.tt.probe(key, ply)
	if hit && !pvNode && p.HalfmoveClock() < 90 && cutsOff(e, alpha, beta) {
		return e.score
	}
	ttPV := pvNode || hit && e.pv

	// Standing pat: the side to move need not capture.
	best, raw, base := -infinite, evalNone, -infinite
	if inCheck {
		f.eval = evalNone
	} else {
		if raw = e.eval; raw == evalNone {
			raw = t.ev.Evaluate(p)
		}
		f.eval = t.corrected(ply, raw)
		best = e.refine(f.eval)
		if best >= beta {
			if !hit {
				t.tt.store(key, ply, ttEntry{score: best, eval: raw, depth: -1, bound: engine.BoundLower, pv: ttPV})
			}
			return best
		}
		alpha = max(alpha, best)
		base = f.eval + deltaMargin
	}

	bestMove, bound := position.NoMove, engine.BoundUpper
	k := &f.pick[0]
	k.start(p, e.move, position.NoMove, !inCheck, 0)
	count := 0
	for {
		m := t.next(ply, k)
		if m == position.NoMove {
			break
		}
		count++
		if best > -mateInMax {
			// A capture that cannot lift the score near alpha is not worth a node.
			if !inCheck && base+seeGain(p, m) <= alpha && abs(alpha) < mateInMax && !m.IsPromotion() {
				if base+seeGain(p, m) > best {
					best = base + seeGain(p, m)
				}
				continue
			}
			// Out of check one move is enough to know that there is no mate; after it only
			// captures are tried.
			if inCheck && count > 1 && !p.IsNoisy(m) {
				k.skipQuiets = true
				continue
			}
			if inCheck && k.stage == stageBadNoisy {
				break
			}
		}
		t.makeMove(ply, m)
		s := -t.quiesce(ply+1, -beta, -alpha)
		if t.stopped {
			return 0
		}
		if s > best {
			best = s
			if s > alpha {
				bestMove = m
				if pvNode {
					t.pv[ply].set(m, &t.pv[ply+1])
				}
				if s >= beta {
					bound = engine.BoundLower
					break
				}
				alpha = s
			}
		}
	}
	if inCheck && count == 0 {
		return ply - mate
	}
	t.tt.store(key, ply, ttEntry{move: bestMove, score: best, eval: raw, depth: btoi(inCheck) - 1, bound: bound, pv: ttPV})
	return best
}
