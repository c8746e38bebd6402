// Package leaktest ends the tests of a package with a look for goroutines that they left behind.
package leaktest

import (
	"time"

	"go.uber.org/goleak"
)

// patience is how long goroutines may take to end that were told to. Of its own goleak waits
// for less than half a second, which a busy machine may need for that.
const patience = time.Minute

// Main runs the tests of a package, in place of its TestMain, and fails them if goroutines are left.
func Main(m goleak.TestingM) { goleak.VerifyTestMain(patient{m}) }

// patient are tests that are over when their goroutines are, if they end at all.
type patient struct{ goleak.TestingM }

func (p patient) Run() int {
	code := p.TestingM.Run()
	for until := time.Now().Add(patience); code == 0 && goleak.Find() != nil && time.Now().Before(until); {
	}
	return code
}
