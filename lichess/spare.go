package lichess

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"sync"
	"time"
)

// spareAge is how long a connection that nobody used is still given out. The server closes
// its idle ones after 75 s.
const spareAge = 50 * time.Second

// spare keeps one connection open and ready, its TLS handshake done, for a move that cannot
// wait for a new one. Whoever takes it, or dials past it, has the next one opened.
type spare struct {
	plain dialFunc
	tls   *tls.Config // may be nil

	ctx  context.Context // ends what is being opened
	stop context.CancelFunc
	work sync.WaitGroup // connections that are being opened

	mu      sync.Mutex // guards everything below
	known   target     // where moves go; zero until the first one
	kept    net.Conn   // to known, or nil
	born    time.Time  // of kept
	opening bool
	closed  bool
}

// target is one place to connect to.
type target struct {
	network, addr string
	secure        bool
}

func newSpare(dial dialFunc, roots *tls.Config) *spare {
	if dial == nil {
		dial = netDialer().DialContext
	}
	s := &spare{plain: dial, tls: roots}
	s.ctx, s.stop = context.WithCancel(context.Background())
	return s
}

// serve makes a transport take its connections from the spare.
func (s *spare) serve(t *http.Transport) {
	t.DialContext = func(ctx context.Context, network, addr string) (net.Conn, error) {
		return s.dial(ctx, target{network, addr, false})
	}
	t.DialTLSContext = func(ctx context.Context, network, addr string) (net.Conn, error) {
		return s.dial(ctx, target{network, addr, true})
	}
}

// dial gives out the spare connection, or else a new one.
func (s *spare) dial(ctx context.Context, to target) (net.Conn, error) {
	s.mu.Lock()
	s.dropOld(to)
	s.known = to
	conn := s.kept
	s.kept = nil
	s.mu.Unlock()
	if conn == nil {
		var err error
		if conn, err = s.open(ctx, to); err != nil {
			return nil, err
		}
	}
	s.prepare()
	return conn, nil
}

// prepare opens a spare connection beside its caller when there is none that is fresh.
func (s *spare) prepare() {
	s.mu.Lock()
	defer s.mu.Unlock()
	to := s.known
	s.dropOld(to)
	if s.closed || s.opening || s.kept != nil || to == (target{}) {
		return
	}
	s.opening = true
	s.work.Go(func() {
		ctx, cancel := context.WithTimeout(s.ctx, 2*dialTimeout)
		defer cancel()
		conn, err := s.open(ctx, to)
		s.mu.Lock()
		defer s.mu.Unlock()
		s.opening = false
		switch {
		case err != nil: // the next move tries again
		case s.closed || s.kept != nil || s.known != to:
			_ = conn.Close()
		default:
			s.kept, s.born = conn, time.Now()
		}
	})
}

// dropOld closes a kept connection that is too old or leads elsewhere; the caller holds mu.
func (s *spare) dropOld(to target) {
	if s.kept != nil && (s.known != to || time.Since(s.born) >= spareAge) {
		_ = s.kept.Close()
		s.kept = nil
	}
}

// discard closes the kept connection: those of its age have turned out to be dead.
func (s *spare) discard() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.kept != nil {
		_ = s.kept.Close()
		s.kept = nil
	}
}

// close closes everything and waits for what is being opened.
func (s *spare) close() {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.stop()
	s.discard()
	s.work.Wait()
}

// open opens a connection, up to where a request can be written.
func (s *spare) open(ctx context.Context, to target) (net.Conn, error) {
	conn, err := s.plain(ctx, to.network, to.addr)
	if err != nil || !to.secure {
		return conn, err
	}
	config := s.tls.Clone()
	if config == nil {
		config = &tls.Config{}
	}
	if config.ServerName == "" {
		host, _, err := net.SplitHostPort(to.addr)
		if err != nil {
			host = to.addr
		}
		config.ServerName = host
	}
	config.NextProtos = []string{"http/1.1"}
	secured := tls.Client(conn, config)
	ctx, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	if err := secured.HandshakeContext(ctx); err != nil {
		_ = conn.Close()
		return nil, err
	}
	return secured, nil
}
