package search

import (
	"zeitnot/engine"
	"zeitnot/engine/position"
)

// Tables know who wins positions with few men.
type Tables interface {
	// MaxMen is the most men, kings included, of a position that is worth asking about; 0
	// if there is none.
	MaxMen() int
	// ProbeWDL is the value of a position for the side to move when its halfmove clock is
	// 0: 2 won, 1 won but for the fifty-move rule, 0 drawn, -1 and -2 the same for the
	// loser. ok is false where the tables do not have it, as with castling rights.
	ProbeWDL(p *position.Position) (wdl int, ok bool)
}

const (
	// tableWin is what a table's win counts at the root, a ply less at each ply below, so
	// that the way into the tables is short. tableMin is the least that one can count.
	tableWin = int(engine.TableWin)
	tableMin = tableWin - maxPly
	// tableDepth is the least depth at which positions with as many men as the largest
	// tables have are looked up; those with fewer men always are. Large tables are slow.
	tableDepth = 2
)

// fromRoot tells whether a score counts its distance from the root.
func fromRoot(score int) bool {
	size := abs(score)
	return size >= mateInMax || size >= tableMin && size <= tableWin
}

// tablesFor readies the tables for a search; nil are none.
func (t *thread) tablesFor(tables Tables) {
	t.tables, t.tbMen, t.tbHits = tables, 0, 0
	if tables != nil {
		t.tbMen = tables.MaxMen()
	}
}

// probeTables asks the tables about the position at ply, whose halfmove clock is 0. After a
// look, which may have taken a disk's time, the clock is looked at with the next node.
func (t *thread) probeTables(ply, depth int) (score int, bound engine.Bound, ok bool) {
	p := &t.frame(ply).pos
	if men := p.Occupied().Count(); men > t.tbMen || men == t.tbMen && depth < tableDepth {
		return 0, engine.BoundNone, false
	}
	wdl, ok := t.tables.ProbeWDL(p)
	t.pollAt = t.nodes
	if !ok {
		return 0, engine.BoundNone, false
	}
	t.tbHits++
	switch wdl {
	case 2:
		return tableWin - ply, engine.BoundLower, true
	case -2:
		return ply - tableWin, engine.BoundUpper, true
	}
	// Drawn by the fifty-move rule at the latest; a win that it prevents is a little better.
	return wdl, engine.BoundExact, true
}
