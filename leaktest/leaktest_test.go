package leaktest

import (
	"testing"
	"time"

	"go.uber.org/goleak"
)

// tests are over while a goroutine of theirs still needs a second.
type tests struct{}

func (tests) Run() int {
	go time.Sleep(time.Second)
	return 0
}

func TestGoroutinesThatEndLateAreWaitedFor(t *testing.T) {
	if code := (patient{tests{}}).Run(); code != 0 {
		t.Errorf("got %d, want 0", code)
	}
	if err := goleak.Find(); err != nil {
		t.Error(err)
	}
}
