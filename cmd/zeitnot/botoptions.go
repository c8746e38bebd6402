package main

import (
	"slices"
	"time"

	"zeitnot/bot"
	"zeitnot/config"
	"zeitnot/lichess"
)

// botOptions says in the daemon's words what the settings say. What is not a setting -
// the client, the searchers, the clock, the log - is added by the caller.
func botOptions(c *config.Config) bot.Options {
	return bot.Options{
		NoClockThink: c.NoClockThink,
		Concurrency:  c.Concurrency,
		Policy: bot.ChallengePolicy{
			Human: rules(c.AcceptHuman), Bot: rules(c.AcceptBot),
			Block: c.Block, Allow: c.Allow, AllowOnly: c.AllowOnly,
		},
		Draw: bot.DrawRule{
			Offer: c.Draw.Offer, Accept: c.Draw.Accept, Score: c.Draw.Score, Moves: c.Draw.Moves,
			MinMove: c.Draw.MinMove, MaxPieces: c.Draw.MaxPieces,
		},
		Resign:       bot.ResignRule{Enabled: c.Resign.Enabled, Score: c.Resign.Score, Moves: c.Resign.Moves},
		Takeback:     bot.TakebackRule{Casual: c.Takebacks},
		Chat:         bot.ChatOptions{Greeting: c.Greeting, Commands: c.ChatCommands, Name: "zeitnot " + versionText()},
		EngineRule:   engineRule(c),
		AbortAfter:   c.AbortAfter,
		DrainTimeout: c.DrainTimeout,
		StateDir:     c.StateDir,
		SiteURL:      c.URL,
	}
}

func engineRule(c *config.Config) bot.EngineRule {
	f := c.EngineFor
	return bot.EngineRule{
		Speeds: f.Speeds, Variants: f.Variants, Colors: f.Colors, Modes: f.Modes, Opponents: f.Opponents,
		MinRating: f.MinRating, MaxRating: f.MaxRating,
	}
}

func rules(a config.Acceptance) bot.Rules {
	r := bot.Rules{
		Speeds: a.Speeds,
		Rated:  slices.Contains(a.Modes, "rated"), Casual: slices.Contains(a.Modes, "casual"),
		MinInitial: a.MinInitial, MaxInitial: atMost(a.MaxInitial),
		MinIncrement: a.MinIncrement, MaxIncrement: atMost(a.MaxIncrement),
		MinRating: a.MinRating, MaxRating: a.MaxRating, RatingDifference: a.RatingDifference,
	}
	for _, tc := range a.TimeControls {
		r.TimeControls = append(r.TimeControls, bot.Control(tc))
	}
	for _, v := range a.Variants {
		r.Variants = append(r.Variants, lichess.VariantKey(v))
	}
	return r
}

// atMost is a limit that may be none at all: a setting of 0 allows only 0, while the
// daemon takes 0 for no limit. Clocks are whole seconds, so that a nanosecond is the same.
func atMost(d time.Duration) time.Duration { return max(d, time.Nanosecond) }
