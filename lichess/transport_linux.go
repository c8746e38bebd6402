package lichess

import (
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// setUserTimeout limits how long the kernel waits for an acknowledgement. Without it a peer
// that vanished while bytes were on the way is noticed after a quarter of an hour. A socket
// that knows no such option is used without it.
func setUserTimeout(_, _ string, conn syscall.RawConn) error {
	return conn.Control(func(fd uintptr) {
		_ = unix.SetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_USER_TIMEOUT, int(userTimeout/time.Millisecond))
	})
}
