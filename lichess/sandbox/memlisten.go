package sandbox

import (
	"context"
	"fmt"
	"net"
	"sync"
	"sync/atomic"
)

// MemListener is an in-memory net.Listener. Its DialContext fits http.Transport, whatever
// the address asked for. Make it inside the synctest bubble that uses it.
type MemListener struct {
	conns chan net.Conn
	done  chan struct{} // closed by Close
	once  sync.Once
	count atomic.Int64

	mu   sync.Mutex // guards live and down
	live map[*memConn]bool
	down error
}

// Listen makes an in-memory listener for Server.Run and for its clients.
func Listen() *MemListener {
	return &MemListener{conns: make(chan net.Conn), done: make(chan struct{}), live: map[*memConn]bool{}}
}

// Accept waits for the next dialled connection; net.ErrClosed after Close.
func (l *MemListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.done:
		return nil, net.ErrClosed
	}
}

// Close stops Accept and DialContext; connections that exist live on.
func (l *MemListener) Close() error {
	l.once.Do(func() { close(l.done) })
	return nil
}

// Addr is a name, not an address.
func (l *MemListener) Addr() net.Addr { return memAddr("sandbox") }

// DialContext connects to the listener; network and address are not looked at.
func (l *MemListener) DialContext(ctx context.Context, _, _ string) (net.Conn, error) {
	l.mu.Lock()
	down := l.down
	l.mu.Unlock()
	if down != nil {
		return nil, fmt.Errorf("dial sandbox: %w", down)
	}
	name := memAddr(fmt.Sprintf("client-%d", l.count.Add(1)))
	client, server := newMemPair(name, "sandbox")
	l.mu.Lock()
	l.live[client] = true
	l.mu.Unlock()
	tracked := &trackedConn{memConn: client, l: l}
	select {
	case l.conns <- server:
		return tracked, nil
	case <-l.done:
		l.forget(client)
		return nil, fmt.Errorf("dial sandbox: %w", net.ErrClosed)
	case <-ctx.Done():
		l.forget(client)
		return nil, fmt.Errorf("dial sandbox: %w", ctx.Err())
	}
}

// Open is how many dialled connections their client has not closed.
func (l *MemListener) Open() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.live)
}

// SetDown makes every later dial fail with err, as if there were no network; nil mends it.
func (l *MemListener) SetDown(err error) {
	l.mu.Lock()
	l.down = err
	l.mu.Unlock()
}

// ResetAll breaks every connection as a TCP RST would.
func (l *MemListener) ResetAll() {
	for _, c := range l.all() {
		c.Reset()
	}
}

// Blackhole makes every existing connection swallow what is written and deliver nothing
// more, without an error: a lost NAT entry. New connections work.
func (l *MemListener) Blackhole() {
	for _, c := range l.all() {
		c.in.swallow()
		c.out.swallow()
	}
}

func (l *MemListener) all() []*memConn {
	l.mu.Lock()
	defer l.mu.Unlock()
	conns := make([]*memConn, 0, len(l.live))
	for c := range l.live {
		conns = append(conns, c)
	}
	return conns
}

func (l *MemListener) forget(c *memConn) {
	l.mu.Lock()
	delete(l.live, c)
	l.mu.Unlock()
}

// trackedConn is the client's end; closing it takes it off the listener's list.
type trackedConn struct {
	*memConn
	l *MemListener
}

func (c *trackedConn) Close() error {
	c.l.forget(c.memConn)
	return c.memConn.Close()
}
