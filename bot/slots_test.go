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
				h := holder{"u", rapid.Bool().Draw(t, "days")}
				free := s.free(h.days)
				_, held := s.held[id]
				if got, want := s.reserve(id, h, now.Add(reservationTime)), free && !held; got != want {
					t.Fatalf("reserve: got %v, want %v", got, want)
				}
			case 1:
				s.own(id, holder{"u", rapid.Bool().Draw(t, "days")})
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
					if !s.held[id].days {
						reservations++
					}
				} else if !owned[id] {
					t.Fatalf("slot of %s belongs to nobody", id)
				}
			}
			if reservations > s.capacity {
				t.Fatalf("reservations: got %d of %d slots", reservations, s.capacity)
			}
			if got, want := s.same(holder{"u", false}), s.used(); got != want {
				t.Fatalf("by user: got %d, want %d", got, want)
			}
		}
	})
}

func TestGamesOverDaysHaveSlotsOfTheirOwn(t *testing.T) {
	s, now := newSlots(1), time.Unix(0, 0)
	days, clock := holder{"u", true}, holder{"u", false}
	for i := range daysCapacity {
		if !s.reserve(fmt.Sprint(i), days, now) {
			t.Fatalf("game %d over days was refused", i+1)
		}
	}
	if s.reserve("more", days, now) {
		t.Errorf("got %d games over days, want %d at most", daysCapacity+1, daysCapacity)
	}
	if s.used() != 0 || s.same(clock) != 0 || !s.reserve("fast", clock, now) {
		t.Error("games over days keep one on a clock out")
	}
	if s.reserve("faster", clock, now) {
		t.Error("got two games on a clock in one slot")
	}
}
