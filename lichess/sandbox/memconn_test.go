package sandbox_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"os"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"zeitnot/lichess/sandbox"
)

// pair dials a connection and gives both its ends.
func pair(t *testing.T, l *sandbox.MemListener) (client, server net.Conn) {
	t.Helper()
	got := make(chan net.Conn, 1)
	go func() {
		c, err := l.Accept()
		if err != nil {
			t.Error(err)
		}
		got <- c
	}()
	client, err := l.DialContext(context.Background(), "tcp", "anything")
	if err != nil {
		t.Fatal(err)
	}
	return client, <-got
}

func TestMemoryConnection(t *testing.T) {
	tests := map[string]func(t *testing.T, l *sandbox.MemListener, a, b net.Conn){
		"what is written is read, then the end": func(t *testing.T, _ *sandbox.MemListener, a, b net.Conn) {
			if n, err := a.Write([]byte("hello")); n != 5 || err != nil {
				t.Fatalf("write: %d %v", n, err)
			}
			a.Close()
			if got, err := io.ReadAll(b); string(got) != "hello" || err != nil {
				t.Errorf("got %q %v, want hello and no error", got, err)
			}
			if _, err := b.Write([]byte("x")); !errors.Is(err, syscall.EPIPE) {
				t.Errorf("write to a closed peer: %v, want EPIPE", err)
			}
			if _, err := a.Read(make([]byte, 1)); !errors.Is(err, net.ErrClosed) {
				t.Errorf("read of a closed end: %v, want net.ErrClosed", err)
			}
		},
		"a half-closed end still reads": func(t *testing.T, _ *sandbox.MemListener, a, b net.Conn) {
			a.(interface{ CloseWrite() error }).CloseWrite()
			if _, err := b.Read(make([]byte, 1)); err != io.EOF {
				t.Errorf("got %v, want io.EOF", err)
			}
			b.Write([]byte("y"))
			if n, err := a.Read(make([]byte, 1)); n != 1 || err != nil {
				t.Errorf("got %d %v, want a byte", n, err)
			}
		},
		"a read deadline passes and can be moved": func(t *testing.T, _ *sandbox.MemListener, a, b net.Conn) {
			began := time.Now()
			a.SetReadDeadline(began.Add(time.Minute))
			if _, err := a.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) {
				t.Errorf("got %v, want a passed deadline", err)
			}
			if took := time.Since(began); took != time.Minute {
				t.Errorf("took %v, want 1m", took)
			}
			a.SetReadDeadline(time.Time{})
			go func() { time.Sleep(time.Hour); b.Write([]byte("z")) }()
			if n, err := a.Read(make([]byte, 1)); n != 1 || err != nil {
				t.Errorf("got %d %v, want a byte", n, err)
			}
		},
		"a deadline in the past ends a read under way": func(t *testing.T, _ *sandbox.MemListener, a, _ net.Conn) {
			go func() { time.Sleep(time.Second); a.SetDeadline(time.Unix(1, 0)) }()
			if _, err := a.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) {
				t.Errorf("got %v, want a passed deadline", err)
			}
		},
		"a writer waits for a reader that does not read": func(t *testing.T, _ *sandbox.MemListener, a, b net.Conn) {
			big := bytes.Repeat([]byte("w"), 1<<20)
			a.SetWriteDeadline(time.Now().Add(time.Second))
			n, err := a.Write(big)
			if !errors.Is(err, os.ErrDeadlineExceeded) || n == 0 || n == len(big) {
				t.Errorf("wrote %d, %v; want a part and a passed deadline", n, err)
			}
			a.SetWriteDeadline(time.Time{})
			go func() { a.Write(big); a.Close() }()
			if got, err := io.ReadAll(b); len(got) != n+len(big) || err != nil {
				t.Errorf("read %d %v, want %d", len(got), err, n+len(big))
			}
		},
		"a reset loses what is under way, for both": func(t *testing.T, l *sandbox.MemListener, a, b net.Conn) {
			a.Write([]byte("lost"))
			l.ResetAll()
			for _, c := range []net.Conn{a, b} {
				if _, err := c.Read(make([]byte, 1)); !errors.Is(err, syscall.ECONNRESET) {
					t.Errorf("read: %v, want a reset", err)
				}
				if _, err := c.Write([]byte("x")); !errors.Is(err, syscall.ECONNRESET) {
					t.Errorf("write: %v, want a reset", err)
				}
			}
		},
		"a black hole swallows without an error": func(t *testing.T, l *sandbox.MemListener, a, b net.Conn) {
			l.Blackhole()
			if n, err := a.Write(make([]byte, 1<<20)); n != 1<<20 || err != nil {
				t.Errorf("write: %d %v, want all and no error", n, err)
			}
			b.SetReadDeadline(time.Now().Add(time.Hour))
			if _, err := b.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) {
				t.Errorf("read: %v, want nothing for an hour", err)
			}
			c, d := pair(t, l)
			c.Write([]byte("n"))
			if n, err := d.Read(make([]byte, 1)); n != 1 || err != nil {
				t.Errorf("a new connection: %d %v, want a byte", n, err)
			}
			c.Close()
			d.Close()
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := sandbox.Listen()
				a, b := pair(t, l)
				test(t, l, a, b)
				a.Close()
				b.Close()
				if l.Open() != 0 {
					t.Errorf("%d connections open at the end, want 0", l.Open())
				}
			})
		})
	}
}

func TestClosedOrDownListenerRefusesToDial(t *testing.T) {
	l := sandbox.Listen()
	l.SetDown(syscall.EHOSTUNREACH)
	if _, err := l.DialContext(context.Background(), "", ""); !errors.Is(err, syscall.EHOSTUNREACH) {
		t.Errorf("down: got %v", err)
	}
	l.SetDown(nil)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := l.DialContext(ctx, "", ""); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: got %v", err)
	}
	l.Close()
	l.Close()
	if _, err := l.DialContext(context.Background(), "", ""); !errors.Is(err, net.ErrClosed) {
		t.Errorf("closed: got %v", err)
	}
	if _, err := l.Accept(); !errors.Is(err, net.ErrClosed) {
		t.Errorf("accept: got %v", err)
	}
}
