package lichess_test

import (
	"context"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"zeitnot/lichess"
)

// slowDials makes every connection take 200 ms to open and keeps when each was asked for.
type slowDials struct {
	mu    sync.Mutex // guards asked
	asked []time.Time
}

func (d *slowDials) use(o *lichess.Options) {
	dial := o.Dial
	o.Dial = func(ctx context.Context, network, addr string) (net.Conn, error) {
		d.mu.Lock()
		d.asked = append(d.asked, time.Now())
		d.mu.Unlock()
		if err := lichess.Sleep(ctx, 200*ms); err != nil {
			return nil, err
		}
		return dial(ctx, network, addr)
	}
}

func (d *slowDials) count() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.asked)
}

func TestHedgeGoesAtOnceByAConnectionOfItsOwn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var dials slowDials
		came := make(chan time.Time, 10)
		c := connect(t, func(w http.ResponseWriter, r *http.Request) {
			came <- time.Now()
			if len(came) == 2 {
				hold(r)
				return
			}
			answer(w, 200, `{"ok":true}`)
		}, dials.use)
		if _, err := c.SendMove(t.Context(), e2e4); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second) // the spare connection is opened meanwhile

		start := time.Now()
		var first sync.WaitGroup
		first.Go(func() {
			if _, err := c.SendMove(t.Context(), e2e4); err == nil {
				t.Error("the attempt that hangs was answered")
			}
		})
		time.Sleep(300 * ms)
		hedge := e2e4
		hedge.Hedge = true
		if _, err := c.SendMove(t.Context(), hedge); err != nil {
			t.Errorf("hedge: %v", err)
		}
		<-came
		<-came
		if got := (<-came).Sub(start); got != 300*ms {
			t.Errorf("the hedge came after %v, want 300ms: no wait for a connection", got)
		}
		first.Wait()

		// What hung says nothing good of the connections kept: the next move has a new one.
		var reused bool
		ctx := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{GotConn: func(i httptrace.GotConnInfo) { reused = i.Reused }})
		if _, err := c.SendMove(ctx, e2e4); err != nil || reused {
			t.Errorf("next move: %v, reused %v, want a new connection", err, reused)
		}
	})
}

func TestSpareConnectionIsReplacedBeforeTheServerClosesIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var dials slowDials
		c := connect(t, func(w http.ResponseWriter, _ *http.Request) { answer(w, 200, `{"ok":true}`) }, dials.use)
		c.PrepareMove() // nothing is known yet
		time.Sleep(time.Second)
		if got := dials.count(); got != 0 {
			t.Errorf("connections before the first move: got %d, want 0", got)
		}
		if _, err := c.SendMove(t.Context(), e2e4); err != nil {
			t.Fatal(err)
		}
		for _, step := range []struct {
			wait time.Duration
			want int
		}{{0, 2}, {49 * time.Second, 2}, {5 * time.Second, 3}, {time.Hour, 4}, {time.Second, 4}} {
			time.Sleep(step.wait)
			c.PrepareMove()
			synctest.Wait()
			if got := dials.count(); got != step.want {
				t.Errorf("connections after %v more: got %d, want %d", step.wait, got, step.want)
			}
		}
		time.Sleep(time.Second)
		start := time.Now()
		if _, err := c.SendMove(t.Context(), e2e4); err != nil || time.Since(start) != 0 {
			t.Errorf("move after an hour: %v after %v, want it sent by the spare connection at once", err, time.Since(start))
		}
	})
}

// The spare connection has its handshake behind it, and is checked like any other.
func TestSpareConnectionOverTLS(t *testing.T) {
	var mu sync.Mutex
	addresses := map[string]int{}
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		addresses[r.RemoteAddr]++
		mu.Unlock()
		if r.Proto != "HTTP/1.1" {
			t.Errorf("got %s, want HTTP/1.1", r.Proto)
		}
		answer(w, 200, `{"ok":true}`)
	}))
	server.EnableHTTP2 = true
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	defer server.Close()
	roots := server.Client().Transport.(*http.Transport).TLSClientConfig.Clone()
	roots.NextProtos = nil
	c, err := lichess.New(lichess.Options{URL: server.URL, TLS: roots})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for _, hedge := range []bool{false, false, true, true} {
		m := e2e4
		m.Hedge = hedge
		if _, err := c.SendMove(t.Context(), m); err != nil {
			t.Fatal(err)
		}
	}
	if len(addresses) != 3 {
		t.Errorf("connections that were used: got %d, want 3: one for the moves, one for each hedge", len(addresses))
	}
	strange, err := lichess.New(lichess.Options{URL: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	defer strange.Close()
	if _, err := strange.SendMove(t.Context(), e2e4); err == nil {
		t.Error("a certificate of nobody we trust was accepted")
	}
}
