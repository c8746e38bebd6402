package syzygy

import (
	"math/rand/v2"
	"slices"
	"testing"

	"zeitnot/engine/position"
)

// randomMaterial has n men; a table of it could exist.
func randomMaterial(r *rand.Rand, n int) material {
	for {
		var m material
		for range n - kings {
			m += unit(position.Color(r.IntN(2)), position.PieceType(r.IntN(5)))
		}
		// No table has five or more pawns on a side beside other men of it; any will do here.
		if m.pawns(position.White) <= maxLeaders && m.pawns(position.Black) <= maxLeaders {
			return m
		}
	}
}

// randomOrder puts the men of a class in an order that a file may have.
func randomOrder(r *rand.Rand, m material) []man {
	var lead, single, rest []man
	add := func(c position.Color, t position.PieceType, n int) {
		group := slices.Repeat([]man{makeMan(c, t)}, n)
		switch {
		case t == position.Pawn && c == m.leader():
			lead = append(group, lead...)
		case t == position.Pawn:
			lead = append(lead, group...)
		case n == 1 && t != position.King:
			single = append(single, group...)
		default:
			rest = append(rest, group...)
		}
	}
	for c := position.White; c <= position.Black; c++ {
		for t := position.Pawn; t <= position.King; t++ {
			n := 1
			if t != position.King {
				n = m.count(c, t)
			}
			if n > 0 {
				add(c, t, n)
			}
		}
	}
	if len(lead) > 0 {
		rest = append(rest, single...)
		return append(lead, shuffleGroups(r, rest)...)
	}
	// Without pawns the kings, and one single man if there is one, come first in any order.
	isKing := func(x man) bool { return x.pieceType() == position.King }
	kings := slices.DeleteFunc(slices.Clone(rest), func(x man) bool { return !isKing(x) })
	rest = slices.DeleteFunc(rest, isKing)
	first := kings
	if len(single) > 0 {
		i := r.IntN(len(single))
		first = append(first, single[i])
		rest = append(rest, slices.Delete(single, i, i+1)...)
	}
	r.Shuffle(len(first), func(i, j int) { first[i], first[j] = first[j], first[i] })
	return append(first, shuffleGroups(r, rest)...)
}

// shuffleGroups keeps equal men together.
func shuffleGroups(r *rand.Rand, men []man) []man {
	var kinds []man
	for _, x := range men {
		if !slices.Contains(kinds, x) {
			kinds = append(kinds, x)
		}
	}
	r.Shuffle(len(kinds), func(i, j int) { kinds[i], kinds[j] = kinds[j], kinds[i] })
	var out []man
	for _, k := range kinds {
		for _, x := range men {
			if x == k {
				out = append(out, x)
			}
		}
	}
	return out
}

// randomLayout is a class in some order; file is where the leading pawn shall stand.
func randomLayout(t *testing.T, r *rand.Rand, m material, file int) layout {
	t.Helper()
	order := randomOrder(r, m)
	for {
		places := [2]int{r.IntN(MaxMen), r.IntN(MaxMen)}
		l, err := newLayout(m, order, places, file)
		if err == nil {
			return l
		}
		if places == [2]int{0, 1} {
			t.Fatalf("%s in the order %v: %v", m, order, err)
		}
	}
}

// randomSquares places the men of a layout: no two on a square, kings apart, no pawn on an
// edge rank, the leading pawn on the file if there are pawns.
func randomSquares(r *rand.Rand, l *layout, file int) (sq [MaxMen]position.Square) {
	for {
		var taken position.Bitboard
		var kings []position.Square
		for i, x := range l.order[:l.men] {
			for {
				s := position.Square(r.IntN(64))
				if taken.Has(s) || (x.pieceType() == position.Pawn && (s.Rank() == 0 || s.Rank() == 7)) {
					continue
				}
				sq[i] = s
				taken |= s.Bit()
				break
			}
			if x.pieceType() == position.King {
				kings = append(kings, sq[i])
			}
		}
		if position.KingAttacks(kings[0]).Has(kings[1]) {
			continue
		}
		if !l.pawns {
			return sq
		}
		findLeader(sq[:l.groups[0]])
		if sq[0].File() > 3 {
			sq = mapSquares(sq, func(s position.Square) position.Square { return s ^ 7 })
		}
		if sq[0].File() == file {
			return sq
		}
	}
}

func mapSquares(sq [MaxMen]position.Square, f func(position.Square) position.Square) [MaxMen]position.Square {
	for i := range sq {
		sq[i] = f(sq[i])
	}
	return sq
}

// symmetries are the ways to turn a board without pawns.
func symmetries() []func(position.Square) position.Square {
	var all []func(position.Square) position.Square
	for _, flip := range []position.Square{0, 7, 56, 63} {
		all = append(all,
			func(s position.Square) position.Square { return s ^ flip },
			func(s position.Square) position.Square { return transpose(s ^ flip) })
	}
	return all
}

