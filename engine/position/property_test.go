package position_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"zeitnot/engine/position"
)

// failer is what a property needs of a test; testing.T and rapid.T both have it.
type failer interface {
	Helper()
	Fatalf(format string, args ...any)
}

// everyPosition checks a property on drawn positions of games and on odd ones.
func everyPosition(t *testing.T, property func(t failer, p *position.Position)) {
	t.Helper()
	t.Run("positions of games", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			p := drawPosition(t)
			property(t, &p)
		})
	})
	t.Run("odd positions", func(t *testing.T) {
		n := 300
		if testing.Short() {
			n = 60
		}
		for _, p := range oddPositions(t, n) {
			property(t, &p)
		}
	})
}

func legalMoves(p *position.Position) []position.Move {
	var l position.MoveList
	p.Legal(&l)
	return slices.Clone(l.Slice())
}

func TestEveryPositionAndItsChildrenAreValid(t *testing.T) {
	everyPosition(t, func(t failer, p *position.Position) {
		if err := p.Validate(); err != nil {
			t.Fatalf("%s: %v", p.FEN(), err)
		}
		for _, m := range legalMoves(p) {
			before := *p
			var next position.Position
			p.Make(m, &next)
			if *p != before {
				t.Fatalf("%s after %s: make changed its own position", before.FEN(), p.UCI(m, true))
			}
			if err := next.Validate(); err != nil {
				t.Fatalf("%s after %s: %v", p.FEN(), p.UCI(m, true), err)
			}
		}
	})
}

func TestMadePositionEqualsTheOneReadFromItsFEN(t *testing.T) {
	everyPosition(t, func(t failer, p *position.Position) {
		for _, m := range legalMoves(p) {
			var next position.Position
			p.Make(m, &next)
			fresh, err := next.Fresh()
			if err != nil {
				t.Fatalf("%s after %s: %v", p.FEN(), p.UCI(m, true), err)
			}
			if fresh != next {
				t.Fatalf("%s after %s: got\n%+v, want\n%+v", p.FEN(), p.UCI(m, true), next, fresh)
			}
		}
	})
}

func TestFENRoundTrip(t *testing.T) {
	everyPosition(t, func(t failer, p *position.Position) {
		for _, fen := range []string{p.FEN(), p.ShredderFEN()} {
			q, err := position.ParseFEN(fen)
			if err != nil {
				t.Fatalf("%v", err)
			}
			if q = q.WithChess960(p.Chess960()); q != *p {
				t.Fatalf("round trip of %s: got %s", fen, q.FEN())
			}
		}
	})
}

// Every 16-bit value is tried: nothing but the generated moves may pass.
func TestIsLegalAgreesWithGeneratorOnAllValues(t *testing.T) {
	everyPosition(t, func(t failer, p *position.Position) {
		legal := map[position.Move]bool{}
		for _, m := range legalMoves(p) {
			if legal[m] {
				t.Fatalf("%s: %s is generated twice", p.FEN(), p.UCI(m, true))
			}
			legal[m] = true
		}
		for v := range 1 << 16 {
			m := position.Move(v)
			if got, want := p.IsLegal(m), legal[m]; got != want {
				t.Fatalf("%s: legality of %s (%#x): got %v, want %v", p.FEN(), p.UCI(m&0x7fff, true), v, got, want)
			}
		}
	})
}

func TestNoisyAndQuietMakeUpLegal(t *testing.T) {
	everyPosition(t, func(t failer, p *position.Position) {
		var noisy, quiet position.MoveList
		p.LegalNoisy(&noisy)
		p.LegalQuiet(&quiet)
		for _, m := range noisy.Slice() {
			if !p.IsNoisy(m) {
				t.Fatalf("%s: noisy %s is said to be quiet", p.FEN(), p.UCI(m, true))
			}
			if !p.IsCapture(m) && m.Kind() != position.PromoteQueen {
				t.Fatalf("%s: noisy %s neither captures nor makes a queen", p.FEN(), p.UCI(m, true))
			}
		}
		for _, m := range quiet.Slice() {
			if p.IsNoisy(m) {
				t.Fatalf("%s: quiet %s is said to be noisy", p.FEN(), p.UCI(m, true))
			}
		}
		sorted := cmpopts.SortSlices(func(a, b position.Move) bool { return a < b })
		both := slices.Concat(noisy.Slice(), quiet.Slice())
		if diff := cmp.Diff(legalMoves(p), both, sorted, cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("%s: legal against noisy + quiet (-want +got):\n%s", p.FEN(), diff)
		}
		if got, want := p.Perft(1), uint64(len(both)); got != want {
			t.Fatalf("%s: counted moves: got %d, want %d", p.FEN(), got, want)
		}
		if got, want := p.HasLegalMove(), len(both) > 0; got != want {
			t.Fatalf("%s: has a legal move: got %v, want %v", p.FEN(), got, want)
		}
	})
}

