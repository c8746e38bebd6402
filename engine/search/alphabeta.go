package search

import (
	"zeitnot/engine"
	"zeitnot/engine/position"
)

// search returns the score of the position at ply for its side to move, within the window
// (alpha, beta), depth plies deep. cut says that a cutoff is expected here. It is one long
// function in numbered steps, because every step works on the same handful of variables.
func (t *thread) search(ply, alpha, beta, depth int, cut bool) int {
	if depth <= 0 {
		return t.quiesce(ply, alpha, beta)
	}
	pvNode := beta-alpha > 1
	f := t.frame(ply)
	p := &f.pos
	excluded := f.excluded
	set := 0
	if excluded != position.NoMove {
		set = 1
	}
	t.pv[ply].n = 0

	// 1. Orders and clock.
	if t.nodes >= t.pollAt {
		t.poll()
	}
	if t.stopped {
		return 0
	}
	if pvNode && ply > t.selDepth {
		t.selDepth = ply
	}
	inCheck := p.InCheck()

	// 2. Draws by rule, and the bottom of the stack.
	if t.drawn(ply) {
		return 0
	}
	// Who can repeat has a draw at least. A singular search asks about the other moves.
	if alpha < 0 && excluded == position.NoMove && t.canRepeat(ply) {
		if alpha = 0; alpha >= beta {
			return 0
		}
	}
	if ply >= maxPly-1 {
		return t.bottom(p)
	}

	// 3. Mate distance: nothing here can beat a mate that was found nearer to the root.
	alpha = max(alpha, ply-mate)
	beta = min(beta, mate-ply-1)
	if alpha >= beta {
		return alpha
	}

	// 4. Transposition table. Near the fifty-move limit its scores are not to be trusted.
	key := p.Key()
	var e ttEntry
	var hit bool
	if excluded == position.NoMove {
		e, hit = t.tt.probe(key, ply)
		if hit && !pvNode && e.depth >= depth && p.HalfmoveClock() < 90 && cutsOff(e, alpha, beta) {
			if e.move != position.NoMove && e.score >= beta && p.IsLegal(e.move) && !p.IsNoisy(e.move) {
				t.nudgeQuiet(ply, e.move, bonusFor(depth))
			}
			return e.score
		}
	} else {
		e = ttEntry{eval: evalNone}
	}
	ttPV := pvNode || hit && e.pv
	ttMove := e.move

	// Tablebases. Where their bound does not decide the window it still holds.
	floor, ceiling := -infinite, infinite
	if t.tbMen > 0 && p.HalfmoveClock() == 0 && excluded == position.NoMove {
		if s, bound, ok := t.probeTables(ply, depth); ok {
			if cutsOff(ttEntry{score: s, bound: bound}, alpha, beta) {
				t.tt.store(key, ply, ttEntry{score: s, eval: e.eval, depth: min(depth+6, 127), bound: bound, pv: ttPV})
				return s
			}
			if bound == engine.BoundLower {
				floor, alpha = s, max(alpha, s)
			} else {
				ceiling = s
			}
		}
	}

	// 5. Static evaluation, and whether it has improved since our last move.
	raw, static := evalNone, evalNone
	improving := false
	switch {
	case inCheck:
		f.eval = evalNone
	case excluded != position.NoMove:
		static = f.eval
	default:
		if raw = e.eval; raw == evalNone {
			raw = t.ev.Evaluate(p)
			if !hit {
				t.tt.store(key, ply, ttEntry{eval: raw, depth: -2, bound: engine.BoundNone, pv: ttPV})
			}
		}
		f.eval = t.corrected(ply, raw)
		static = e.refine(f.eval)
	}
	if !inCheck {
		if before := t.frame(ply - 2).eval; before != evalNone {
			improving = f.eval > before
		} else if before := t.frame(ply - 4).eval; before != evalNone {
			improving = f.eval > before
		}
	}
	prev := t.frame(ply - 1)
	if !inCheck && excluded == position.NoMove && prev.move != position.NoMove && prev.eval != evalNone {
		// A move that was much reduced but did its side's evaluation no harm gets a ply back.
		if prev.reduction >= 3 && f.eval+prev.eval <= 0 {
			depth++
		}
	}
	t.frame(ply + 1).killer = position.NoMove
	t.frame(ply + 1).excluded = position.NoMove
	t.frame(ply + 2).cutoffs = 0

	if !pvNode && !inCheck && excluded == position.NoMove {
		// 6. Reverse futility: so far above beta that a shallow search will not lose it.
		if depth <= 8 && abs(beta) < mateInMax && static < mateInMax &&
			static-rfpMargin*(depth-btoi(improving)) >= beta {
			return beta + (static-beta)/3
		}

		// 7. Razoring: so far below alpha that only captures could help.
		if depth <= 4 && static+razorBase+razorMargin*depth*depth < alpha && abs(alpha) < mateInMax {
			if s := t.quiesce(ply, alpha, alpha+1); s <= alpha {
				return s
			}
		}

		// 8. Null move: if passing still holds beta, a real move will. Not with pawns alone,
		// where passing may be the only good move; verified when the depth is large.
		if depth >= 3 && static >= beta && f.eval >= beta-20*depth+120 && ply >= t.nullMinPly &&
			t.frame(ply-1).move != position.NoMove && beta > -mateInMax && hasPieces(p) {
			r := 4 + depth/4 + min((static-beta)/180, 3)
			t.makeNull(ply)
			s := -t.search(ply+1, -beta, -beta+1, depth-r, !cut)
			if t.stopped {
				return 0
			}
			if s >= beta {
				s = min(s, mateInMax-1)
				if t.nullMinPly > 0 || depth < 14 {
					return s
				}
				t.nullMinPly = ply + (depth-r)*3/4
				v := t.search(ply, beta-1, beta, depth-r, false)
				t.nullMinPly = 0
				if t.stopped {
					return 0
				}
				if v >= beta {
					return s
				}
			}
		}

		// 9. ProbCut: a good capture that beats beta by a margin at reduced depth beats it.
		probBeta := beta + probMargin - 50*btoi(improving)
		if depth >= 5 && abs(beta) < mateInMax && (!hit || e.depth < depth-3 || e.score >= probBeta) {
			if s, ok := t.probCut(ply, probBeta, depth, ttMove, cut); ok {
				if !t.stopped {
					t.tt.store(key, ply, ttEntry{
						move: f.move, score: s, eval: raw, depth: depth - 3,
						bound: engine.BoundLower, pv: ttPV,
					})
				}
				return s
			}
			if t.stopped {
				return 0
			}
		}
	}

	// 10. Internal iterative reduction: without a move to try first the search is costly,
	// and a shallower one will find that move.
	if depth >= 4 && ttMove == position.NoMove && excluded == position.NoMove && (pvNode || cut) {
		depth--
	}

	// 11. The moves.
	k := &f.pick[set]
	k.start(p, ttMove, f.killer, false, 0)
	quiets, noises := f.quiets[set][:0], f.noises[set][:0]
	ttNoisy := ttMove != position.NoMove && p.IsNoisy(ttMove)
	best, bestMove, bound := floor, position.NoMove, engine.BoundUpper
	count := 0
	for {
		m := t.next(ply, k)
		if m == position.NoMove {
			break
		}
		if m == excluded {
			continue
		}
		count++
		noisy := p.IsNoisy(m)
		hist := 0
		switch {
		case noisy:
			hist = int(*t.hist.captureEntry(p, m))
		case k.ranked:
			hist = int(k.rank)
		default:
			hist = t.quietScore(ply, m)
		}
		reduction := 0
		if depth > 1 && count > 1 {
			reduction = t.reductions[min(depth, 63)][min(count, 63)]
		}

		// 12. Pruning of moves that are unlikely to matter, once a move has been found that
		// does not get mated.
		if best > -mateInMax && hasPieces(p) {
			lmrDepth := max(depth-reduction/1024, 0)
			if !noisy {
				// Late moves: enough have been tried.
				if count >= lateMoves(depth, improving) {
					k.skipQuiets = true
					continue
				}
				// Not checks: whether they mate the evaluation cannot know. (Leaving out all
				// quiet moves once one failed here once made mates in one invisible.)
				if !p.GivesCheck(m) {
					// Moves that have never been any good.
					if lmrDepth <= 4 && hist < -3500*depth {
						continue
					}
					// Futility: a quiet move will not lift the score to alpha.
					if !inCheck && lmrDepth <= 8 && abs(alpha) < mateInMax &&
						f.eval+futilityBase+futilityMargin*lmrDepth+hist/128 <= alpha {
						continue
					}
				}
				if lmrDepth <= 8 && !seeAtLeast(p, m, -24*lmrDepth*lmrDepth) {
					continue
				}
			} else if k.stage > stageGoodNoisy && depth <= 8 && !seeAtLeast(p, m, -90*depth-hist/128) {
				continue
			}
		}

		// 13. Extensions.
		ext := 0
		if ply < 2*t.rootDepth {
			if m == ttMove && excluded == position.NoMove && depth >= 7 && e.depth >= depth-3 &&
				e.bound&engine.BoundLower != 0 && abs(e.score) < mateInMax {
				// Singular: if all other moves stay well below the TT move's score, the move
				// is forced and deserves a deeper look. If even they reach beta, cut at once.
				sBeta := e.score - 2*depth
				f.excluded = m
				s := t.search(ply, sBeta-1, sBeta, (depth-1)/2, cut)
				f.excluded = position.NoMove
				if t.stopped {
					return 0
				}
				switch {
				case s < sBeta:
					ext = 1
					if !pvNode && s < sBeta-16 && f.doubles < 8 {
						ext = 2
					}
				case sBeta >= beta:
					return sBeta
				case e.score >= beta:
					ext = -2
				case cut:
					ext = -1
				}
			} else if inCheck && depth <= 8 && m == ttMove {
				ext = 1
			} else if depth <= 6 && pvNode && p.GivesCheck(m) && seeAtLeast(p, m, 0) {
				ext = 1
			}
		}

		// 14. Make the move and search it: the first with the full window, the others with
		// an empty one, reduced if they come late, and again if they surprise.
		t.makeMove(ply, m)
		t.frame(ply + 1).doubles = f.doubles + btoi(ext == 2)
		newDepth := depth - 1 + ext
		s := 0
		if depth >= 2 && count > 1+btoi(pvNode) && (!noisy || k.stage > stageGoodNoisy || cut) {
			r := reduction
			if noisy {
				r = r / 2
			}
			if !improving {
				r += 512
			}
			if cut {
				r += 1400
			}
			if ttPV {
				r -= 900
			}
			if ttNoisy && !noisy {
				r += 700
			}
			if t.frame(ply + 1).pos.InCheck() {
				r -= 800
			}
			if m == f.killer {
				r -= 900
			}
			if t.frame(ply+1).cutoffs > 3 {
				r += 700
			}
			if noisy {
				r -= hist / 12
			} else {
				r -= hist / 10
			}
			d := min(max(newDepth-r/1024, 1), newDepth+btoi(pvNode))
			f.reduction = newDepth - d
			s = -t.search(ply+1, -alpha-1, -alpha, d, true)
			f.reduction = 0
			if s > alpha && d < newDepth && !t.stopped {
				deeper := s > best+60+2*newDepth
				shallower := s < best+8
				newDepth += btoi(deeper) - btoi(shallower)
				if d < newDepth {
					s = -t.search(ply+1, -alpha-1, -alpha, newDepth, !cut)
				}
				if !noisy && !t.stopped {
					bonus := 0
					if s <= alpha {
						bonus = -malusFor(newDepth)
					} else if s >= beta {
						bonus = bonusFor(newDepth)
					}
					t.nudgeCont(ply, f.cont, bonus)
				}
			}
		} else if !pvNode || count > 1 {
			s = -t.search(ply+1, -alpha-1, -alpha, newDepth, !cut)
		}
		if pvNode && (count == 1 || s > alpha) && !t.stopped {
			s = -t.search(ply+1, -beta, -alpha, newDepth, false)
		}
		if t.stopped {
			return 0
		}

		// 15. What the move is worth.
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
				bound = engine.BoundExact
				alpha = s
				// With a move that improved alpha, the others deserve a little less.
				if depth > 2 && depth < 12 && abs(s) < mateInMax {
					depth--
				}
			}
		}
		if m != bestMove {
			if noisy {
				if len(noises) < cap(noises) {
					noises = append(noises, m)
				}
			} else if len(quiets) < cap(quiets) {
				quiets = append(quiets, m)
			}
		}
	}

	// 16. No move: mate, stalemate, or (in a singular search) only the excluded one.
	if count == 0 {
		switch {
		case excluded != position.NoMove:
			return alpha
		case inCheck:
			return ply - mate
		}
		return 0
	}

	// 17. Learn and remember.
	best = min(best, ceiling)
	if bound == engine.BoundLower {
		t.learn(ply, depth, bestMove, quiets, noises)
		f.cutoffs++
	}
	if excluded == position.NoMove {
		if !inCheck && (bestMove == position.NoMove || !p.IsNoisy(bestMove)) && abs(best) < mateInMax &&
			!(bound == engine.BoundLower && best <= f.eval) && !(bound == engine.BoundUpper && best >= f.eval) {
			t.correct(ply, depth, best-f.eval)
		}
		t.tt.store(key, ply, ttEntry{move: bestMove, score: best, eval: raw, depth: depth, bound: bound, pv: ttPV})
	}
	return best
}

