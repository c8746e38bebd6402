package lichess

import (
	"net"
	"testing"

	"golang.org/x/sys/unix"
)

func TestSocketOptionsThatFindADeadPeer(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	conn, err := netDialer().DialContext(t.Context(), "tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	raw, err := conn.(*net.TCPConn).SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ level, option, want int }{
		"user timeout in ms": {unix.IPPROTO_TCP, unix.TCP_USER_TIMEOUT, 20000}, "keepalive on": {unix.SOL_SOCKET, unix.SO_KEEPALIVE, 1},
		"keepalive idle": {unix.IPPROTO_TCP, unix.TCP_KEEPIDLE, 10}, "keepalive interval": {unix.IPPROTO_TCP, unix.TCP_KEEPINTVL, 5}, "keepalive count": {unix.IPPROTO_TCP, unix.TCP_KEEPCNT, 3},
	} {
		var got int
		var optErr error
		if err := raw.Control(func(fd uintptr) { got, optErr = unix.GetsockoptInt(int(fd), c.level, c.option) }); err != nil || optErr != nil {
			t.Errorf("%s: %v %v", name, err, optErr)
		}
		if got != c.want {
			t.Errorf("%s: got %d, want %d", name, got, c.want)
		}
	}
}
