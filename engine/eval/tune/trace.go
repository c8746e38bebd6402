package main

import (
	"zeitnot/engine/eval"
	"zeitnot/engine/position"
)

// stride is how many numbers each weight has in the vector that is fitted: middlegame and
// endgame, of which a plain weight uses the first.
const stride = 2

// term says that the value of a position grows by factor when number i of the vector
// grows by one.
type term struct {
	i      uint16
	factor float32
}

// traced is a position as the fit sees it: a linear function of the weights.
type traced struct {
	value  float32 // with the weights it was traced with, centipawns for White
	target float32 // expected result for White, 0 to 1
	terms  []term
}

// tracer finds how the evaluation of positions depends on its weights by moving each a
// little and looking again. That costs some hundred evaluations a position, but the
// evaluation needs no second copy of itself that would have to be kept equal to it.
type tracer struct {
	w       eval.Weights
	weights []weight
	e       *eval.Evaluator
	buffer  []term
}

func newTracer(w *eval.Weights) *tracer {
	t := &tracer{w: *w}
	t.weights = weightsOf(&t.w)
	t.e = eval.NewWith(&t.w, 1)
	return t
}

func (t *tracer) parts(p *position.Position) (mg, eg, phase, scale int, ok bool) {
	t.e.Clear()
	return t.e.Parts(p)
}

// trace fails for endings that are known and need no weights.
func (t *tracer) trace(p *position.Position) (traced, bool) {
	mg, eg, phase, scale, ok := t.parts(p)
	if !ok {
		return traced{}, false
	}
	ofMG := float32(phase) / 24
	ofEG := float32(24-phase) / 24 * float32(scale) / 64
	tempo := float32(1)
	if p.SideToMove() == position.Black {
		tempo = -1
	}
	flip, wing := orientation(p)

	t.buffer = t.buffer[:0]
	add := func(i int, factor float32) {
		if factor != 0 {
			t.buffer = append(t.buffer, term{uint16(i), factor})
		}
	}
	for i := 0; i < len(t.weights); i++ {
		x := &t.weights[i]
		switch {
		case x.name == ".Tempo":
			add(i*stride, tempo)
			continue
		case x.square >= 0 && !stands(p, x, flip, wing):
			continue
		case x.group != "" && (i == 0 || t.weights[i-1].group != x.group):
			// Most arrays have nothing to do with most positions: move a whole one first,
			// each element by another amount, lest they cancel out.
			end := i
			for ; end < len(t.weights) && t.weights[end].group == x.group; end++ {
				t.weights[end].shift(spread(end - i))
			}
			m, e, _, _, _ := t.parts(p)
			for j := i; j < end; j++ {
				t.weights[j].shift(-spread(j - i))
			}
			if m == mg && e == eg {
				i = end - 1
				continue
			}
		}
		x.shift(x.step)
		m, e, _, _, _ := t.parts(p)
		x.shift(-x.step)
		dm, de := float32(m-mg)/float32(x.step), float32(e-eg)/float32(x.step)
		if x.pair {
			add(i*stride, dm*ofMG)
			add(i*stride+1, de*ofEG)
		} else {
			add(i*stride, dm*ofMG+de*ofEG)
		}
	}
	return traced{
		value: float32(mg)*ofMG + float32(eg)*ofEG + tempo*float32(t.w.Tempo),
		terms: append([]term(nil), t.buffer...),
	}, true
}

func spread(n int) int { return n*n/2 + n + 16 }

// orientation is how piece-square values turn the board for each side, and the wing.
func orientation(p *position.Position) (flip [2]position.Square, wing int) {
	for c := range flip {
		if p.KingSquare(position.Color(c)).File() < 4 {
			flip[c] = 7
		}
	}
	if flip[0] != flip[1] {
		wing = 1
	}
	flip[position.Black] ^= 56
	return flip, wing
}

// stands tells whether a piece stands where the piece-square value x counts.
func stands(p *position.Position, x *weight, flip [2]position.Square, wing int) bool {
	sq, piece := position.Square(x.square), position.PieceType(x.piece)
	return x.wing == wing && (p.Pieces(position.White, piece).Has(sq^flip[position.White]) ||
		p.Pieces(position.Black, piece).Has(sq^flip[position.Black]))
}
