package bot

import "time"

// slots are the game slots: they limit how many games are accepted, never how many are
// played. A slot is reserved when a challenge is about to be accepted and belongs to the
// game from its start to its end; challenge and game share their id. Only the daemon's
// loop touches them.
type slots struct {
	capacity int
	held     map[string]slot
}

// slot is one reservation or one running game.
type slot struct {
	user    string // the opponent's id in lower case; empty when not known
	expires time.Time
	playing bool
}

// reservationTime is how long an accepted challenge may take to become a game. The
// server starts it within a second or two; after this long it never will.
const reservationTime = 25 * time.Second

func newSlots(capacity int) *slots {
	return &slots{capacity: max(1, capacity), held: map[string]slot{}}
}

// free tells whether one more game may be accepted.
func (s *slots) free() bool { return len(s.held) < s.capacity }

// used counts reservations and games; above the capacity when more games exist than we
// would have accepted.
func (s *slots) used() int { return len(s.held) }

// reserve holds a slot for a challenge until it starts, is released or expires. It
// reports false when there is no free slot or the id holds one already.
func (s *slots) reserve(id, user string, now time.Time) bool {
	if _, ok := s.held[id]; ok || !s.free() {
		return false
	}
	s.held[id] = slot{user: user, expires: now.Add(reservationTime)}
	return true
}

// own gives the slot of a game that exists, taking one beyond the capacity if need be.
func (s *slots) own(id, user string) {
	s.held[id] = slot{user: user, playing: true}
}

// release frees what the id holds; it may hold nothing.
func (s *slots) release(id string) { delete(s.held, id) }

// reserved tells whether the id holds a reservation that is no game yet.
func (s *slots) reserved(id string) bool {
	held, ok := s.held[id]
	return ok && !held.playing
}

// byUser counts what a user holds.
func (s *slots) byUser(user string) int {
	n := 0
	for _, held := range s.held {
		if held.user == user {
			n++
		}
	}
	return n
}

// expire frees the reservations that never became games and returns their ids.
func (s *slots) expire(now time.Time) []string {
	var gone []string
	for id, held := range s.held {
		if !held.playing && now.After(held.expires) {
			gone = append(gone, id)
			delete(s.held, id)
		}
	}
	return gone
}
