// Package child starts programs that do not outlive us, and ends them with all that they have
// started. What they are for and what they say is their owner's business.
package child

import (
	"os/exec"
	"runtime"
)

// Process is a program that was started. It is always reaped. On Linux it has a process group
// of its own, so that a Ctrl-C for us does not reach it, whatever it leaves behind in that
// group is killed when it ends, and it is killed when we die.
type Process struct {
	cmd   *exec.Cmd
	ended chan struct{} // closed when the process has been reaped
}

// Start starts the command, of which SysProcAttr is not the caller's to set.
func Start(cmd *exec.Cmd) (*Process, error) {
	p := &Process{cmd: cmd, ended: make(chan struct{})}
	cmd.SysProcAttr = ownGroup()
	started := make(chan error)
	go func() {
		// The parent-death signal comes when the starting thread ends, so that thread is kept
		// until the child is gone.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		started <- err
		if err != nil {
			return
		}
		sweep(cmd)
		cmd.Wait() // how it ended is in its state
		close(p.ended)
	}()
	if err := <-started; err != nil {
		return nil, err
	}
	return p, nil
}

// Ended is closed once the process has ended, by itself or otherwise.
func (p *Process) Ended() <-chan struct{} { return p.ended }

// Pid is its number, which may be somebody else's once it has ended.
func (p *Process) Pid() int { return p.cmd.Process.Pid }

// State says how the process ended; it is for when Ended is closed.
func (p *Process) State() string { return p.cmd.ProcessState.String() }

// Terminate asks the process, and all of its group, to end: SIGTERM on Linux, elsewhere it is
// killed. It waits for nothing.
func (p *Process) Terminate() { p.unlessEnded(terminate) }

// Kill kills the process, and all of its group. It waits for nothing.
func (p *Process) Kill() { p.unlessEnded(kill) }

func (p *Process) unlessEnded(end func(*exec.Cmd)) {
	select {
	case <-p.ended: // its number may be another's by now
	default:
		end(p.cmd)
	}
}
