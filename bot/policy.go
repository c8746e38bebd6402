package bot

import (
	"slices"
	"strings"
	"time"

	"zeitnot/engine/position"
	"zeitnot/lichess"
)

// Rules are what we accept from one kind of challenger.
type Rules struct {
	// Speeds are accepted speeds; "correspondence" and "unlimited" are words of their own
	// for games without a clock. Empty accepts nothing.
	Speeds []string
	// TimeControls narrows the speeds down to exact clocks; empty accepts all of them.
	TimeControls []Control
	// Variants accepted, of standard, chess960 and fromPosition. Empty accepts nothing.
	Variants []lichess.VariantKey
	// Rated and Casual games accepted; neither accepts nothing.
	Rated, Casual bool
	// Ranges of a clock; 0 as a maximum is no limit.
	MinInitial, MaxInitial     time.Duration
	MinIncrement, MaxIncrement time.Duration
	// Ranges of the challenger's rating in the game's category; 0 is no limit, and neither is
	// a maximum that nobody reaches (4000). A challenger without a rating is outside every
	// range that is set.
	MinRating, MaxRating int
	// RatingDifference is the largest distance to our own rating; 0 is no limit.
	RatingDifference int
}

// Control is one exact clock.
type Control struct{ Initial, Increment time.Duration }

// nothing tells whether the rules accept no challenge at all.
func (r *Rules) nothing() bool {
	return len(r.Speeds) == 0 || len(r.Variants) == 0 || !r.Rated && !r.Casual
}

// ChallengePolicy says which challenges we accept.
type ChallengePolicy struct {
	Human, Bot Rules
	// Block and Allow are user names in any case. With AllowOnly nobody but those on Allow
	// is accepted.
	Block, Allow []string
	AllowOnly    bool
}

// playable are the variants that the engine knows.
var playable = [...]lichess.VariantKey{lichess.Standard, lichess.Chess960, lichess.FromPosition}

// Verdict is what the policy says of a challenge.
type Verdict struct {
	Accept bool
	Reason lichess.DeclineReason // of a decline
	// Why names the rule for the log.
	Why string
}

func decline(reason lichess.DeclineReason, why string) Verdict {
	return Verdict{Reason: reason, Why: why}
}

// Judge applies the rules to a challenge in their one order; the first that applies
// decides. What depends on the moment (slots, queue, draining) is not its business.
func (p *ChallengePolicy) Judge(c *lichess.Challenge) Verdict {
	rules := &p.Human
	if c.Challenger.IsBot() {
		rules = &p.Bot
	}
	switch {
	case rules.nothing() && c.Challenger.IsBot():
		return decline(lichess.DeclineNoBot, "no bots")
	case rules.nothing():
		return decline(lichess.DeclineOnlyBot, "bots only")
	case p.blocked(c.Challenger):
		return decline(lichess.DeclineGeneric, "blocked or not on the list")
	}
	if v, ok := rules.judgeVariant(c); !ok {
		return v
	}
	if v, ok := rules.judgeTime(c); !ok {
		return v
	}
	switch {
	case c.Rated && !rules.Rated:
		return decline(lichess.DeclineCasual, "casual only")
	case !c.Rated && !rules.Casual:
		return decline(lichess.DeclineRated, "rated only")
	case !rules.ratingFits(c):
		return decline(lichess.DeclineGeneric, "rating outside the range")
	}
	return Verdict{Accept: true, Why: "accepted"}
}

// blocked tells whether the name rules exclude the challenger; an anonymous one has no
// name and is on no list.
func (p *ChallengePolicy) blocked(u *lichess.ChallengeUser) bool {
	on := func(list []string) bool {
		return u != nil && slices.ContainsFunc(list, func(name string) bool {
			return strings.EqualFold(name, u.ID) || strings.EqualFold(name, u.Name)
		})
	}
	return on(p.Block) || p.AllowOnly && !on(p.Allow)
}

func (r *Rules) judgeVariant(c *lichess.Challenge) (Verdict, bool) {
	listed := func(k lichess.VariantKey) bool { return slices.Contains(r.Variants, k) }
	refuse := func(why string) (Verdict, bool) {
		if len(r.Variants) == 1 && r.Variants[0] == lichess.Standard {
			return decline(lichess.DeclineStandard, why), false
		}
		return decline(lichess.DeclineVariant, why), false
	}
	key := c.Variant.Key
	switch {
	case !listed(key):
		return refuse("variant not listed")
	case !slices.Contains(playable[:], key):
		return refuse("no engine plays the variant")
	case c.InitialFEN == "":
		return Verdict{}, true
	}
	start, err := position.ParseFEN(c.InitialFEN)
	switch {
	case err != nil:
		return refuse("start position cannot be played: " + err.Error())
	case start.Chess960() && !listed(lichess.Chess960):
		// A position with such rights is Chess960 under another name.
		return refuse("start position needs chess960")
	case !start.HasLegalMove():
		return refuse("start position is over")
	}
	return Verdict{}, true
}

func (r *Rules) judgeTime(c *lichess.Challenge) (Verdict, bool) {
	t := c.TimeControl
	word := string(c.Speed)
	switch t.Type {
	case lichess.TimeUnlimited, lichess.TimeCorrespondence:
		word = t.Type
	}
	if !slices.Contains(r.Speeds, word) {
		return decline(lichess.DeclineTimeControl, "speed not listed"), false
	}
	if !t.HasClock() {
		return Verdict{}, true
	}
	exact := Control{t.Initial(), t.Inc()}
	switch {
	case len(r.TimeControls) > 0 && !slices.Contains(r.TimeControls, exact):
		return decline(lichess.DeclineTimeControl, "clock not listed"), false
	case exact.Initial < r.MinInitial || exact.Increment < r.MinIncrement:
		return decline(lichess.DeclineTooFast, "clock below the range"), false
	case r.MaxInitial > 0 && exact.Initial > r.MaxInitial,
		r.MaxIncrement > 0 && exact.Increment > r.MaxIncrement:
		return decline(lichess.DeclineTooSlow, "clock above the range"), false
	}
	return Verdict{}, true
}

func (r *Rules) ratingFits(c *lichess.Challenge) bool {
	theirs, ours := 0, 0
	if c.Challenger != nil {
		theirs = c.Challenger.Rating
	}
	if c.DestUser != nil {
		ours = c.DestUser.Rating
	}
	limited := func(most int) bool { return most > 0 && most < noRating }
	switch {
	case r.MinRating <= 0 && !limited(r.MaxRating) && !limited(r.RatingDifference):
		return true
	case theirs == 0:
		return false
	case theirs < r.MinRating, limited(r.MaxRating) && theirs > r.MaxRating:
		return false
	}
	return !limited(r.RatingDifference) || ours == 0 || max(theirs-ours, ours-theirs) <= r.RatingDifference
}

// noRating is above every rating.
const noRating = 4000
