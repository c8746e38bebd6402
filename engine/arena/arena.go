// Package arena plays matches between players, each an embedded searcher or a UCI process,
// and says which is stronger and how sure that is: two players, all against all, or one
// against the others. A match whose players are limited by nodes or depth, or whose clocks
// run by nodes, is the same, byte for byte, whenever it is played with the same seed; a
// timed one holds for the machine and the hour.
package arena

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"zeitnot/engine/pgn"
)

// Match says what is to be played.
type Match struct {
	// Players are two or more.
	Players []Player
	// Gauntlet lets the first player meet each of the others; otherwise everyone meets
	// everyone. Of two players it says nothing.
	Gauntlet bool
	// Openings are played in their order, each twice with colours swapped, and again from
	// the first when all are through. All pairings see the same ones.
	Openings []Opening
	// Games of each pairing, at least 1. An odd number leaves the last opening half played,
	// which only two players may.
	Games int
	// Concurrency is the number of games at a time; 0 is 1.
	Concurrency int
	Adjudicate  Adjudication
	// SPRT ends a match of two players early when it is decided; nil plays all games.
	SPRT *SPRT
	// Seed is passed on to the contestants; each game has its own, made from it.
	Seed uint64
	// Virtual lets the clocks run by nodes; nil is real time.
	Virtual *VirtualTime
	// Played are games of this match that were finished earlier. They count, and are not
	// played again.
	Played []Record
	// OnFinished is told each game that was played, in the order in which they end; an error
	// ends the match. nil is allowed.
	OnFinished func(Record) error
	// PGN receives each game in the order of their numbers, earlier ones too; nil drops them.
	PGN io.Writer
	// Event and Date are tags of the PGN; a zero Date is written as unknown.
	Event string
	Date  time.Time
	// MoveLimit is the longest that a move may take without a real clock before the engine
	// counts as hung; 0 is five minutes.
	MoveLimit time.Duration
	// OnGame is told each game, in the order of their numbers, with the result so far; nil is
	// allowed. It is never called twice at the same time.
	OnGame func(Record, Result)
}

// Player is one of those who play.
type Player struct {
	Name string
	// Make makes a contestant; each of the games that run at a time has its own.
	Make   func(ctx context.Context) (Contestant, error)
	Limits Limits
}

// Limits of a player's thinking. Several may be given; all zero is an error, for then
// no move would ever end.
type Limits struct {
	// Base and Increment are a clock; a Base of 0 is none.
	Base, Increment time.Duration
	// MoveTime is spent on every move; 0 is none.
	MoveTime time.Duration
	// Nodes and Depth of each search; 0 is none.
	Nodes, Depth int
	// Margin is how far below zero the clock may go without loss; 0 is not at all.
	Margin time.Duration
}

// clocked tells that the player's thinking is limited by time, real or virtual.
func (l Limits) clocked() bool { return l.Base > 0 || l.MoveTime > 0 }

func (l Limits) unlimited() bool { return !l.clocked() && l.Nodes <= 0 && l.Depth <= 0 }

// VirtualTime is a time that passes by nodes: the same on every machine. Its players must
// count it themselves (search.Options.NodesPerMS), each search from zero.
type VirtualTime struct {
	// NodesPerMS nodes are a millisecond, at least 1.
	NodesPerMS int
	// Latency draws what the moves of one player cost in one game beyond the search, one
	// after the other; nil is nothing. It is called with the seed of the game and player.
	Latency func(seed uint64) func() time.Duration
}

// Record is one finished game. It can be written as JSON and read again.
type Record struct {
	// Number of the game, from 1.
	Number int `json:"number"`
	// White and Black are the indices of the players.
	White int `json:"white"`
	Black int `json:"black"`
	// Result is the game's result as PGN writes it, Reason why it ended.
	Result string `json:"result"`
	Reason string `json:"reason"`
	// Fault is what player FaultBy did wrong, "" if the game ended on the board.
	Fault   Fault `json:"fault,omitempty"`
	FaultBy int   `json:"fault_by,omitempty"`
	Plies   int   `json:"plies"`
	// Effort is what White and Black spent.
	Effort [2]Effort `json:"effort"`
	// PGN is the game as a file of games holds it.
	PGN string `json:"pgn"`
	// Earlier tells that the game is one of Match.Played.
	Earlier bool `json:"-"`
}

// Effort is what a player has spent on his moves.
type Effort struct {
	Moves int    `json:"moves"`
	Nodes uint64 `json:"nodes"`
	// Depths is the sum of the depths of Searches moves: those that a depth was told of.
	Depths   int `json:"depths"`
	Searches int `json:"searches"`
	// Time without latency, in nanoseconds; 0 for players without a clock.
	Time time.Duration `json:"time"`
}

func (e *Effort) add(o Effort) {
	e.Moves += o.Moves
	e.Nodes += o.Nodes
	e.Depths += o.Depths
	e.Searches += o.Searches
	e.Time += o.Time
}

// points of White: 2 for a win, 1 for a draw.
func (r *Record) points() int {
	switch r.Result {
	case pgn.WhiteWins:
		return 2
	case pgn.Draw:
		return 1
	}
	return 0
}

// Timed tells that the moves depend on how fast the machine is.
func (m *Match) Timed() bool {
	for _, p := range m.Players {
		if p.Limits.clocked() && m.Virtual == nil {
			return true
		}
	}
	return false
}

// Check says what is wrong with the match, all at once.
func (m *Match) Check() error {
	var faults []error
	wrong := func(format string, args ...any) { faults = append(faults, fmt.Errorf(format, args...)) }
	if len(m.Players) < 2 {
		wrong("%d players: want two or more", len(m.Players))
	}
	if m.SPRT != nil && len(m.Players) > 2 {
		wrong("an SPRT of %d players: it compares two", len(m.Players))
	}
	if len(m.Openings) == 0 {
		wrong("no openings")
	}
	if m.Games < 1 {
		wrong("%d games", m.Games)
	}
	if m.Games%2 == 1 && len(m.Players) > 2 {
		wrong("%d games of each pairing: more than two players need an even number, or colours are not balanced", m.Games)
	}
	names := map[string]bool{}
	clocked := false
	for i, p := range m.Players {
		if names[p.Name] {
			wrong("two players are called %s", p.Name)
		}
		names[p.Name] = true
		clocked = clocked || p.Limits.clocked()
		if p.Limits.unlimited() {
			wrong("player %d (%s) has no limit: give a time control, nodes or depth", i+1, p.Name)
		}
		if p.Make == nil {
			wrong("player %d (%s) has no engine", i+1, p.Name)
		}
	}
	if v := m.Virtual; v != nil && v.NodesPerMS < 1 {
		wrong("%d nodes a millisecond: want 1 or more", v.NodesPerMS)
	}
	if m.Virtual != nil && !clocked {
		wrong("nodes as time, and no player has a time control")
	}
	if err := errors.Join(faults...); err != nil {
		return fmt.Errorf("arena: %w", err)
	}
	return nil
}
