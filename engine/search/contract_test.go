package search

import (
	"testing"
	"time"

	"zeitnot/engine"
	"zeitnot/engine/enginetest"
)

func TestContract(t *testing.T) {
	enginetest.TestBudgeted(t, func(now func() time.Duration) (engine.Budgeted, func() uint64) {
		s := New(Options{HashMB: 1, Now: now})
		return s, func() uint64 { return s.main.nodes }
	})
}
