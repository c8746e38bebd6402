package record

import (
	"slices"
	"sync"
)

// Memory is a Store that forgets at the end of the process: for virtual time, where a
// database has no place, and for whoever wants to look at what would be written. The zero
// value is empty and ready.
type Memory struct {
	mu     sync.Mutex // guards everything below
	games  []*Remembered
	priors map[string]Prior
	closed bool
}

// Remembered is all that a store has of a game.
type Remembered struct {
	Game
	End   *End // nil: has not ended, as far as we know
	Moves []Move
}

// Games are the games in the order in which they were first seen.
func (m *Memory) Games() []Remembered {
	m.mu.Lock()
	defer m.mu.Unlock()
	var games []Remembered
	for _, g := range m.games {
		kept := *g
		kept.Moves = slices.Clone(g.Moves)
		games = append(games, kept)
	}
	return games
}

// game finds a game; nil when it is not known or nothing is taken any more. The lock is held.
func (m *Memory) game(id string) *Remembered {
	i := slices.IndexFunc(m.games, func(g *Remembered) bool { return g.ID == id })
	if i < 0 || m.closed {
		return nil
	}
	return m.games[i]
}

// GameStarted implements Store.
func (m *Memory) GameStarted(g Game) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.closed && m.game(g.ID) == nil {
		m.games = append(m.games, &Remembered{Game: g})
	}
}

// Move implements Store.
func (m *Memory) Move(v Move) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if g := m.game(v.Game); g != nil {
		g.dropAfter(v.Ply - 1)
		g.Moves = append(g.Moves, v)
	}
}

// GameEnded implements Store.
func (m *Memory) GameEnded(e End) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if g := m.game(e.Game); g != nil {
		g.dropAfter(e.Plies)
		g.End = &e
	}
}

// dropAfter forgets the moves after so many plies.
func (g *Remembered) dropAfter(plies int) {
	g.Moves = slices.DeleteFunc(g.Moves, func(v Move) bool { return v.Ply > plies })
}

// SavePrior implements Store.
func (m *Memory) SavePrior(p Prior) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return
	}
	if m.priors == nil {
		m.priors = map[string]Prior{}
	}
	m.priors[p.Server] = p
}

// Prior implements Store.
func (m *Memory) Prior(server string) (Prior, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.priors[server], nil
}

// Close implements Store.
func (m *Memory) Close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.closed = true
	return nil
}
