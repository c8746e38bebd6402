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
		return 0, err
	}
	return len(p), nil
}
