package position

// lightSquares are the squares of the colour of h1.
const lightSquares Bitboard = 0x55aa55aa55aa55aa

// InsufficientMaterial tells whether neither side can ever mate: the game is drawn at
// once. That is three men at most, kings and one minor piece, or kings and bishops that
// all stand on squares of one colour.
func (p *Position) InsufficientMaterial() bool {
	return !p.CanMate(White) && !p.CanMate(Black)
}

// CanMate tells whether c has mating material, which decides whether it wins when the
// opponent's time runs out. It has not with a bare king; with one knight alone
// against nothing but queens; and with bishops alone, while no bishop on the board
// stands on the other colour and the opponent has neither knight nor pawn.
func (p *Position) CanMate(c Color) bool {
	own, enemy := p.byColor[c&1], p.byColor[c&1^1]
	if own&(p.byType[Pawn]|p.byType[Rook]|p.byType[Queen]) != 0 {
		return true
	}
	knights, bishops := own&p.byType[Knight], own&p.byType[Bishop]
	switch {
	case knights != 0:
		if bishops != 0 || knights.Several() {
			return true
		}
		return enemy&^(p.byType[King]|p.byType[Queen]) != 0
	case bishops != 0:
		all := p.byType[Bishop]
		return all&lightSquares != 0 && all&^lightSquares != 0 ||
			enemy&(p.byType[Knight]|p.byType[Pawn]) != 0
	}
	return false
}
