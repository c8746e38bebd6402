package bot

import (
	"slices"

	"zeitnot/engine"
	"zeitnot/lichess"
)

// EngineRule says in which games the external engine plays; the embedded one plays the
// others. A game has to fit in every respect; what is empty fits all games.
type EngineRule struct {
	// Speeds are Lichess's; a game without a clock is correspondence.
	Speeds   []string
	Variants []string // keys
	Colors   []string // of ours: white, black
	Modes    []string // rated, casual
	// Opponents are human or bot; Lichess's own AI is a bot.
	Opponents []string
	// MinRating and MaxRating are of the opponent, whose rating is 0 if it is not known.
	// MaxRating 0 is no limit.
	MinRating, MaxRating int
}

// highestRating is beyond any.
const highestRating = 4000

// All tells whether every game fits.
func (r EngineRule) All() bool {
	return len(r.Speeds)+len(r.Variants)+len(r.Colors)+len(r.Modes)+len(r.Opponents) == 0 &&
		r.MinRating == 0 && (r.MaxRating == 0 || r.MaxRating >= highestRating)
}

// fits tells whether the external engine plays the game in which we are me.
func (r EngineRule) fits(g *lichess.GameFull, me lichess.Color) bool {
	opponent := g.Player(me.Other())
	mode, kind := "casual", "human"
	if g.Rated {
		mode = "rated"
	}
	if isBot(opponent) {
		kind = "bot"
	}
	for _, part := range []struct {
		allowed []string
		is      string
	}{
		{r.Speeds, string(g.Speed)},
		{r.Variants, string(g.Variant.Key)},
		{r.Colors, string(me)},
		{r.Modes, mode},
		{r.Opponents, kind},
	} {
		if len(part.allowed) > 0 && !slices.Contains(part.allowed, part.is) {
			return false
		}
	}
	return opponent.Rating >= r.MinRating && (r.MaxRating == 0 || opponent.Rating <= r.MaxRating)
}

func isBot(p *lichess.Player) bool { return p.IsBot() || p.AILevel > 0 }

// introduction is what a searcher may want to know of the game.
func (g *game) introduction() engine.Introduction {
	p := g.full.Player(g.me.Other())
	i := engine.Introduction{
		Opponent: engine.Opponent{Name: p.Name, Title: p.Title, Rating: p.Rating, Bot: isBot(p)},
		Embedded: !g.options.EngineRule.fits(g.full, g.me),
	}
	if p.IsBot() {
		i.Opponent.Title = "" // no title of a player
	}
	return i
}
