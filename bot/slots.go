package bot

import "time"

// slots are the game slots: they limit how many games are accepted, never how many are
// played. A slot is reserved when a challenge is about to be accepted or made and belongs to
// the game from its start to its end; challenge and game share their id. Games over days have
// slots of their own: one of them would keep everybody else out for weeks. Only the
// daemon's loop touches them.
type slots struct {
	capacity int // of games on a clock
	held     map[string]slot
}

// daysCapacity is how many games without a clock are accepted: a guess, they need a few
// searches a day each.
const daysCapacity = 20

// slot is one reservation or one running game.
type slot struct {
	holder
	expires time.Time
	playing bool
}

// holder is whom a slot is for.
type holder struct {
	user string // the opponent's id in lower case; empty when not known
	days bool   // a game without a clock
}

// reservationTime is how long an accepted challenge may take to become a game. The
// server starts it within a second or two; after this long it never will.
const reservationTime = 25 * time.Second

func newSlots(capacity int) *slots {
	return &slots{capacity: max(1, capacity), held: map[string]slot{}}
}

// free tells whether one more game of the kind may be accepted.
func (s *slots) free(days bool) bool {
	capacity := s.capacity
	if days {
		capacity = daysCapacity
	}
	return s.count(func(h holder) bool { return h.days == days }) < capacity
}

// used counts reservations and games on a clock; above the capacity when more games exist
// than we would have accepted.
func (s *slots) used() int { return s.count(func(h holder) bool { return !h.days }) }

func (s *slots) count(which func(holder) bool) int {
	n := 0
	for _, held := range s.held {
		if which(held.holder) {
			n++
		}
	}
	return n
}

// reserve holds a slot for a challenge until it starts, is released or that time has come. It
// reports false when there is no free slot or the id holds one already.
func (s *slots) reserve(id string, h holder, until time.Time) bool {
	if _, ok := s.held[id]; ok || !s.free(h.days) {
		return false
	}
	s.held[id] = slot{holder: h, expires: until}
	return true
}

// own gives the slot of a game that exists, taking one beyond the capacity if need be.
func (s *slots) own(id string, h holder) {
	s.held[id] = slot{holder: h, playing: true}
}

// rename makes a reservation another id's, unless that one has a slot already.
func (s *slots) rename(from, to string) {
	held, ok := s.held[from]
	delete(s.held, from)
	if _, taken := s.held[to]; ok && !taken {
		s.held[to] = held
	}
}

// release frees what the id holds; it may hold nothing.
func (s *slots) release(id string) { delete(s.held, id) }

// reserved tells whether the id holds a reservation that is no game yet.
func (s *slots) reserved(id string) bool {
	held, ok := s.held[id]
	return ok && !held.playing
}

// giveUp frees what is reserved for the id; a game keeps its slot.
func (s *slots) giveUp(id string) {
	if s.reserved(id) {
		s.release(id)
	}
}

// same counts what a user holds of one kind.
func (s *slots) same(h holder) int { return s.count(func(other holder) bool { return other == h }) }

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
