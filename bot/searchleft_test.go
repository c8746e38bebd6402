package bot_test

import (
	"context"
	"testing"
	"time"

	"zeitnot/engine"
	"zeitnot/engine/position"
	"zeitnot/lichess"
)

// What a search reads must not be closed while it runs, and whoever closes it has to know.
func TestASearchThatDoesNotStopIsLeftBehindAndTold(t *testing.T) {
	for _, listens := range []bool{true, false} {
		inVirtualTime(t, nil, func(r *rig) {
			r.think.answer = func(ctx context.Context, g position.Game, _ engine.Limits, _ func(engine.Info)) (engine.Result, error) {
				done := ctx.Done()
				if !listens {
					done = nil
				}
				select {
				case <-done:
				case <-time.After(time.Minute):
				}
				return engine.FirstLegal(g, nil), nil
			}
			r.game("abcd1234", lichess.White, "")
			r.start("abcd1234")
			r.after(time.Second)
			r.leave()
			began := time.Now()
			err := <-r.done
			if left := r.daemon.SearchLeft(); left == listens || time.Since(began) > 3*time.Second {
				t.Errorf("listens: %v; a search is left: %v, after %v (%v)", listens, left, time.Since(began), err)
			}
			time.Sleep(2 * time.Minute) // the search ends with the test
			r.done <- err
		})
	}
}
