package systemd_test

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"testing"
	"time"

	"zeitnot/systemd"
)

// manager listens as a service manager does and returns a function that waits for the
// next message.
func manager(t *testing.T, socket string) func() string {
	t.Helper()
	conn, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: socket, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return func() string {
		conn.SetReadDeadline(time.Now().Add(10 * time.Second))
		b := make([]byte, 4096)
		n, err := conn.Read(b)
		if err != nil {
			t.Fatal(err)
		}
		return string(b[:n])
	}
}

func TestMessagesReachTheManager(t *testing.T) {
	sockets := map[string]string{"path": filepath.Join(t.TempDir(), "notify")}
	if runtime.GOOS == "linux" {
		sockets["abstract"] = fmt.Sprintf("@zeitnot-test-%d", os.Getpid())
	}
	for name, socket := range sockets {
		t.Run(name, func(t *testing.T) {
			next := manager(t, socket)
			t.Setenv("NOTIFY_SOCKET", socket)
			n := systemd.FromEnvironment()
			for want, send := range map[string]func() error{
				"READY=1":                  n.Ready,
				"WATCHDOG=1":               n.Watchdog,
				"STOPPING=1":               n.Stopping,
				"STATUS=2 games, 1 queued": func() error { return n.Status("2 games, 1 queued") },
				"STATUS=a READY=1":         func() error { return n.Status("a\nREADY=1") },
			} {
				if err := send(); err != nil {
					t.Fatalf("%s: %v", want, err)
				}
				if got := next(); got != want {
					t.Errorf("got %q, want %q", got, want)
				}
			}
		})
	}
}

func TestSilentWithoutAManager(t *testing.T) {
	t.Setenv("NOTIFY_SOCKET", "")
	if err := systemd.FromEnvironment().Ready(); err != nil {
		t.Errorf("got %v, want nothing", err)
	}
}

func TestAMissingSocketIsAnError(t *testing.T) {
	n := systemd.Notifier{Socket: filepath.Join(t.TempDir(), "gone")}
	if err := n.Ready(); err == nil {
		t.Error("got no error for a socket that nobody listens on")
	}
}

func TestWatchdogInterval(t *testing.T) {
	self := strconv.Itoa(os.Getpid())
	for name, tc := range map[string]struct {
		usec, pid string
		want      time.Duration
	}{
		"no watchdog":           {"", "", 0},
		"a minute":              {"60000000", "", 20 * time.Second},
		"for us":                {"60000000", self, 20 * time.Second},
		"for another process":   {"60000000", "1", 0},
		"two seconds":           {"2000000", self, 2 * time.Second / 3},
		"not a number":          {"soon", self, 0},
		"negative":              {"-1", self, 0},
		"none at all":           {"0", self, 0},
		"longer than any watch": {"9223372036854775807", self, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("WATCHDOG_USEC", tc.usec)
			t.Setenv("WATCHDOG_PID", tc.pid)
			if got := systemd.WatchdogInterval(); got != tc.want {
				t.Errorf("got %v, want %v", got, tc.want)
			}
		})
	}
}
