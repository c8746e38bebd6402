package scripted_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"zeitnot/engine"
	"zeitnot/engine/position"
	"zeitnot/engine/scripted"
)

func TestSleepsItsShareAndNeverPastTheDeadline(t *testing.T) {
	for _, tt := range []struct {
		name   string
		share  float64
		limits func() engine.Limits
		want   time.Duration
	}{
		{"share of soft", 0.5, func() engine.Limits { return engine.Limits{Soft: new(2 * time.Second)} }, time.Second},
		{"hard ends a long sleep", 3, func() engine.Limits {
			return engine.Limits{Soft: new(2 * time.Second), Hard: new(4 * time.Second)}
		}, 4 * time.Second},
		{"soft counts from arrival", 1, func() engine.Limits {
			arrived := engine.Now() - 500*time.Millisecond
			return engine.Limits{Soft: new(2 * time.Second), Hard: new(3 * time.Second), Deadline: new(arrived + 3*time.Second)}
		}, 1500 * time.Millisecond},
		{"deadline past on entry", 1, func() engine.Limits {
			return engine.Limits{Soft: new(time.Second), Hard: new(time.Second), Deadline: new(engine.Now() - time.Second)}
		}, 0},
		{"no limit", 1, func() engine.Limits { return engine.Limits{} }, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				r, err := scripted.Sleeper{Share: tt.share}.Search(t.Context(), position.NewGame(position.Start()), tt.limits(), nil)
				if err != nil || !new(position.Start()).IsLegal(r.Best) {
					t.Fatalf("got %v, %v; want a legal move", r, err)
				}
				if got := time.Since(start); got != tt.want {
					t.Errorf("slept %v, want %v", got, tt.want)
				}
			})
		})
	}
}

func TestCancelWakesTheSleeper(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		start := time.Now()
		r, _ := scripted.Sleeper{Share: 1}.Search(ctx, position.NewGame(position.Start()), engine.Limits{Infinite: true}, nil)
		if got := time.Since(start); got != time.Second || r.Best == position.NoMove {
			t.Errorf("answered %v after %v, want a move after 1s", r.Best, got)
		}
	})
}

func TestPonderCreditsWhatWasPondered(t *testing.T) {
	hit := engine.Limits{Soft: new(2 * time.Second), Hard: new(3 * time.Second)}
	for _, tt := range []struct {
		name     string
		pondered time.Duration
		share    float64
		limits   engine.Limits
		want     time.Duration
	}{
		{"less than soft", 500 * time.Millisecond, 1, hit, 1500 * time.Millisecond},
		{"more than soft", 5 * time.Second, 1, hit, 0},
		{"hard counts from the hit", time.Second, 3, hit, 3 * time.Second},
		{"no limit", time.Second, 1, engine.Limits{}, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := scripted.Sleeper{Share: tt.share}.Ponder(t.Context(), position.NewGame(position.Start()), engine.Limits{}, nil)
				start := time.Now()
				time.AfterFunc(tt.pondered, func() { p.Hit(tt.limits); p.Hit(engine.Limits{}) })
				r, err := p.Result()
				if err != nil || !new(position.Start()).IsLegal(r.Best) {
					t.Fatalf("got %v, %v; want a legal move", r, err)
				}
				if got := time.Since(start) - tt.pondered; got != tt.want {
					t.Errorf("answered %v after the hit, want %v", got, tt.want)
				}
			})
		})
	}
	synctest.Test(t, func(t *testing.T) {
		p := scripted.Sleeper{Share: 1}.Ponder(t.Context(), position.NewGame(position.Start()), engine.Limits{}, nil)
		start := time.Now()
		time.AfterFunc(time.Minute, p.Stop)
		if r, _ := p.Result(); r.Best == position.NoMove || time.Since(start) != time.Minute {
			t.Errorf("answered %v after %v, want a move when it was stopped", r, time.Since(start))
		}
	})
}
