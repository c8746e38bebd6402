package main

import (
	"io"
	"sync"

	"zeitnot/config"
)

// redactor is an output that hides secrets: the last line of defence, after every part has
// been careful by itself. It looks at each write by itself, so that a secret written in
// two halves would pass; whole lines are written at once here.
type redactor struct {
	mu      sync.Mutex // guards all below and keeps writes whole
	to      io.Writer
	secrets []config.Secret
	failed  error // the first failure of a write
}

func (r *redactor) hide(s config.Secret) {
	if s.Empty() {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.secrets = append(r.secrets, s)
}

// Write implements io.Writer.
func (r *redactor) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, err := io.WriteString(r.to, config.Redact(string(p), r.secrets...)); err != nil {
		if r.failed == nil {
			r.failed = err
		}
		return 0, err
	}
	return len(p), nil
}

// lost is the first failure of a write, nil when all was written: many writers do not look.
func (r *redactor) lost() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.failed
}
