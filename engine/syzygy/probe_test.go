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
