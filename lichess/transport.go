package lichess

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"time"
)

// dialFunc opens a connection.
type dialFunc func(ctx context.Context, network, addr string) (net.Conn, error)

const (
	// dialTimeout bounds one connection attempt.
	dialTimeout = 5 * time.Second
	// userTimeout is how long sent bytes may stay unacknowledged, where the system can tell.
	userTimeout = 20 * time.Second
	// idleTimeout closes a kept connection before the server does (75 s): a request written
	// just as the server closes would be lost.
	idleTimeout = 60 * time.Second
)

// netDialer dials with keepalive probes that find a dead peer within 25 seconds.
func netDialer() *net.Dialer {
	return &net.Dialer{
		Timeout:         dialTimeout,
		KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: 10 * time.Second, Interval: 5 * time.Second, Count: 3},
		Control:         setUserTimeout,
	}
}

// newTransport makes a transport that speaks HTTP/1.1 only: one dead HTTP/2 connection is
// shared by everything and reused for minutes. With keep 0 every request has a connection of
// its own, which is what streams need.
func newTransport(dial dialFunc, roots *tls.Config, keep int) *http.Transport {
	t := &http.Transport{
		DialContext:         dial,
		TLSClientConfig:     roots,
		TLSHandshakeTimeout: dialTimeout,
		TLSNextProto:        map[string]func(string, *tls.Conn) http.RoundTripper{},
		Protocols:           new(http.Protocols),
		// A compressed stream would hold lines back.
		DisableCompression:  true,
		MaxIdleConnsPerHost: keep,
		IdleConnTimeout:     idleTimeout,
	}
	t.Protocols.SetHTTP1(true)
	if keep == 0 {
		t.MaxIdleConnsPerHost = -1
	}
	if dial == nil {
		t.DialContext = netDialer().DialContext
		t.Proxy = http.ProxyFromEnvironment
	}
	return t
}
