package uci

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"time"

	"zeitnot/child"
)

// Command says how an engine is started.
type Command struct {
	// Name for errors and results; "" takes what the engine says of itself.
	Name string
	Path string
	Args []string
	// Dir is the working directory; "" is ours.
	Dir string
	// Env is added to our environment, less everything secret.
	Env []string
}

// Process is an engine in a process of its own, and the client that drives it. The
// process is always reaped, and dies with us where the system can do that.
type Process struct {
	*Client
	child  *child.Process
	stdin  *os.File
	stdout *os.File
	stderr *os.File
	tail   child.Tail
	errs   sync.WaitGroup
	end    sync.Once
}

// StartProcess starts the engine and shakes hands. If that fails the process is gone.
func StartProcess(ctx context.Context, command Command, patience Patience) (*Process, error) {
	p := &Process{}
	if err := p.spawn(command); err != nil {
		return nil, fmt.Errorf("start engine %s: %w", command.Path, err)
	}
	client, err := Connect(ctx, command.Name, p.stdout, p.stdin, patience)
	p.Client = client
	if err != nil {
		p.Close()
		if text := p.Stderr(); text != "" {
			return nil, fmt.Errorf("start engine %s: %w; stderr: %s", command.Path, err, printable(text))
		}
		return nil, fmt.Errorf("start engine %s: %w", command.Path, err)
	}
	return p, nil
}

// spawn starts the process with its three pipes, and the goroutine that drains its stderr.
func (p *Process) spawn(command Command) error {
	var theirs []*os.File
	closeAll := func(files ...*os.File) {
		for _, f := range files {
			if f != nil {
				f.Close()
			}
		}
	}
	pipe := func(ours **os.File, write bool) (*os.File, error) {
		r, w, err := os.Pipe()
		if err != nil {
			return nil, err
		}
		if write {
			*ours = w
			theirs = append(theirs, r)
			return r, nil
		}
		*ours = r
		theirs = append(theirs, w)
		return w, nil
	}
	stdin, err1 := pipe(&p.stdin, true)
	stdout, err2 := pipe(&p.stdout, false)
	stderr, err3 := pipe(&p.stderr, false)
	defer func() { closeAll(theirs...) }()
	err := errors.Join(err1, err2, err3)
	if err != nil {
		closeAll(p.stdin, p.stdout, p.stderr)
		return err
	}
	cmd := exec.Command(command.Path, command.Args...)
	cmd.Dir = command.Dir
	cmd.Env = append(child.Environ(), command.Env...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = stdin, stdout, stderr
	p.child, err = child.Start(cmd)
	if err != nil {
		closeAll(p.stdin, p.stdout, p.stderr)
		return err
	}
	p.errs.Go(func() { io.Copy(&p.tail, p.stderr) })
	return nil
}

// Close ends the engine: quit, then SIGTERM, then SIGKILL to its whole group, each after
// its patience. It returns when the process is reaped and nothing of it runs any more.
func (p *Process) Close() error {
	p.end.Do(func() {
		patience := p.Client.patience.Quit
		p.stdin.SetWriteDeadline(time.Now().Add(patience)) // it may have stopped reading
		p.Client.out.lines("quit")
		p.stdin.Close()
		for _, end := range []func(){p.child.Terminate, p.child.Kill} {
			if p.gone(patience) {
				break
			}
			end()
		}
		<-p.child.Ended()
		p.stdout.Close()
		// What it wrote last may not have been read yet, and says why it died.
		p.stderr.SetReadDeadline(time.Now().Add(lastWords))
		p.errs.Wait()
		p.stderr.Close()
		<-p.Client.ended
	})
	return nil
}

// lastWords is how long the end of an engine's stderr is waited for once it has ended. It
// takes no time, unless a process that left the engine's group holds it open.
const lastWords = 5 * time.Second

// Kill ends the engine and what it has started at once, for somebody who cannot be polite.
// Close is still to be called, and returns the sooner.
func (p *Process) Kill() { p.child.Kill() }

// gone waits for the end of the process, at most so long.
func (p *Process) gone(limit time.Duration) bool {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-p.child.Ended():
		return true
	case <-timer.C:
		return false
	}
}

// Stderr is the last of what the engine wrote to its stderr.
func (p *Process) Stderr() string { return p.tail.String() }
