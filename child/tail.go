package child

import "sync"

// tailSize is how much a Tail keeps, in bytes: enough for the end of a stack trace.
const tailSize = 4096

// Tail keeps the end of what is written to it. It is ready as it is, for many writers.
type Tail struct {
	mu   sync.Mutex // guards kept
	kept []byte
}

// Write implements io.Writer; it never fails.
func (t *Tail) Write(text []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := len(text)
	text = text[max(0, n-tailSize):]
	t.kept = append(t.kept, text...)
	if over := len(t.kept) - tailSize; over > 0 {
		t.kept = append(t.kept[:0], t.kept[over:]...)
	}
	return n, nil
}

func (t *Tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.kept)
}
