package position_test

import (
	"testing"

	"zeitnot/engine/position"
)

// perftWritten is perft with the last ply written down too: what a search pays.
func perftWritten(p *position.Position, depth int) (n uint64) {
	var l position.MoveList
	if p.Legal(&l); depth == 1 {
		return uint64(l.Len())
	}
	var child position.Position
	for _, m := range l.Slice() {
		p.Make(m, &child)
		n += perftWritten(&child, depth-1)
	}
	return n
}

func BenchmarkPerft(b *testing.B) { benchmarkPerft(b, (*position.Position).Perft) }

func BenchmarkPerftWritten(b *testing.B) { benchmarkPerft(b, perftWritten) }

func benchmarkPerft(b *testing.B, perft func(*position.Position, int) uint64) {
	p := parse(b, kiwipete)
	var nodes uint64
	for b.Loop() {
		nodes += perft(&p, 4)
	}
	b.ReportMetric(float64(nodes)/b.Elapsed().Seconds()/1e6, "Mnps")
}

// benchmarkPositions runs f on every 97th position of the first plies after kiwipete.
func benchmarkPositions(b *testing.B, f func(p *position.Position)) {
	var positions []position.Position
	count := 0
	var visit func(p *position.Position, depth int)
	visit = func(p *position.Position, depth int) {
		if count++; count%97 == 0 {
			positions = append(positions, *p)
		}
		if depth == 0 {
			return
		}
		for _, m := range legalMoves(p) {
			var child position.Position
			p.Make(m, &child)
			visit(&child, depth-1)
		}
	}
	root := parse(b, kiwipete)
	visit(&root, 3)
	i := 0
	for b.Loop() {
		f(&positions[i])
		if i++; i == len(positions) {
			i = 0
		}
	}
}

func BenchmarkLegal(b *testing.B) {
	var l position.MoveList
	benchmarkPositions(b, func(p *position.Position) { p.Legal(&l) })
}

func BenchmarkLegalNoisy(b *testing.B) {
	var l position.MoveList
	benchmarkPositions(b, func(p *position.Position) { p.LegalNoisy(&l) })
}

func BenchmarkLegalQuiet(b *testing.B) {
	var l position.MoveList
	benchmarkPositions(b, func(p *position.Position) { p.LegalQuiet(&l) })
}

// One operation is a whole list of moves made, about 45 of them.
func BenchmarkMakeAll(b *testing.B) {
	var l position.MoveList
	var next position.Position
	moves := 0
	benchmarkPositions(b, func(p *position.Position) {
		p.Legal(&l)
		for _, m := range l.Slice() {
			p.Make(m, &next)
		}
		moves += l.Len()
	})
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(moves), "ns/move")
}

func BenchmarkIsLegal(b *testing.B) {
	root := parse(b, kiwipete)
	moves := legalMoves(&root)
	i := 0
	benchmarkPositions(b, func(p *position.Position) {
		p.IsLegal(moves[i%len(moves)])
		i++
	})
}
