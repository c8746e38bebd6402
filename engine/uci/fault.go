package uci

import "fmt"

// FaultKind is what an engine did wrong.
type FaultKind string

// The faults of an engine.
const (
	// NoHandshake: `uci` was not answered in time.
	NoHandshake FaultKind = "no uciok"
	// NotReady: `isready` was not answered in time.
	NotReady FaultKind = "no readyok"
	// NoBestMove: a search was told to stop and gave no answer in time.
	NoBestMove FaultKind = "no bestmove"
	// NullMove: there were legal moves and the answer was none of them on purpose
	// ("0000", "(none)", nothing).
	NullMove FaultKind = "null move"
	// IllegalMove: the answer is no legal move.
	IllegalMove FaultKind = "illegal move"
	// Died: the engine's output ended, or it could not be written to.
	Died FaultKind = "died"
	// BadOption: an option that the engine does not have, or a value it does not take.
	BadOption FaultKind = "bad option"
)

// Fault is an error of the engine, not of its user.
type Fault struct {
	// Engine is its name, Detail what it wrote or what was asked.
	Engine string
	Kind   FaultKind
	Detail string
	Err    error // the cause, may be nil
}

func (f *Fault) Error() string {
	s := fmt.Sprintf("engine %s: %s", f.Engine, f.Kind)
	if f.Detail != "" {
		s += ": " + printable(f.Detail)
	}
	if f.Err != nil {
		s += ": " + f.Err.Error()
	}
	return s
}

func (f *Fault) Unwrap() error { return f.Err }
