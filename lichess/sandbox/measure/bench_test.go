package measure

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"zeitnot/lichess/sandbox"
)

func TestStreamsThatOutliveTheBotAreNotWaitedForWithoutEnd(t *testing.T) {
	b, err := newBench(t.Context(), Guest{Listen: "127.0.0.1:0", Patience: 50 * time.Millisecond}, sandbox.Options{
		Opponents: []sandbox.OpponentSpec{{Name: rivalName, New: sandbox.Script{}.Player}},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer b.close()
	// A stream in the middle of a line does not hear that it is cut.
	if err := b.server.InjectSpec("trickle event gap=1h"); err != nil {
		t.Fatal(err)
	}
	if _, err := b.server.Challenge(sandbox.Challenge{From: rivalName, To: botName, Control: gameControl()}); err != nil {
		t.Fatal(err)
	}
	q, err := http.NewRequestWithContext(t.Context(), http.MethodGet, b.url+"/api/stream/event", nil)
	if err != nil {
		t.Fatal(err)
	}
	q.Header.Set("Authorization", "Bearer "+botToken)
	a, err := http.DefaultClient.Do(q)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.Body.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	if err := b.offline(t.Context()); err == nil || !strings.Contains(err.Error(), "1 event and 0 game streams") {
		t.Errorf("got %v, want the stream to be told", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := b.offline(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want canceled", err)
	}
	a.Body.Close()
	b.who.Patience = 2 * time.Minute
	if err := b.offline(t.Context()); err != nil {
		t.Errorf("once it has gone: %v", err)
	}
	http.DefaultClient.CloseIdleConnections()
}
