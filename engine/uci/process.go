package uci

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"time"
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
	cmd    *exec.Cmd
	stdin  *os.File
	stdout *os.File
	stderr *os.File
	tail   tail
	waited chan struct{} // closed when the process has been reaped
	errs   sync.WaitGroup
	end    sync.Once
}

// StartProcess starts the engine and shakes hands. If that fails the process is gone.
func StartProcess(ctx context.Context, command Command, patience Patience) (*Process, error) {
	p := &Process{waited: make(chan struct{})}
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

// spawn starts the process with its three pipes, the goroutine that waits for it and the
// one that drains its stderr.
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
	if err := errors.Join(err1, err2, err3); err != nil {
		closeAll(p.stdin, p.stdout, p.stderr)
		return err
	}
	p.cmd = exec.Command(command.Path, command.Args...)
	p.cmd.Dir = command.Dir
	p.cmd.Env = append(withoutSecrets(os.Environ()), command.Env...)
	p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = stdin, stdout, stderr
	p.cmd.SysProcAttr = ownGroup()

	started := make(chan error)
	go func() {
		// The parent-death signal comes when the starting thread ends, so that thread
		// is kept until the child is gone.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := p.cmd.Start()
		started <- err
		if err != nil {
			return
		}
		sweep(p.cmd)
		p.cmd.Wait() // how it ended nobody asks: what counts is the end of its output
		close(p.waited)
	}()
	if err := <-started; err != nil {
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
		for _, end := range []func(*exec.Cmd){terminate, kill} {
			if p.gone(patience) {
				break
			}
			end(p.cmd)
		}
		<-p.waited
		p.stdout.Close()
		p.stderr.Close()
		<-p.Client.ended
		p.errs.Wait()
	})
	return nil
}

// gone waits for the end of the process, at most so long.
func (p *Process) gone(limit time.Duration) bool {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-p.waited:
		return true
	case <-timer.C:
		return false
	}
}

// Stderr is the last of what the engine wrote to its stderr.
func (p *Process) Stderr() string { return p.tail.String() }

// withoutSecrets leaves out every variable that holds a token or says where one lies.
func withoutSecrets(env []string) []string {
	var kept []string
	for _, entry := range env {
		name, _, _ := strings.Cut(entry, "=")
		name = strings.ToUpper(name)
		if strings.HasPrefix(name, "ZEITNOT_TOKEN") || strings.HasPrefix(name, "LICHESS_BOT_TOKEN") || name == "CREDENTIALS_DIRECTORY" {
			continue
		}
		kept = append(kept, entry)
	}
	return kept
}

// tailSize is how much of stderr is kept for a crash report.
const tailSize = 4096

// tail keeps the end of what is written to it.
type tail struct {
	mu   sync.Mutex // guards kept
	kept []byte
}

func (t *tail) Write(text []byte) (int, error) {
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

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.kept)
}
