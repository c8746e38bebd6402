package syzygy

import (
	"errors"
	"fmt"

	"zeitnot/engine/position"
)

// layout is how one part of a table numbers its positions: the men in a certain order, cut
// into groups, each of which contributes its own number times a factor.
type layout struct {
	men   int
	order [MaxMen]man
	// groups are the lengths of the groups; the first holds the leading pawns, or the two
	// or three leading men of a table without pawns.
	groups  [MaxMen]int
	factors [MaxMen]uint64
	count   int // of groups
	pawns   bool
	// otherPawns tells that the second group is the pawns of the other side.
	otherPawns bool
	// size is the number of positions; every index is below it.
	size uint64
}

// man is a man as the files write it: the type (pawn 1 … king 6), plus 8 if it is Black's.
type man byte

func makeMan(c position.Color, t position.PieceType) man { return man(byte(c)<<3 | tableType(t)) }

func (m man) color() position.Color { return position.Color(m >> 3) }

func (m man) pieceType() position.PieceType { return position.PieceType(m&7) - 1 }

// absentGroup is the place of a second pawn group that is not there.
const absentGroup = 15

// newLayout joins the men in the file's order and the places that it gives the first two
// groups among the factors. file is that of the leading pawn, 0 without pawns.
func newLayout(m material, order []man, places [2]int, file int) (layout, error) {
	l := layout{men: len(order), pawns: m.hasPawns()}
	copy(l.order[:], order)
	if err := l.checkMen(m); err != nil {
		return l, err
	}

	leading := 1
	switch {
	case l.pawns:
		l.otherPawns = m.pawns(m.leader().Other()) > 0
	case m.hasUnique():
		leading = 3
	default:
		leading = 2
	}
	l.groups[0], l.count = 1, 1
	for i := 1; i < l.men; i++ {
		if i < leading || order[i] == order[i-1] {
			l.groups[l.count-1]++
		} else {
			l.groups[l.count] = 1
			l.count++
		}
	}
	if !l.pawns && l.groups[0] != leading {
		return l, errors.New("the leading men are not all different")
	}
	return l, l.multiply(m, places, file)
}

// checkMen makes sure that the order holds exactly the material, and pawns lead.
func (l *layout) checkMen(m material) error {
	var seen material
	var crowned [2]int
	for i, x := range l.order[:l.men] {
		switch t := x.pieceType(); {
		case x > 15 || t > position.King:
			return fmt.Errorf("man %d has the unknown code %d", i+1, x)
		case t == position.King:
			crowned[x.color()]++
		default:
			seen += unit(x.color(), t)
		}
	}
	if seen != m || crowned != [2]int{1, 1} {
		return fmt.Errorf("the men are not those of %s", m)
	}
	if !l.pawns {
		return nil
	}
	lead := makeMan(m.leader(), position.Pawn)
	other := makeMan(m.leader().Other(), position.Pawn)
	n := m.pawns(m.leader())
	for i, x := range l.order[:n+m.pawns(m.leader().Other())] {
		if (i < n && x != lead) || (i >= n && x != other) {
			return errors.New("the pawns do not come first")
		}
	}
	return nil
}

// multiply gives each group its factor. places say after how many of the other groups the
// first, and the second if it is pawns, have their turn.
func (l *layout) multiply(m material, places [2]int, file int) error {
	next, free := 1, 64-l.groups[0]
	if l.otherPawns {
		next = 2
		free -= l.groups[1]
	} else {
		places[1] = absentGroup
	}
	total := uint64(1)
	given := 0
	for turn := 0; given < l.count; turn++ {
		switch {
		case turn == places[0]:
			l.factors[0] = total
			switch {
			case l.pawns:
				total *= leaderIndex[l.groups[0]].size[file]
			case l.groups[0] == 3:
				total *= tripleCount
			default:
				total *= kingPairCount
			}
		case turn == places[1]:
			l.factors[1] = total
			total *= binomials[l.groups[1]][pawnSquares-l.groups[0]]
		case next < l.count:
			l.factors[next] = total
			total *= binomials[l.groups[next]][free]
			free -= l.groups[next]
			next++
		default:
			return fmt.Errorf("%s: the groups have the places %v", m, places)
		}
		given++
	}
	l.size = total
	return nil
}

