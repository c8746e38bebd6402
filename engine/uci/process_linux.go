package uci

import (
	"os/exec"
	"syscall"
)

// ownGroup puts the engine into a process group of its own, so that a Ctrl-C for us does
// not reach it and its children can be ended with it; it is killed when we die.
func ownGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

func terminate(cmd *exec.Cmd) { syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }

func kill(cmd *exec.Cmd) { syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
