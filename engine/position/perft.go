package position

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
// begin with it. The depth is at least 1.
func (p *Position) Divide(depth int, f func(m Move, n uint64)) {
	var l MoveList
	var child Position
	p.Legal(&l)
	for _, m := range l.Slice() {
		p.Make(m, &child)
		f(m, child.Perft(depth-1))
	}
}