func TestSymmetricPlacementsOfAnySizeHaveOneIndexInRange(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 7))
	classes := 3000
	if testing.Short() {
		classes = 300
	}
	for range classes {
		m := randomMaterial(r, 3+r.IntN(MaxMen-2))
		file := 0
		if m.hasPawns() {
			file = r.IntN(4)
		}
		l := randomLayout(t, r, m, file)
		for range 10 {
			sq := randomSquares(r, &l, file)
			work := sq
			want := l.index(&work)
			if want >= l.size {
				t.Fatalf("%s %v at %v: index %d, size %d", m, l.order, sq, want, l.size)
			}
			// Equal men may change places.
			swapped := sq
			for i := 1; i < l.men; i++ {
				if l.order[i] == l.order[i-1] && (i >= l.groups[0] || i > 1) && r.IntN(2) == 0 {
					swapped[i], swapped[i-1] = swapped[i-1], swapped[i]
				}
			}
			if got := l.index(&swapped); got != want {
				t.Fatalf("%s %v at %v: index %d with equal men exchanged, want %d", m, l.order, sq, got, want)
			}
			if l.pawns {
				continue // its only symmetry is undone before
			}
			// With all leading men on the diagonal the numbering keeps both mirror images.
			both := !slices.ContainsFunc(work[:l.groups[0]], func(s position.Square) bool { return offDiagonal(s) != 0 })
			for i, f := range symmetries() {
				if both && i%2 == 1 {
					continue
				}
				turned := mapSquares(sq, f)
				if got := l.index(&turned); got != want {
					t.Fatalf("%s %v at %v: index %d by symmetry %d, want %d", m, l.order, sq, got, i, want)
				}
			}
		}
	}
}

// canonical is the same for placements that are symmetric, and for no others.
func canonical(l *layout, sq [MaxMen]position.Square) (least [MaxMen]position.Square) {
	turns := symmetries()
	if l.pawns {
		turns = turns[:1]
	}
	for i, f := range turns {
		c := mapSquares(sq, f)
		from := 0
		for _, n := range l.groups[:l.count] {
			// A leading group of different men keeps its order.
			if l.pawns || from > 0 {
				slices.Sort(c[from : from+n])
			}
			from += n
		}
		for j := l.men; j < MaxMen; j++ {
			c[j] = 0
		}
		if i == 0 || slices.Compare(c[:], least[:]) < 0 {
			least = c
		}
	}
	return least
}

func TestDifferentPlacementsHaveDifferentIndexes(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 7))
	classes := 400
	if testing.Short() {
		classes = 60
	}
	for range classes {
		m := randomMaterial(r, 3+r.IntN(MaxMen-2))
		file := 0
		if m.hasPawns() {
			file = r.IntN(4)
		}
		l := randomLayout(t, r, m, file)
		// Small classes meet themselves by chance; large ones near a first placement.
		seen := make(map[uint64][MaxMen]position.Square)
		base := randomSquares(r, &l, file)
		for range 2000 {
			sq := randomSquares(r, &l, file)
			if r.IntN(2) == 0 {
				sq = near(r, &l, base, file)
			}
			work, c := sq, canonical(&l, sq)
			n := l.index(&work)
			if first, ok := seen[n]; ok && first != c {
				t.Fatalf("%s %v: %v and %v both have index %d", m, l.order, first, c, n)
			}
			seen[n] = c
		}
	}
}

// near changes the place of one man, if that gives a placement the layout may be asked for.
func near(r *rand.Rand, l *layout, sq [MaxMen]position.Square, file int) [MaxMen]position.Square {
	moved := sq
	i := r.IntN(l.men)
	s := position.Square(r.IntN(64))
	edge := l.order[i].pieceType() == position.Pawn && (s.Rank() == 0 || s.Rank() == 7)
	if slices.Contains(moved[:l.men], s) || edge {
		return sq
	}
	moved[i] = s
	var kings []position.Square
	for j, x := range l.order[:l.men] {
		if x.pieceType() == position.King {
			kings = append(kings, moved[j])
		}
	}
	if position.KingAttacks(kings[0]).Has(kings[1]) {
		return sq
	}
	if l.pawns {
		findLeader(moved[:l.groups[0]])
		if moved[0].File() != file {
			return sq
		}
	}
	return moved
}

func TestEveryIndexOfASmallClassIsUsed(t *testing.T) {
	// Three different men: the numbering has no holes but placements with touching kings.
	m, err := parseMaterial("KQvK")
	if err != nil {
		t.Fatal(err)
	}
	k, q, bk := makeMan(position.White, position.King), makeMan(position.White, position.Queen), makeMan(position.Black, position.King)
	l, err := newLayout(m, []man{k, q, bk}, [2]int{0, absentGroup}, 0)
	if err != nil {
		t.Fatal(err)
	}
	used := make(map[uint64]bool)
	var sq [MaxMen]position.Square
	for a := position.Square(0); a < 64; a++ {
		for b := position.Square(0); b < 64; b++ {
			for c := position.Square(0); c < 64; c++ {
				if a == b || a == c || b == c {
					continue
				}
				sq[0], sq[1], sq[2] = a, b, c
				used[l.index(&sq)] = true
			}
		}
	}
	if l.size != tripleCount || len(used) != tripleCount {
		t.Errorf("%d indexes used of %d, want all %d", len(used), l.size, tripleCount)
	}
}

func TestKingPairsAreCountedOnce(t *testing.T) {
	used := make(map[uint16]int)
	for i := range kingPairs {
		for _, n := range kingPairs[i] {
			used[n]++
		}
	}
	if len(used) != kingPairCount {
		t.Errorf("%d numbers, want %d", len(used), kingPairCount)
	}
}

func TestMaterialNames(t *testing.T) {
	for _, name := range []string{"KQvK", "KRPvKR", "KPPPPPvK", "KQRBvKNN", "KBNvKN"} {
		m, err := parseMaterial(name)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if m.String() != name || m.mirror().mirror() != m || m.men() != len(name)-1 {
			t.Errorf("%s: read as %s with %d men", name, m, m.men())
		}
	}
	for _, name := range []string{"", "v", "KvK", "KQK", "QvK", "KQvQ", "KXvK", "KQQQQvKQQ", "kqvk", "KQvKvK", "KKvK"} {
		if m, err := parseMaterial(name); err == nil {
			t.Errorf("%q was read as %s", name, m)
		}
	}
}
