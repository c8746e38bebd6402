package syzygy_test

import (
	"sync"
	"testing"
)

func TestEveryKnownAnswerIsGiven(t *testing.T) {
	tables := openAll(t)
	rows := allExpected(t)
	for _, want := range rows {
		p := parse(t, want.fen)
		if got, ok := tables.ProbeWDL(p); !ok || got != want.wdl {
			t.Errorf("%s: WDL got %v (%v), want %v", want.fen, got, ok, want.wdl)
		}
		if got, ok := tables.ProbeDTZ(p); !ok || got != want.dtz {
			t.Errorf("%s: DTZ got %d (%v), want %d", want.fen, got, ok, want.dtz)
		}
	}
	t.Logf("%d rows", len(rows))
}

// Another implementation's answers; rows about tables that the data does not have are passed
// over.
func TestAnotherImplementationAgrees(t *testing.T) {
	tables := openAll(t)
	answered := 0
	for _, want := range readExpected(t, ',', "syzygy", "shakmaty-syzygy-chess.csv") {
		p := parse(t, want.fen)
		wdl, ok := tables.ProbeWDL(p)
		if !ok {
			continue
		}
		answered++
		dtz, ok := tables.ProbeDTZ(p)
		if !ok || wdl != want.wdl || dtz != want.dtz {
			t.Errorf("%s: got %v %d (%v), want %v %d", want.fen, wdl, dtz, ok, want.wdl, want.dtz)
		}
	}
	if answered < 201 {
		t.Errorf("%d rows answered, want the 201 whose tables are there", answered)
	}
}

func TestProbeDoesNotAllocate(t *testing.T) {
	tables := openAll(t)
	p := parse(t, "8/8/8/3k4/8/4K3/6P1/7r w - - 0 1")
	if n := testing.AllocsPerRun(100, func() { tables.ProbeWDL(p) }); n != 0 {
		t.Errorf("%v allocations a probe, want none", n)
	}
}

func TestManyMayProbeAtOnce(t *testing.T) {
	tables := openAll(t)
	rows := allExpected(t)
	var wg sync.WaitGroup
	for worker := range 8 {
		wg.Go(func() {
			for i := range rows {
				want := rows[(i+worker*len(rows)/8)%len(rows)]
				p := parse(t, want.fen)
				wdl, ok1 := tables.ProbeWDL(p)
				dtz, ok2 := tables.ProbeDTZ(p)
				if !ok1 || !ok2 || wdl != want.wdl || dtz != want.dtz {
					t.Errorf("%s: got %v %d, want %v %d", want.fen, wdl, dtz, want.wdl, want.dtz)
				}
			}
		})
	}
	wg.Wait()
}
