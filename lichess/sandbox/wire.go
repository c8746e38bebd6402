package sandbox

import (
	"context"
	"net"
	"sync"
	"time"
)

// wires are the connections to the server and what is wrong with all of them.
type wires struct {
	mu      sync.Mutex // guards everything below
	live    map[*wire]bool
	memory  []*MemListener
	offline int // faults that let no connection be made
}

// wire puts a listener behind the faults that hit connections rather than calls.
func (s *Server) wire(ctx context.Context, l net.Listener) net.Listener {
	w := &s.wires
	w.mu.Lock()
	defer w.mu.Unlock()
	if m, ok := l.(*MemListener); ok {
		w.memory = append(w.memory, m)
	}
	return wiredListener{l, ctx, s}
}

// wiredListener gives its connections a wire each. Its context ends with the server.
type wiredListener struct {
	net.Listener
	ctx context.Context
	s   *Server
}

// Accept takes the next connection that is not refused.
func (l wiredListener) Accept() (net.Conn, error) {
	for {
		conn, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if f, hit := l.s.faults.happens(SlowAccept, "", ""); hit {
			sleep(l.ctx, f.For)
		}
		if c := l.s.wires.connect(conn); c != nil {
			return c, nil
		}
		resetConn(conn)
	}
}

// connect puts a new connection on a wire; nil while none is made.
func (w *wires) connect(conn net.Conn) *wire {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.offline > 0 {
		return nil
	}
	if w.live == nil {
		w.live = map[*wire]bool{}
	}
	c := &wire{Conn: conn, all: w}
	w.live[c] = true
	return c
}

// blackhole makes every connection that exists swallow what it is given.
func (w *wires) blackhole() {
	w.mu.Lock()
	live := make([]*wire, 0, len(w.live))
	for c := range w.live {
		live = append(live, c)
	}
	w.mu.Unlock()
	for _, c := range live {
		c.swallow()
	}
}

// errNoHost is what a dial without a name server says.
func errNoHost() error {
	return &net.DNSError{Err: "no such host", Name: "sandbox", IsNotFound: true}
}

// takeOffline makes no connection for a while.
func (w *wires) takeOffline(ctx context.Context, d time.Duration) {
	w.countOffline(1)
	sleep(ctx, d)
	w.countOffline(-1)
}

// countOffline counts the faults that are on: the network is there when the last has ended.
func (w *wires) countOffline(n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	var err error
	if w.offline += n; w.offline > 0 {
		err = errNoHost()
	}
	for _, m := range w.memory {
		m.SetDown(err)
	}
}

// wire is the server's end of a connection.
type wire struct {
	net.Conn
	all *wires

	mu         sync.Mutex // guards swallowing
	swallowing bool
}

func (c *wire) swallows() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.swallowing
}

func (c *wire) swallow() {
	c.mu.Lock()
	c.swallowing = true
	c.mu.Unlock()
	if m, ok := c.Conn.(*memConn); ok { // not even its end arrives then
		m.in.swallow()
		m.out.swallow()
	}
}

// Read reads what arrives, which is nothing on a swallowing wire.
func (c *wire) Read(p []byte) (int, error) {
	for {
		n, err := c.Conn.Read(p)
		if err != nil || !c.swallows() {
			return n, err
		}
	}
}

// Write writes, or loses what it is given.
func (c *wire) Write(p []byte) (int, error) {
	if c.swallows() {
		return len(p), nil
	}
	return c.Conn.Write(p)
}

// Close takes the wire down.
func (c *wire) Close() error {
	c.all.mu.Lock()
	delete(c.all.live, c)
	c.all.mu.Unlock()
	return c.Conn.Close()
}

// CloseWrite ends our direction.
func (c *wire) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok && !c.swallows() {
		return half.CloseWrite()
	}
	return nil
}

// resetConn ends a connection by TCP RST, or the like in memory, so that even bytes under
// way are lost.
func resetConn(conn net.Conn) {
	inner := conn
	if w, ok := conn.(*wire); ok {
		inner = w.Conn
		if w.swallows() {
			inner = nil // a reset would be swallowed as well
		}
	}
	switch c := inner.(type) {
	case *memConn:
		c.Reset()
	case *net.TCPConn:
		_ = c.SetLinger(0)
	}
	_ = conn.Close()
}
