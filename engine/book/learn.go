package book

import (
	"math"
	"sync"

	"zeitnot/engine/position"
)

// Result is how own games went in which a book move was played.
type Result struct {
	Key  uint64 // of the position, as Key gives it
	Move uint16 // as Code gives it
	// Games that ended, and the points in them, a half each: 2 for a win, 1 for a draw.
	Games, Points int
}

// Code is a move as books have it.
func Code(m position.Move) uint16 { return uint16(encode(m)) }

const (
	// learnTrust is how many games of the usual result a move is given for a start, learnSlope
	// how much more often it is played for a point more a game, and learnBound the most that
	// all results together change. Guesses: after ten losses where the others are drawn a move
	// is played half as often, and none is ever given up.
	learnTrust = 10
	learnSlope = 4
	learnBound = 2
)

// Learned is what own games have taught about book moves. It depends on their results alone,
// not on their order; the book stays as it is. It may be asked and told by many at once.
type Learned struct {
	mu    sync.RWMutex // guards what follows
	moves map[edge]tally
	all   tally
}

// Add counts results. One that cannot be is not counted.
func (l *Learned) Add(results ...Result) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, r := range results {
		if r.Games <= 0 || r.Games > math.MaxInt32/2 || r.Points < 0 || r.Points > 2*r.Games {
			continue
		}
		if l.moves == nil {
			l.moves = map[edge]tally{}
		}
		e := edge{r.Key, code(r.Move)}
		l.moves[e] = l.moves[e].plus(r)
		l.all = l.all.plus(r)
	}
}

// plus is the tally with more games; at the end of its numbers it stays.
func (t tally) plus(r Result) tally {
	if t.games > math.MaxInt32 {
		return t
	}
	return tally{t.games + uint32(r.Games), t.points + uint32(r.Points)}
}

// score is what a move brought per game, from 0 to 1, mean is that of all moves.
func (t tally) score(mean float64) float64 {
	return (float64(t.points)/2 + learnTrust*mean) / (float64(t.games) + learnTrust)
}

// Factor is by how much a move is to be played more often than its weight says, from a half to
// double: 1 for a move without games, and for one that did as well as all book moves do.
func (l *Learned) Factor(key uint64, move uint16) float64 {
	l.mu.RLock()
	defer l.mu.RUnlock()
	t, ok := l.moves[edge{key, code(move)}]
	if !ok {
		return 1
	}
	mean := float64(l.all.points) / 2 / float64(l.all.games)
	return max(1.0/learnBound, min(learnBound, 1+learnSlope*(t.score(mean)-mean)))
}
