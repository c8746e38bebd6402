// Package record is what the daemon remembers beyond its own end: its games, its moves
// with their clocks, and what it has learnt of the way to the server.
//
// Nothing here may hold up a game. Whoever remembers something hands it over and goes on;
// it is written later, by one goroutine, and what cannot be written is counted, logged and
// forgotten.
package record

import (
	"time"

	"zeitnot/clock"
)

// Store takes what is to be remembered. Apart from Close its methods never wait, not for a
// disk and not for each other's writing; they may be called from anywhere. The order of
// the calls about one game is the order of events.
type Store interface {
	// GameStarted takes a game that is being played from now on. A game that is known already,
	// because it is taken up again, stays as it was first seen.
	GameStarted(Game)
	// Move takes an own move that the server has shown. Moves that are known of this ply and of
	// later ones have been taken back. A move of an unknown game is lost.
	Move(Move)
	// GameEnded takes the end of a game; of several the last one counts. The end of an unknown
	// game is lost.
	GameEnded(End)

	// SavePrior takes what was learnt of the way to a server, in place of what was known.
	SavePrior(Prior)
	// Prior is what was saved for the server last; the zero Prior when nothing was. An error
	// means that what was saved cannot be read.
	Prior(server string) (Prior, error)

	// Close writes what was handed over before and ends the store. What comes later is lost.
	Close() error
}

// Game is a game as its beginning shows it.
type Game struct {
	ID      string
	Created time.Time // by the server
	Color   string    // ours: white, black
	Rating  int       // ours; 0 is not known
	// Opponent is a name for people, never empty; the title is empty without one.
	Opponent, OpponentTitle string
	OpponentRating          int // 0 is not known
	Speed, Variant          string
	InitialFEN              string // empty: the usual initial position
	Rated                   bool
	Control                 *Control // nil: no clock that runs
}

// Control is a time control.
type Control struct{ Initial, Increment time.Duration }

// Mode is how the time of a move was spent.
type Mode string

// The modes.
const (
	ModeNormal    Mode = "normal"    // thought about in our own time
	ModeRed       Mode = "red"       // no time to think was left
	ModePonderHit Mode = "ponderhit" // thought about in the opponent's time as well
	ModePremove   Mode = "premove"   // a ponder hit that was answered without time of our own
)

// Move is a move of ours. Times are kept to the microsecond, the clock to the millisecond.
type Move struct {
	Game string // id
	Ply  int    // of the game, from 1
	UCI  string
	// Clock is what our clock showed when our turn began; nil without a clock.
	Clock *time.Duration
	// Soft and Hard are the budget, Used the time until the move was decided.
	Soft, Hard, Used time.Duration
	// Overhead is what the server charged on top of our own time; nil when it is not known.
	Overhead *time.Duration
	Mode     Mode
	Depth    int
	Nodes    uint64
	// Centipawns is the score for us, or Mate the moves until mate, negative when it is we who
	// are mated; both nil when no search stands behind the move.
	Centipawns, Mate *int
	Source           string
	// Book is what the move was in the book it came from; nil if it came from none.
	Book *BookMove
}

// BookMove is a move as Polyglot books have it: the key of the position, and the move.
type BookMove struct {
	Key  uint64
	Move uint16
}

// Outcome is how a game ended for us.
type Outcome string

// The outcomes.
const (
	Win       Outcome = "win"
	Draw      Outcome = "draw"
	Loss      Outcome = "loss"
	NoOutcome Outcome = "none" // aborted, or not known
)

// End is the end of a game.
type End struct {
	Game    string    // id
	At      time.Time // when we learnt of it
	Status  string    // the server's word; empty: not known
	Outcome Outcome
	Plies   int // of the whole game; moves known beyond them were taken back
}

// Prior is what was known of the way to a server at some time.
type Prior struct {
	Server    string // its URL
	Saved     time.Time
	Estimator clock.Prior
}

// Nothing remembers nothing.
type Nothing struct{}

// GameStarted implements Store.
func (Nothing) GameStarted(Game) {}

// Move implements Store.
func (Nothing) Move(Move) {}

// GameEnded implements Store.
func (Nothing) GameEnded(End) {}

// SavePrior implements Store.
func (Nothing) SavePrior(Prior) {}

// Prior implements Store.
func (Nothing) Prior(string) (Prior, error) { return Prior{}, nil }

// Close implements Store.
func (Nothing) Close() error { return nil }

// timeLayout is a time of day in the file: UTC, to the millisecond.
const timeLayout = "2006-01-02 15:04:05.000"

// millis is a length of time in the file, to the microsecond.
func millis(d time.Duration) float64 {
	return float64(d.Round(time.Microsecond)/time.Microsecond) / 1000
}
