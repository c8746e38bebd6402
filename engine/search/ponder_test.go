package search_test

import (
	"context"
	"testing"
	"time"

	"zeitnot/engine"
	"zeitnot/engine/position"
	"zeitnot/engine/search"
)

func TestPonderAnswersOnlyWhenTold(t *testing.T) {
	mate := game(t, "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1")
	start := game(t, "startpos")
	for _, tt := range []struct {
		name string
		g    position.Game
		l    engine.Limits
		tell func(engine.Pondering)
	}{
		{"stop in mid-search", start, engine.Limits{}, engine.Pondering.Stop},
		{"stop after the last depth", start, engine.Limits{Depth: new(2)}, engine.Pondering.Stop},
		{"stop after a proven mate", mate, engine.Limits{Depth: new(20)}, engine.Pondering.Stop},
		{"hit in mid-search", start, engine.Limits{}, func(p engine.Pondering) {
			p.Hit(engine.Limits{Soft: new(40 * time.Millisecond), Hard: new(80 * time.Millisecond)})
		}},
		{"hit after the last depth", start, engine.Limits{Depth: new(2)}, func(p engine.Pondering) {
			p.Hit(engine.Limits{Soft: new(time.Hour), Depth: new(2)})
		}},
		{"hit after a proven mate", mate, engine.Limits{Depth: new(20)}, func(p engine.Pondering) {
			p.Hit(engine.Limits{Soft: new(time.Hour), Hard: new(time.Hour)})
		}},
		{"hit with no time left", start, engine.Limits{}, func(p engine.Pondering) {
			p.Hit(engine.Limits{Soft: new(time.Duration(0)), Hard: new(time.Duration(0))})
		}},
		{"hit with the deadline past", start, engine.Limits{}, func(p engine.Pondering) {
			p.Hit(engine.Limits{Hard: new(time.Second), Deadline: new(engine.Now() - time.Second)})
		}},
		{"hit twice, stop twice", start, engine.Limits{}, func(p engine.Pondering) {
			p.Hit(engine.Limits{Soft: new(time.Hour)})
			p.Hit(engine.Limits{})
			p.Stop()
			p.Stop()
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := search.New(search.Options{HashMB: 4})
			p := s.Ponder(context.Background(), tt.g, tt.l, nil)
			done := make(chan engine.Result)
			go func() {
				r, err := p.Result()
				if err != nil {
					t.Error(err)
				}
				done <- r
			}()
			select {
			case r := <-done:
				t.Fatalf("answered %v before it was told", r.Best)
			case <-time.After(60 * time.Millisecond):
			}
			tt.tell(p)
			select {
			case r := <-done:
				if !tt.g.Position().IsLegal(r.Best) {
					t.Errorf("got %v, not a legal move", r.Best)
				}
			case <-time.After(time.Minute):
				t.Fatal("no answer")
			}
		})
	}
}

func TestPonderEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	g := game(t, "startpos")
	p := search.New(search.Options{}).Ponder(ctx, g, engine.Limits{}, nil)
	cancel()
	if r, err := p.Result(); err != nil || !g.Position().IsLegal(r.Best) {
		t.Errorf("got %v, %v", r, err)
	}
}
