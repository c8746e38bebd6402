package eval

import (
	"fmt"
	"strings"

	"zeitnot/engine/position"
)

// Part is what a group of weights adds to the value of a position.
type Part struct {
	Name string
	// Centipawns for White: by how much the value falls if the group counts nothing.
	Centipawns int
}

// groups are the weights by what they are about. The function takes a group's weights out.
var groups = [...]struct {
	name string
	drop func(w *Weights)
}{
	{"material", func(w *Weights) { w.Material = [6]pair{} }},
	{"squares", func(w *Weights) { w.PST = [2][6][64]pair{} }},
	{"mobility", func(w *Weights) {
		w.KnightMobility, w.BishopMobility = [9]pair{}, [14]pair{}
		w.RookMobility, w.QueenMobility = [15]pair{}, [28]pair{}
	}},
	{"minor pieces", func(w *Weights) {
		w.BishopPair, w.BishopPawns, w.BishopBlocked, w.BishopOutpost, w.BishopLong = 0, [9]pair{}, 0, 0, 0
		w.KnightOutpost, w.KnightReach, w.MinorBehindPawn = [2]pair{}, 0, 0
		w.KnightKing, w.BishopKing, w.KnightPawns = [8]pair{}, [8]pair{}, [9]pair{}
	}},
	{"rooks", func(w *Weights) {
		w.RookPawns, w.RookOpen, w.RookHalfOpen, w.RookTrapped, w.RookSeventh = [9]pair{}, 0, 0, 0, 0
	}},
	{"pawns", func(w *Weights) {
		w.Isolated, w.Backward, w.Doubled, w.DoubledClose, w.LeverTwice = [2]pair{}, [2]pair{}, 0, 0, 0
		w.Connected, w.Supported, w.ConnectedOpposed, w.Candidate = [2][8]pair{}, 0, 0, [8]pair{}
	}},
	{"passed pawns", func(w *Weights) {
		w.Passed, w.PassedOwnKing, w.PassedEnemyKing = [8]pair{}, [6]pair{}, [6]pair{}
		w.PassedFree, w.PassedStep, w.PassedDefended = [8]pair{}, [8]pair{}, [8]pair{}
		w.PassedBlocked, w.PassedRunner = [8]pair{}, 0
	}},
	{"king safety", func(w *Weights) {
		w.Shelter, w.Storm, w.StormBlocked = [4][8]pair{}, [4][8]pair{}, [8]pair{}
		w.KingOpen, w.KingHalfOpen, w.PawnlessFlank, w.Danger = 0, 0, 0, Danger{}
	}},
	{"threats", func(w *Weights) {
		w.ThreatByPawn, w.ThreatByMinor, w.ThreatByRook = [8]pair{}, [2][8]pair{}, [2][8]pair{}
		w.ThreatByKing, w.Hanging, w.WeakByQueen, w.Restricted = 0, 0, 0, 0
		w.ThreatByPush, w.QueenByKnight, w.QueenBySlider, w.Pinned = 0, 0, 0, 0
	}},
	{"progress", func(w *Weights) { w.Progress = Progress{} }},
	{"space", func(w *Weights) { w.Space = 0 }},
}

// Explain gives the parts of the value by what they are about, each found by evaluating
// without it, so that the evaluation needs no second copy of itself. They need not add up to
// the value, since terms depend on each other; nil for a known ending.
func Explain(p *position.Position) []Part {
	if _, ok := known(p); ok {
		return nil
	}
	whole := New().White(p)
	parts := make([]Part, len(groups))
	for i, g := range groups {
		w := Default()
		g.drop(&w)
		parts[i] = Part{g.name, whole - NewWith(&w, 1).White(p)}
	}
	return parts
}

// Text is Explain as a table for people, in pawns, with the value at its end.
func Text(p *position.Position) string {
	var b strings.Builder
	row := func(name string, centipawns int) {
		fmt.Fprintf(&b, "%-14s %+7.2f\n", name, float64(centipawns)/100)
	}
	parts := Explain(p)
	for _, part := range parts {
		row(part.Name, part.Centipawns)
	}
	if parts == nil {
		b.WriteString("a known ending\n")
	}
	e := New()
	value := e.Evaluate(p)
	if p.SideToMove() == position.Black {
		value = -value
	}
	row("to move", value-e.White(p))
	row("value", value)
	b.WriteString("in pawns for White, without search")
	if p.InCheck() {
		b.WriteString(", which means little in check")
	}
	return b.String() + "\n"
}
