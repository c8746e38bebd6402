package bot

import (
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestReservationsNeverExceedTheSlots(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := newSlots(rapid.IntRange(1, 4).Draw(t, "capacity"))
		now := time.Unix(0, 0)
		owned := map[string]bool{}
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			id := fmt.Sprint(rapid.IntRange(0, 7).Draw(t, "id"))
			switch rapid.IntRange(0, 3).Draw(t, "what") {
			case 0:
				free := s.free()
				_, held := s.held[id]
				if got, want := s.reserve(id, "u", now), free && !held; got != want {
					t.Fatalf("reserve: got %v, want %v", got, want)
				}
			case 1:
				s.own(id, "u")
				owned[id] = true
			case 2:
				s.release(id)
				delete(owned, id)
			case 3:
				now = now.Add(10 * time.Second)
				for _, gone := range s.expire(now) {
					if owned[gone] {
						t.Fatalf("game %s lost its slot by time", gone)
					}
				}
			}
			reservations := 0
			for id := range s.held {
				if s.reserved(id) {
					reservations++
				} else if !owned[id] {
					t.Fatalf("slot of %s belongs to nobody", id)
				}
			}
			if reservations > s.capacity {
				t.Fatalf("reservations: got %d of %d slots", reservations, s.capacity)
			}
			if s.byUser("u") != s.used() {
				t.Fatalf("by user: got %d, want %d", s.byUser("u"), s.used())
			}
		}
	})
}