// index is the number of a placement: the squares of the men in the layout's order. It
// turns and sorts the squares in place.
func (l *layout) index(sq *[MaxMen]position.Square) uint64 {
	all := sq[:l.men]
	var n uint64
	if l.pawns {
		n = leadPawnsFirst(sq[:l.groups[0]])
		if all[0].File() > 3 {
			panic("syzygy: the leading pawn is not on the files a-d")
		}
	} else {
		turn(all, l.groups[0])
		n = leadingMen(all, l.groups[0])
	}
	n *= l.factors[0]

	pawnRank := l.otherPawns
	from := l.groups[0]
	for g := 1; g < l.count; g++ {
		group := sq[from : from+l.groups[g]]
		sortSquares(group)
		part := uint64(0)
		for i, s := range group {
			// Squares taken by the men of earlier groups do not count.
			free := int(s)
			for _, earlier := range sq[:from] {
				if s > earlier {
					free--
				}
			}
			if pawnRank {
				free -= 8
			}
			part += binomials[i+1][free]
		}
		pawnRank = false
		n += part * l.factors[g]
		from += len(group)
	}
	return n
}

// findLeader moves the pawn that leads to the front.
func findLeader(pawns []position.Square) {
	for i := range pawns {
		if pawnOrder[pawns[i]] > pawnOrder[pawns[0]] {
			pawns[0], pawns[i] = pawns[i], pawns[0]
		}
	}
}

// leadPawnsFirst numbers the leading pawns, the first of which leads already.
func leadPawnsFirst(pawns []position.Square) uint64 {
	rest := pawns[1:]
	for i := 1; i < len(rest); i++ {
		for j := i; j > 0 && pawnOrder[rest[j]] < pawnOrder[rest[j-1]]; j-- {
			rest[j], rest[j-1] = rest[j-1], rest[j]
		}
	}
	n := leaderIndex[len(pawns)].first[pawns[0]]
	for i, s := range rest {
		n += binomials[i+1][pawnOrder[s]]
	}
	return n
}

// turn mirrors the board so that the first man stands in the triangle a1-d1-d4, and the
// first of the leading men that is not on the diagonal below it.
func turn(all []position.Square, leading int) {
	var flip position.Square
	if all[0].File() > 3 {
		flip |= 7
	}
	if all[0].Rank() > 3 {
		flip |= 56
	}
	for i := range all {
		all[i] ^= flip
	}
	for _, s := range all[:leading] {
		if offDiagonal(s) < 0 {
			return
		}
		if offDiagonal(s) > 0 {
			for i := range all {
				all[i] = transpose(all[i])
			}
			return
		}
	}
}

// leadingMen numbers the two kings, or three men that are all different.
func leadingMen(all []position.Square, leading int) uint64 {
	a, b := all[0], all[1]
	if leading == 2 {
		return uint64(kingPairs[triangle[a]][b])
	}
	c := all[2]
	past := func(s, earlier position.Square) uint64 {
		if s > earlier {
			return 1
		}
		return 0
	}
	skipB := past(b, a)
	skipC := past(c, a) + past(c, b)
	rank := func(s position.Square) uint64 { return uint64(s.Rank()) }
	const (
		offA = triangleOff * 63 * 62
		offB = offA + 4*belowAll*62
		offC = offB + 4*7*belowAll
	)
	switch {
	case offDiagonal(a) != 0:
		return (uint64(triangle[a])*63+uint64(b)-skipB)*62 + uint64(c) - skipC
	case offDiagonal(b) != 0:
		return offA + (rank(a)*belowAll+uint64(below[b]))*62 + uint64(c) - skipC
	case offDiagonal(c) != 0:
		return offB + (rank(a)*7+rank(b)-skipB)*belowAll + uint64(below[c])
	}
	return offC + (rank(a)*7+rank(b)-skipB)*6 + rank(c) - skipC
}

func sortSquares(s []position.Square) {
	for i := 1; i < len(s); i++ {
		for j := i; j > 0 && s[j] < s[j-1]; j-- {
			s[j], s[j-1] = s[j-1], s[j]
		}
	}
}
