//go:build !linux

package guest

// Usage cannot be known here.
func (p *Process) Usage() (Usage, error) { return Usage{}, ErrNoUsage }