// probCut searches the good captures that could reach beta at a reduced depth.
func (t *thread) probCut(ply, beta, depth int, ttMove position.Move, cut bool) (int, bool) {
	f := t.frame(ply)
	p := &f.pos
	k := &f.pick[0]
	k.start(p, ttMove, position.NoMove, true, max(beta-f.eval, 0))
	for {
		m := t.next(ply, k)
		if m == position.NoMove {
			return 0, false
		}
		t.makeMove(ply, m)
		s := -t.quiesce(ply+1, -beta, -beta+1)
		if s >= beta && !t.stopped {
			s = -t.search(ply+1, -beta, -beta+1, depth-4, !cut)
		}
		if t.stopped {
			return 0, false
		}
		if s >= beta {
			return s, true
		}
	}
}

// cutsOff tells whether an entry of sufficient depth decides a node with this window.
func cutsOff(e ttEntry, alpha, beta int) bool {
	switch e.bound {
	case engine.BoundExact:
		return true
	case engine.BoundLower:
		return e.score >= beta
	case engine.BoundUpper:
		return e.score <= alpha
	}
	return false
}

// hasPieces tells whether the side to move has more than king and pawns.
func hasPieces(p *position.Position) bool {
	us := p.SideToMove()
	return p.ByColor(us)&^(p.ByType(position.Pawn)|p.ByType(position.King)) != 0
}

// lateMoves is how many moves a node of this depth tries before quiet ones are left out.
func lateMoves(depth int, improving bool) int {
	if improving {
		return 4 + depth*depth
	}
	return 3 + depth*depth/2
}

func abs(x int) int {
	if x < 0 {
		return -x
	}
	return x
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}
