//go:build !linux

package child

import (
	"os/exec"
	"syscall"
)

// ownGroup: no parent-death signal and no groups here.
func ownGroup() *syscall.SysProcAttr { return nil }

func terminate(cmd *exec.Cmd) { cmd.Process.Kill() }

func kill(cmd *exec.Cmd) { cmd.Process.Kill() }

// sweep: without groups nobody knows what the process has started.
func sweep(*exec.Cmd) {}
