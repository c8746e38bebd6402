package sandbox

import (
	"io"
	"net"
	"os"
	"sync"
	"syscall"
	"time"
)

// memBuffer is how many bytes one direction of an in-memory connection holds before a
// writer blocks, about what a socket pair holds, so that a stuck reader is felt.
const memBuffer = 64 << 10

// memConn is one end of an in-memory connection: buffered, with deadlines, half-close and
// reset. Everything in it blocks on a sync.Cond, so it is durably blocked in a bubble.
type memConn struct {
	in, out       *memPipe
	local, remote memAddr
}

// memAddr is the name of one end.
type memAddr string

func (memAddr) Network() string  { return "memory" }
func (a memAddr) String() string { return string(a) }

// newMemPair makes the two ends of a connection.
func newMemPair(a, b memAddr) (*memConn, *memConn) {
	ab, ba := newMemPipe(), newMemPipe()
	return &memConn{in: ba, out: ab, local: a, remote: b},
		&memConn{in: ab, out: ba, local: b, remote: a}
}

func (c *memConn) Read(p []byte) (int, error)  { return c.in.read(p) }
func (c *memConn) Write(p []byte) (int, error) { return c.out.write(p) }

// Close ends both directions: the peer reads what was written and then io.EOF; its writes
// fail with a broken pipe.
func (c *memConn) Close() error {
	c.out.closeWrite()
	c.in.closeRead()
	return nil
}

// CloseWrite ends our direction only; the peer reads io.EOF and can still write.
func (c *memConn) CloseWrite() error { c.out.closeWrite(); return nil }

// Reset breaks the connection as a TCP RST does: bytes under way are lost and both ends
// get syscall.ECONNRESET.
func (c *memConn) Reset() {
	c.in.fail(syscall.ECONNRESET)
	c.out.fail(syscall.ECONNRESET)
}

func (c *memConn) LocalAddr() net.Addr  { return c.local }
func (c *memConn) RemoteAddr() net.Addr { return c.remote }

func (c *memConn) SetDeadline(t time.Time) error {
	c.in.reads.set(t, c.in)
	c.out.writes.set(t, c.out)
	return nil
}
func (c *memConn) SetReadDeadline(t time.Time) error  { c.in.reads.set(t, c.in); return nil }
func (c *memConn) SetWriteDeadline(t time.Time) error { c.out.writes.set(t, c.out); return nil }

// memPipe is one direction of a connection.
type memPipe struct {
	mu            sync.Mutex // guards everything below
	cond          *sync.Cond
	buf           []byte
	writeClosed   bool // no more bytes will come
	readClosed    bool // nobody will read
	swallowing    bool // bytes written vanish, nothing more is delivered
	err           error
	reads, writes memDeadline
}

func newMemPipe() *memPipe {
	p := &memPipe{}
	p.cond = sync.NewCond(&p.mu)
	return p
}

func (p *memPipe) read(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for {
		switch {
		case p.err != nil:
			return 0, p.err
		case p.readClosed:
			return 0, net.ErrClosed
		case p.reads.passed:
			return 0, os.ErrDeadlineExceeded
		case len(b) == 0:
			return 0, nil
		case len(p.buf) > 0:
			n := copy(b, p.buf)
			p.buf = p.buf[n:]
			if len(p.buf) == 0 {
				p.buf = nil
			}
			p.cond.Broadcast()
			return n, nil
		case p.writeClosed && !p.swallowing:
			return 0, io.EOF
		}
		p.cond.Wait()
	}
}

func (p *memPipe) write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	written := 0
	for {
		switch {
		case p.err != nil:
			return written, p.err
		case p.writeClosed:
			return written, net.ErrClosed
		case p.readClosed:
			return written, syscall.EPIPE
		case p.writes.passed:
			return written, os.ErrDeadlineExceeded
		case p.swallowing:
			return written + len(b), nil
		case len(b) == 0:
			return written, nil
		}
		if free := memBuffer - len(p.buf); free > 0 {
			n := min(free, len(b))
			p.buf = append(p.buf, b[:n]...)
			b, written = b[n:], written+n
			p.cond.Broadcast()
			continue
		}
		p.cond.Wait()
	}
}

func (p *memPipe) closeWrite() {
	p.mu.Lock()
	p.writeClosed = true
	p.writes.stop()
	p.cond.Broadcast()
	p.mu.Unlock()
}

func (p *memPipe) closeRead() {
	p.mu.Lock()
	p.readClosed = true
	p.buf = nil
	p.reads.stop()
	p.cond.Broadcast()
	p.mu.Unlock()
}

func (p *memPipe) fail(err error) {
	p.mu.Lock()
	if p.err == nil {
		p.err = err
	}
	p.buf = nil
	p.cond.Broadcast()
	p.mu.Unlock()
}

func (p *memPipe) swallow() {
	p.mu.Lock()
	p.swallowing = true
	p.buf = nil
	p.cond.Broadcast()
	p.mu.Unlock()
}

// memDeadline is a read or write deadline of one direction; its pipe's mutex guards it.
type memDeadline struct {
	timer  *time.Timer
	turn   int // counts settings, so that an old timer that fires late is ignored
	passed bool
}

func (d *memDeadline) stop() {
	d.turn++
	if d.timer != nil {
		d.timer.Stop()
		d.timer = nil
	}
}

func (d *memDeadline) set(t time.Time, p *memPipe) {
	p.mu.Lock()
	defer p.mu.Unlock()
	d.stop()
	d.passed = false
	if !t.IsZero() {
		if wait := time.Until(t); wait > 0 {
			turn := d.turn
			d.timer = time.AfterFunc(wait, func() {
				p.mu.Lock()
				defer p.mu.Unlock()
				if d.turn == turn {
					d.passed = true
					p.cond.Broadcast()
				}
			})
		} else {
			d.passed = true
		}
	}
	p.cond.Broadcast()
}
