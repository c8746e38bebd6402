package bot

import (
	"math/rand/v2"
	"time"

	"github.com/rs/zerolog"

	"zeitnot/bot/flight"
	"zeitnot/bot/record"
	"zeitnot/clock"
	"zeitnot/engine"
)

// Options are all that a daemon is made of. Client, Searchers and Clock are required;
// every other zero value means the default that its comment names.
type Options struct {
	Client Client
	// Searchers are the search slots: so many searches run at a time, over all games.
	Searchers []engine.Searcher
	// LastResort answers when a search did not, or when there is no time for one. It is
	// given a soft limit of zero and must answer at once; nil is the first legal move.
	LastResort engine.Searcher
	Clock      clock.Policy
	// EngineRule says in which games a searcher that has a choice uses its external engine.
	EngineRule EngineRule
	// Ponder lets games think on their opponents' time, on search slots that no game needs for
	// a move and whose searcher is an engine.Ponderer.
	Ponder bool
	// NoClockThink is the think in games without a clock; 0 is 5 s.
	NoClockThink time.Duration

	// Concurrency is the number of game slots; 0 is 1. It limits what is accepted, not what
	// is played.
	Concurrency int
	// PerUser is how many games one user may have with us at a time; 0 is 1.
	PerUser int
	// QueueSize is how many acceptable challenges may wait for a slot; 0 is 8.
	QueueSize int
	Policy    ChallengePolicy

	Draw     DrawRule
	Resign   ResignRule
	Takeback TakebackRule
	Chat     ChatOptions
	// AbortAfter is how long an opponent may take over the first move; 0 is 30 s, negative
	// is for ever.
	AbortAfter time.Duration
	// DrainTimeout is how long Drain lets games go on; 0 waits for none.
	DrainTimeout time.Duration

	// Departed, when given, is told of each move of a game with a clock as soon as it is
	// written to a connection. It is called by whoever writes, and must return at once.
	Departed func(flight.Departure)

	// Record remembers games, moves and what was learnt of the network; nil remembers
	// nothing. It is the caller's to close, once Run has returned.
	Record record.Store
	// BookPlayed, when given, is told at the end of each game which book moves we played in it,
	// since it was taken up, and how it ended. It is called from many goroutines.
	BookPlayed func(moves []record.BookMove, outcome record.Outcome)
	// StateDir holds games.pgn; empty keeps none.
	StateDir string
	// SiteURL begins the links of games and names the server in the record; empty is
	// https://lichess.org.
	SiteURL string
	Log     zerolog.Logger
	// Random draws from [0, 1) what waits are lengthened or shortened by, from many goroutines;
	// nil is rand.Float64.
	Random func() float64
}

func (o Options) withDefaults() Options {
	orElse := func(d *time.Duration, otherwise time.Duration) {
		if *d == 0 {
			*d = otherwise
		}
	}
	orElse(&o.NoClockThink, 5*time.Second)
	orElse(&o.AbortAfter, 30*time.Second)
	o.Concurrency = max(1, o.Concurrency)
	o.PerUser = max(1, o.PerUser)
	if o.QueueSize == 0 {
		o.QueueSize = 8
	}
	if o.Record == nil {
		o.Record = record.Nothing{}
	}
	if o.Random == nil {
		o.Random = rand.Float64
	}
	if o.SiteURL == "" {
		o.SiteURL = "https://lichess.org"
	}
	return o
}
