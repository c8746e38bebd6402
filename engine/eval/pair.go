package eval

// pair holds a middlegame and an endgame value in one word, so that both are added and
// multiplied by a count at once: the low 16 bits are the middlegame, the high 16 the
// endgame, which a negative middlegame has borrowed one from.
type pair int32

func s(mg, eg int) pair { return pair(eg<<16 + mg) }

func (p pair) mg() int { return int(int16(p)) }

func (p pair) eg() int { return int(int16(uint32(p+0x8000) >> 16)) }
