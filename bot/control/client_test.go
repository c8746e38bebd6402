package control

import (
	"net"
	"net/url"
	"os"
	"strings"
	"syscall"
	"testing"
)

// Whoever runs the tests may be allowed everything, so the error is made by hand.
func TestSocketOfAnotherUserIsTold(t *testing.T) {
	const socket = "/var/lib/zeitnot/control.sock"
	err := failed(t.Context(), socket, &url.Error{Op: "Post", URL: "http://control/challenge", Err: &net.OpError{
		Op: "dial", Net: "unix", Err: os.NewSyscallError("connect", syscall.EACCES),
	}})
	if want := "control socket " + socket + ": permission denied: only the user that the bot runs as"; !strings.Contains(err.Error(), want) {
		t.Errorf("got %q, want %q in it", err, want)
	}
}
