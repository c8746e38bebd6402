package bot

import (
	"testing"

	"zeitnot/lichess"
)

func TestEngineRule(t *testing.T) {
	game := &lichess.GameFull{
		Speed: "blitz", Rated: true, Variant: lichess.Variant{Key: lichess.Chess960},
		White: lichess.Player{Name: "Anna", Rating: 1800}, Black: lichess.Player{Name: "GoBot", Title: lichess.TitleBot, Rating: 2500},
	}
	ai := &lichess.GameFull{White: lichess.Player{AILevel: 3}}
	for name, c := range map[string]struct {
		rule EngineRule
		game *lichess.GameFull
		me   lichess.Color
		want bool
	}{
		"no rule":              {EngineRule{}, game, lichess.Black, true},
		"speed":                {EngineRule{Speeds: []string{"rapid", "blitz"}}, game, lichess.Black, true},
		"another speed":        {EngineRule{Speeds: []string{"rapid"}}, game, lichess.Black, false},
		"variant":              {EngineRule{Variants: []string{"chess960"}}, game, lichess.Black, true},
		"another variant":      {EngineRule{Variants: []string{"standard"}}, game, lichess.Black, false},
		"color":                {EngineRule{Colors: []string{"black"}}, game, lichess.Black, true},
		"another color":        {EngineRule{Colors: []string{"white"}}, game, lichess.Black, false},
		"mode":                 {EngineRule{Modes: []string{"rated"}}, game, lichess.Black, true},
		"another mode":         {EngineRule{Modes: []string{"casual"}}, game, lichess.Black, false},
		"human":                {EngineRule{Opponents: []string{"human"}}, game, lichess.Black, true},
		"not a bot":            {EngineRule{Opponents: []string{"bot"}}, game, lichess.Black, false},
		"bot":                  {EngineRule{Opponents: []string{"bot"}}, game, lichess.White, true},
		"the AI is a bot":      {EngineRule{Opponents: []string{"bot"}}, ai, lichess.Black, true},
		"lowest rating":        {EngineRule{MinRating: 1800}, game, lichess.Black, true},
		"below":                {EngineRule{MinRating: 1801}, game, lichess.Black, false},
		"highest rating":       {EngineRule{MaxRating: 1800}, game, lichess.Black, true},
		"above":                {EngineRule{MaxRating: 1799}, game, lichess.Black, false},
		"no rating":            {EngineRule{MinRating: 1}, ai, lichess.Black, false},
		"one respect is wrong": {EngineRule{Speeds: []string{"blitz"}, Modes: []string{"casual"}}, game, lichess.Black, false},
	} {
		if c.rule.All() != (c.rule.MinRating == 0 && name == "no rule") {
			t.Errorf("%s: fits all games: %v", name, c.rule.All())
		}
		if got := c.rule.fits(c.game, c.me); got != c.want {
			t.Errorf("%s: got %v, want %v", name, got, c.want)
		}
	}
}
