package instant_test

import (
	"testing"

	"zeitnot/engine"
	"zeitnot/engine/enginetest"
	"zeitnot/engine/instant"
)

func TestContract(t *testing.T) {
	for name, s := range map[string]engine.Searcher{
		"random": instant.Random{Seed: 3}, "greedy": instant.Greedy{Seed: 3}, "mater": instant.Mater{Seed: 3},
		"aggressive": instant.Aggressive{Seed: 3},
	} {
		t.Run(name, func(t *testing.T) {
			enginetest.TestSearcher(t, func() engine.Searcher { return s })
			if _, budgeted := s.(engine.Budgeted); budgeted {
				t.Error("it takes no time but offers to honour a deadline")
			}
		})
	}
}
