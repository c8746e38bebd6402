package arena

// fixture is who meets whom in one game, and in which opening.
type fixture struct {
	pairing      int // index into pairings
	white, black int // indices of players
	// opening counts from 0 and may be beyond the last, which then begins again.
	opening int
	// second: the game is its pair's second one.
	second bool
}

// pairings are the pairs of players that meet, the lower index first, in the order of play.
func (m *Match) pairings() [][2]int {
	var all [][2]int
	for i := range m.Players {
		for j := i + 1; j < len(m.Players); j++ {
			if i == 0 || !m.Gauntlet {
				all = append(all, [2]int{i, j})
			}
		}
	}
	return all
}

// Total is the number of games.
func (m *Match) Total() int { return m.Games * len(m.pairings()) }

// fixture of game n, which counts from 1: opening after opening, each for all pairings, so
// that at any time all have played about as many games. It does not depend on how many
// games there are.
func (m *Match) fixture(n int, pairings [][2]int) fixture {
	pair := (n - 1) / 2
	f := fixture{pairing: pair % len(pairings), opening: pair / len(pairings), second: n%2 == 0}
	f.white, f.black = pairings[f.pairing][0], pairings[f.pairing][1]
	if f.second {
		f.white, f.black = f.black, f.white
	}
	return f
}
