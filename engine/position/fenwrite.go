package position

import "strconv"

// FEN is the position in X-FEN: KQkq for the outermost rooks, a file letter for another
// rook. The en passant square is there only when a legal move captures on it.
func (p *Position) FEN() string { return p.writeFEN(false) }

// ShredderFEN is FEN with the castling rights as files of the rooks.
func (p *Position) ShredderFEN() string { return p.writeFEN(true) }

// String is the FEN.
func (p *Position) String() string { return p.FEN() }

func (p *Position) writeFEN(shredder bool) string {
	b := make([]byte, 0, 96)
	for rank := 7; rank >= 0; rank-- {
		empty := byte(0)
		for file := range 8 {
			pc := p.board[SquareAt(file, rank)]
			if pc == NoPiece {
				empty++
				continue
			}
			if empty > 0 {
				b = append(b, '0'+empty)
				empty = 0
			}
			b = append(b, pieceLetters[pc])
		}
		if empty > 0 {
			b = append(b, '0'+empty)
		}
		if rank > 0 {
			b = append(b, '/')
		}
	}
	b = append(b, ' ', "wb"[p.side], ' ')
	b = p.appendCastling(b, shredder)
	b = append(b, ' ')
	b = append(b, p.ep.String()...)
	b = append(b, ' ')
	b = strconv.AppendUint(b, uint64(p.halfmove), 10)
	b = append(b, ' ')
	b = strconv.AppendUint(b, uint64(p.fullmove), 10)
	return string(b)
}

func (p *Position) appendCastling(b []byte, shredder bool) []byte {
	none := len(b)
	for _, c := range []Color{White, Black} {
		for side, rook := range p.castling[c] {
			if rook == NoSquare {
				continue
			}
			letter := byte('a' + rook.File())
			if outermost, err := p.rookOfRight(c, "kq"[side]); !shredder && err == nil && outermost == rook {
				letter = "kq"[side]
			}
			if c == White {
				letter -= 'a' - 'A'
			}
			b = append(b, letter)
		}
	}
	if len(b) == none {
		b = append(b, '-')
	}
	return b
}
