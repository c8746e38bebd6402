package external

import (
	"cmp"
	"strconv"
	"strings"

	"zeitnot/engine"
)

// Introduce implements engine.Introduced.
func (s *Searcher) Introduce(i engine.Introduction) {
	s.mu.Lock()
	s.opponent, s.away = opponentText(i.Opponent), i.Embedded
	s.mu.Unlock()
}

// opponentText is an opponent as the option UCI_Opponent wants it: title, rating, kind, name.
func opponentText(o engine.Opponent) string {
	if o.Name == "" {
		return ""
	}
	kind, rating := "human", "none"
	if o.Bot {
		kind = "computer"
	}
	if o.Rating > 0 {
		rating = strconv.Itoa(o.Rating)
	}
	return strings.Join([]string{cmp.Or(o.Title, "none"), rating, kind, o.Name}, " ")
}

// tellOpponent tells an engine that wants to know whom it plays.
func (s *Searcher) tellOpponent(e Engine) {
	s.mu.Lock()
	text, told := s.opponent, s.told
	s.told = text
	s.mu.Unlock()
	if _, wanted := e.Option("UCI_Opponent"); wanted && text != told && text != "" {
		e.SetOption("UCI_Opponent", text) // it has the option; if it has died, the search will say so
	}
}
