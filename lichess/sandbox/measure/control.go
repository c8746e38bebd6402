package measure

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"time"
)

// control is what answers are measured beside: an empty POST by a plain client to a server
// that does nothing, over a kept connection of the loopback.
type control struct {
	url     string
	server  http.Server
	serving sync.WaitGroup
	client  http.Client
}

func newControl() (*control, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("control: %w", err)
	}
	c := &control{url: "http://" + listener.Addr().String(), client: http.Client{Transport: &http.Transport{}}}
	c.server.Handler = http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})
	c.serving.Go(func() { c.server.Serve(listener) })
	return c, nil
}

// post is how long one POST took, from the call to the end of the answer.
func (c *control) post(ctx context.Context) (time.Duration, error) {
	began := time.Now()
	q, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url, http.NoBody)
	if err != nil {
		return 0, fmt.Errorf("control: %w", err)
	}
	a, err := c.client.Do(q)
	if err != nil {
		return 0, fmt.Errorf("control: %w", err)
	}
	_, err = io.Copy(io.Discard, a.Body)
	a.Body.Close()
	return time.Since(began), err
}

func (c *control) close() {
	c.client.CloseIdleConnections()
	c.server.Close()
	c.serving.Wait()
}
