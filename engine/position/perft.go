package position

import "context"

// Perft counts the lines of legal moves of the length given. The last ply is counted
// without writing the moves down.
func (p *Position) Perft(depth int) uint64 {
	if depth <= 0 {
		return 1
	}
	if depth == 1 {
		return uint64(p.countLegal())
	}
	var l MoveList
	var child Position
	var n uint64
	p.Legal(&l)
	for _, m := range l.Slice() {
		p.Make(m, &child)
		n += child.Perft(depth - 1)
	}
	return n
}

// Divide calls f with each legal move and the number of lines of the length given that
// begin with it, and returns their sum. The depth is at least 1. It gives up, with the error
// of ctx, soon after ctx has ended.
func (p *Position) Divide(ctx context.Context, depth int, f func(m Move, n uint64)) (total uint64, err error) {
	var l MoveList
	var child Position
	p.Legal(&l)
	for _, m := range l.Slice() {
		p.Make(m, &child)
		n, err := child.PerftUntil(ctx, depth-1)
		if err != nil {
			return 0, err
		}
		total += n
		f(m, n)
	}
	return total, nil
}

// sureDepth is how deep Perft counts in well below a tenth of a second.
const sureDepth = 3

// PerftUntil is Perft that gives up, with the error of ctx, soon after ctx has ended.
func (p *Position) PerftUntil(ctx context.Context, depth int) (uint64, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	if depth <= sureDepth {
		return p.Perft(depth), nil
	}
	return p.Divide(ctx, depth, func(Move, uint64) {})
}
