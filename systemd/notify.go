// Package systemd tells a service manager how the daemon is doing, and holds the unit file
// it is started by. Without a service manager everything here is silent.
package systemd

import (
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
	"time"
)

// Notifier writes to the service manager's socket. The zero value has none and does
// nothing, without an error.
type Notifier struct {
	// Socket is a path, or a name that starts with @ in the abstract namespace.
	Socket string
}

// FromEnvironment is the Notifier for the socket that the service manager named.
func FromEnvironment() Notifier { return Notifier{Socket: os.Getenv("NOTIFY_SOCKET")} }

// Ready says that the service is up: its start is over only now.
func (n Notifier) Ready() error { return n.send("READY=1") }

// Watchdog says that the service makes progress.
func (n Notifier) Watchdog() error { return n.send("WATCHDOG=1") }

// Stopping says that the service has begun to shut down.
func (n Notifier) Stopping() error { return n.send("STOPPING=1") }

// Status sets the line that people see in the service's status. Control characters, which
// would start another message, become blanks.
func (n Notifier) Status(text string) error {
	return n.send("STATUS=" + strings.Map(func(r rune) rune {
		if r < ' ' {
			return ' '
		}
		return r
	}, text))
}

// send is one datagram per message, as sd_notify(3) describes. A manager that does not
// read must not hold us up, hence the deadline.
func (n Notifier) send(message string) error {
	if n.Socket == "" {
		return nil
	}
	conn, err := net.DialUnix("unixgram", nil, &net.UnixAddr{Name: n.Socket, Net: "unixgram"})
	if err != nil {
		return fmt.Errorf("notify service manager: %w", err)
	}
	defer conn.Close()
	conn.SetWriteDeadline(time.Now().Add(time.Second))
	if _, err := conn.Write([]byte(message)); err != nil {
		return fmt.Errorf("notify service manager: %w", err)
	}
	return nil
}

// WatchdogInterval is how often Watchdog is to be called: a third of the time after which
// the service manager takes us for dead, so that one late call does no harm. 0 means that
// nobody waits for it.
func WatchdogInterval() time.Duration {
	// The variables are inherited: a child must not take its parent's watchdog for its own.
	if pid := os.Getenv("WATCHDOG_PID"); pid != "" && pid != strconv.Itoa(os.Getpid()) {
		return 0
	}
	usec, err := strconv.ParseInt(os.Getenv("WATCHDOG_USEC"), 10, 64)
	if err != nil || usec <= 0 || usec > int64(time.Hour*24*365/time.Microsecond) {
		return 0
	}
	return time.Duration(usec) * time.Microsecond / 3
}
