package mcts

import (
	"testing"
	"time"

	"zeitnot/engine"
	"zeitnot/engine/enginetest"
)

func TestContract(t *testing.T) {
	enginetest.TestBudgeted(t, func(now func() time.Duration) (engine.Budgeted, func() uint64) {
		s := New(Options{HashMB: 1, Seed: 5, Now: now})
		return s, func() uint64 { return s.rollouts }
	})
}
