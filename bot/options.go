package bot

import (
	"time"

	"github.com/rs/zerolog"

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
	// given limits of zero and must answer at once; nil is the first legal move.
	LastResort engine.Searcher
	Clock      clock.Policy
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

	// StateDir holds games.pgn; empty records nothing.
	StateDir string
	// SiteURL begins the links of recorded games; empty is https://lichess.org.
	SiteURL string
	Log     zerolog.Logger
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
	if o.SiteURL == "" {
		o.SiteURL = "https://lichess.org"
	}
	return o
}
