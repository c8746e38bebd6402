package bot_test

import (
	"testing"
	"time"

	"zeitnot/bot"
	"zeitnot/lichess"
)

func TestChallengesAreJudgedByOneOrderOfRules(t *testing.T) {
	standardOnly := rules()
	standardOnly.Variants = []lichess.VariantKey{lichess.Standard}
	with := func(change func(*bot.Rules)) bot.ChallengePolicy {
		r := rules()
		change(&r)
		return bot.ChallengePolicy{Human: r, Bot: r}
	}
	all := bot.ChallengePolicy{Human: rules(), Bot: rules()}
	byBot := func(c *lichess.Challenge) { c.Challenger.Title = lichess.TitleBot }
	anonymous := func(c *lichess.Challenge) { c.Challenger = nil }
	variant := func(k lichess.VariantKey) func(*lichess.Challenge) {
		return func(c *lichess.Challenge) { c.Variant = lichess.VariantOf(k) }
	}
	position := func(fen string) func(*lichess.Challenge) {
		return func(c *lichess.Challenge) {
			c.Variant, c.InitialFEN = lichess.VariantOf(lichess.FromPosition), fen
		}
	}
	control := func(limit, increment int) func(*lichess.Challenge) {
		return func(c *lichess.Challenge) {
			c.TimeControl, c.Speed = lichess.ClockControl(limit, increment), lichess.SpeedOf(limit, increment)
		}
	}
	noClock := func(kind string) func(*lichess.Challenge) {
		return func(c *lichess.Challenge) {
			c.TimeControl, c.Speed = lichess.TimeControl{Type: kind, DaysPerTurn: 2}, lichess.Correspondence
		}
	}
	rated := func(c *lichess.Challenge) { c.Rated = true }
	rating := func(n int) func(*lichess.Challenge) {
		return func(c *lichess.Challenge) { c.Challenger.Rating = n }
	}

	for _, c := range []struct {
		name   string
		policy bot.ChallengePolicy
		change []func(*lichess.Challenge)
		want   lichess.DeclineReason // "" accepts
	}{
		{"plain", all, nil, ""},
		{"by a bot", all, []func(*lichess.Challenge){byBot}, ""},
		{"anonymous", all, []func(*lichess.Challenge){anonymous}, ""},
		{"rematch", all, []func(*lichess.Challenge){func(c *lichess.Challenge) { c.RematchOf = "abcd1234" }}, ""},

		{"no bots at all", bot.ChallengePolicy{Human: rules()}, []func(*lichess.Challenge){byBot}, lichess.DeclineNoBot},
		{"no humans at all", bot.ChallengePolicy{Bot: rules()}, nil, lichess.DeclineOnlyBot},
		{"no humans at all, anonymous", bot.ChallengePolicy{Bot: rules()}, []func(*lichess.Challenge){anonymous}, lichess.DeclineOnlyBot},
		{"no modes is none at all", with(func(r *bot.Rules) { r.Rated, r.Casual = false, false }), nil, lichess.DeclineOnlyBot},
		{"none at all comes before blocked", bot.ChallengePolicy{Human: rules(), Block: []string{"someone"}}, []func(*lichess.Challenge){byBot}, lichess.DeclineNoBot},

		{"blocked, in any case", bot.ChallengePolicy{Human: rules(), Block: []string{"SomeOne"}}, nil, lichess.DeclineGeneric},
		{"blocked comes before the variant", bot.ChallengePolicy{Human: rules(), Block: []string{"someone"}}, []func(*lichess.Challenge){variant(lichess.Atomic)}, lichess.DeclineGeneric},
		{"not on the list", bot.ChallengePolicy{Human: rules(), AllowOnly: true, Allow: []string{"friend"}}, nil, lichess.DeclineGeneric},
		{"on the list", bot.ChallengePolicy{Human: rules(), AllowOnly: true, Allow: []string{"SOMEONE"}}, nil, ""},
		{"a list without its setting", bot.ChallengePolicy{Human: rules(), Allow: []string{"friend"}}, nil, ""},
		{"anonymous is on no list", bot.ChallengePolicy{Human: rules(), AllowOnly: true, Allow: []string{""}}, []func(*lichess.Challenge){anonymous}, lichess.DeclineGeneric},

		{"variant not listed", all, []func(*lichess.Challenge){variant(lichess.Atomic)}, lichess.DeclineVariant},
		{"variant not listed, standard alone is", bot.ChallengePolicy{Human: standardOnly}, []func(*lichess.Challenge){variant(lichess.Chess960)}, lichess.DeclineStandard},
		{"variant of the future", all, []func(*lichess.Challenge){variant("newVariant2027")}, lichess.DeclineVariant},
		{"variant listed but not playable", with(func(r *bot.Rules) { r.Variants = append(r.Variants, lichess.Atomic) }), []func(*lichess.Challenge){variant(lichess.Atomic)}, lichess.DeclineVariant},
		{"variant comes before the time", all, []func(*lichess.Challenge){variant(lichess.Atomic), control(15, 0)}, lichess.DeclineVariant},
		{"chess960", all, []func(*lichess.Challenge){variant(lichess.Chess960)}, ""},
		{"position", all, []func(*lichess.Challenge){position("4k3/4p3/8/8/8/8/4P3/4K3 w - - 0 1")}, ""},
		{"position with chess960 rights", all, []func(*lichess.Challenge){position("4kr2/pppppppp/8/8/8/8/PPPPPPPP/4KR2 w Ff - 0 1")}, ""},
		{
			"position with chess960 rights, chess960 not listed", with(func(r *bot.Rules) { r.Variants = []lichess.VariantKey{lichess.Standard, lichess.FromPosition} }),
			[]func(*lichess.Challenge){position("4kr2/pppppppp/8/8/8/8/PPPPPPPP/4KR2 w Kk - 0 1")},
			lichess.DeclineVariant,
		},
		{"impossible position", all, []func(*lichess.Challenge){position("8/8/8/8/8/8/8/8 w - - 0 1")}, lichess.DeclineVariant},
		{"position that is over", all, []func(*lichess.Challenge){position("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1")}, lichess.DeclineVariant},

		{"speed not listed", all, []func(*lichess.Challenge){control(3600, 0)}, lichess.DeclineTimeControl},
		{"ultrabullet", all, []func(*lichess.Challenge){control(15, 0)}, lichess.DeclineTimeControl},
		{"unlimited", all, []func(*lichess.Challenge){noClock(lichess.TimeUnlimited)}, lichess.DeclineTimeControl},
		{"unlimited, wanted", with(func(r *bot.Rules) { r.Speeds = append(r.Speeds, "unlimited") }), []func(*lichess.Challenge){noClock(lichess.TimeUnlimited)}, ""},
		{"correspondence", all, []func(*lichess.Challenge){noClock(lichess.TimeCorrespondence)}, lichess.DeclineTimeControl},
		{"correspondence, unlimited wanted", with(func(r *bot.Rules) { r.Speeds = append(r.Speeds, "unlimited") }), []func(*lichess.Challenge){noClock(lichess.TimeCorrespondence)}, lichess.DeclineTimeControl},
		{"correspondence, wanted, ranges do not matter", with(func(r *bot.Rules) {
			r.Speeds, r.MinInitial = append(r.Speeds, "correspondence"), time.Minute
		}), []func(*lichess.Challenge){noClock(lichess.TimeCorrespondence)}, ""},
		{"clock not among the exact ones", with(func(r *bot.Rules) { r.TimeControls = []bot.Control{{Initial: time.Minute}} }), nil, lichess.DeclineTimeControl},
		{"clock among the exact ones", with(func(r *bot.Rules) {
			r.TimeControls = []bot.Control{{Initial: 3 * time.Minute, Increment: 2 * time.Second}}
		}), nil, ""},
		{"initial below the range", with(func(r *bot.Rules) { r.MinInitial = 4 * time.Minute }), nil, lichess.DeclineTooFast},
		{"increment below the range", with(func(r *bot.Rules) { r.MinIncrement = 3 * time.Second }), nil, lichess.DeclineTooFast},
		{"initial above the range", with(func(r *bot.Rules) { r.MaxInitial = 2 * time.Minute }), nil, lichess.DeclineTooSlow},
		{"increment above the range", with(func(r *bot.Rules) { r.MaxIncrement = time.Second }), nil, lichess.DeclineTooSlow},
		{"time comes before the mode", with(func(r *bot.Rules) { r.MaxIncrement, r.Rated = time.Second, false }), []func(*lichess.Challenge){rated}, lichess.DeclineTooSlow},

		{"rated not wanted: says what is", with(func(r *bot.Rules) { r.Rated = false }), []func(*lichess.Challenge){rated}, lichess.DeclineCasual},
		{"casual not wanted: says what is", with(func(r *bot.Rules) { r.Casual = false }), nil, lichess.DeclineRated},
		{"mode comes before the rating", with(func(r *bot.Rules) { r.Casual, r.MinRating = false, 2500 }), nil, lichess.DeclineRated},

		{"rating too low", with(func(r *bot.Rules) { r.MinRating = 2000 }), nil, lichess.DeclineGeneric},
		{"rating too high", with(func(r *bot.Rules) { r.MaxRating = 1800 }), nil, lichess.DeclineGeneric},
		{"rating too far from ours", with(func(r *bot.Rules) { r.RatingDifference = 99 }), nil, lichess.DeclineGeneric},
		{"rating at the edge of the range", with(func(r *bot.Rules) { r.MinRating, r.MaxRating, r.RatingDifference = 1900, 1900, 100 }), nil, ""},
		{"maximum that nobody reaches", with(func(r *bot.Rules) { r.MaxRating, r.RatingDifference = 4000, 4000 }), []func(*lichess.Challenge){rating(0)}, ""},
		{"no rating, range set", with(func(r *bot.Rules) { r.MinRating = 1 }), []func(*lichess.Challenge){rating(0)}, lichess.DeclineGeneric},
		{"anonymous, range set", with(func(r *bot.Rules) { r.MaxRating = 2000 }), []func(*lichess.Challenge){anonymous}, lichess.DeclineGeneric},

		{"humans have their own rules", bot.ChallengePolicy{Human: standardOnly, Bot: rules()}, []func(*lichess.Challenge){variant(lichess.Chess960), byBot}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			offered := challenge("c1", "someone")
			for _, change := range c.change {
				change(offered)
			}
			got := c.policy.Judge(offered)
			if got.Reason != c.want || got.Accept != (c.want == "") {
				t.Errorf("got %+v, want reason %q", got, c.want)
			}
		})
	}
}