func TestChecksAndCapturesAgreeWithMakingTheMove(t *testing.T) {
	everyPosition(t, func(t failer, p *position.Position) {
		for _, m := range legalMoves(p) {
			var next position.Position
			p.Make(m, &next)
			if got, want := p.GivesCheck(m), next.InCheck(); got != want {
				t.Fatalf("%s: %s gives check: got %v, want %v", p.FEN(), p.UCI(m, true), got, want)
			}
			// What is gone of the opponent's men has been taken.
			taken := position.NoPieceType
			for pt := position.Pawn; pt <= position.King; pt++ {
				if them := next.SideToMove(); next.Pieces(them, pt).Count() < p.Pieces(them, pt).Count() {
					taken = pt
				}
			}
			if got := p.Captured(m); got != taken || p.IsCapture(m) != (taken != position.NoPieceType) {
				t.Fatalf("%s: %s captures: got type %v, want %v", p.FEN(), p.UCI(m, true), got, taken)
			}
		}
	})
}

func TestNotationsRoundTrip(t *testing.T) {
	everyPosition(t, func(t failer, p *position.Position) {
		seen := map[string]bool{}
		for _, m := range legalMoves(p) {
			texts := []string{p.UCI(m, true)}
			if !p.Chess960() {
				texts = append(texts, p.UCI(m, false))
			}
			for _, s := range texts {
				if got, err := p.ParseUCI(s); err != nil || got != m {
					t.Fatalf("%s: %s read back: got %#x (%v), want %#x", p.FEN(), s, got, err, m)
				}
			}
			san := p.SAN(m)
			if seen[san] {
				t.Fatalf("%s: two moves are written %s", p.FEN(), san)
			}
			seen[san] = true
			if got, err := p.ParseSAN(san); err != nil || got != m {
				t.Fatalf("%s: %s read back: got %#x (%v), want %#x", p.FEN(), san, got, err, m)
			}
		}
	})
}

func TestPinnedPiecesOfBothSides(t *testing.T) {
	everyPosition(t, func(t failer, p *position.Position) {
		if p.InCheck() {
			return
		}
		var passed position.Position
		p.MakeNull(&passed)
		for _, c := range []position.Color{position.White, position.Black} {
			if got, want := p.Pinned(c), passed.Pinned(c); got != want {
				t.Fatalf("%s: pinned pieces of %v: got %#x, want %#x", p.FEN(), c, got, want)
			}
		}
	})
}

func TestNullMoveIsValidAndTwoOfThemKeepTheKey(t *testing.T) {
	everyPosition(t, func(t failer, p *position.Position) {
		if p.InCheck() {
			return
		}
		var once, twice position.Position
		p.MakeNull(&once)
		if err := once.Validate(); err != nil {
			t.Fatalf("%s after a null move: %v", p.FEN(), err)
		}
		once.MakeNull(&twice)
		if p.EnPassant() == position.NoSquare && twice.Key() != p.Key() {
			t.Fatalf("%s: key after two null moves: got %#x, want %#x", p.FEN(), twice.Key(), p.Key())
		}
	})
}

func TestHotPathsDoNotAllocate(t *testing.T) {
	p := parse(t, kiwipete)
	var l position.MoveList
	var next position.Position
	p.Legal(&l)
	moves := slices.Clone(l.Slice())
	sink := 0
	for name, f := range map[string]func(){
		"Legal":      func() { p.Legal(&l) },
		"LegalNoisy": func() { p.LegalNoisy(&l) },
		"LegalQuiet": func() { p.LegalQuiet(&l) },
		"Make": func() {
			for _, m := range moves {
				p.Make(m, &next)
			}
		},
		"MakeNull": func() { p.MakeNull(&next) },
		"IsLegal": func() {
			for _, m := range moves {
				if p.IsLegal(m) {
					sink++
				}
			}
		},
		"GivesCheck": func() {
			for _, m := range moves {
				if p.GivesCheck(m) {
					sink++
				}
			}
		},
		"Perft": func() { sink += int(p.Perft(3)) },
	} {
		if got := testing.AllocsPerRun(20, f); got != 0 {
			t.Errorf("%s: got %v allocations, want 0", name, got)
		}
	}
}
