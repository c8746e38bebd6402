package engine

// Forgetter is a searcher that keeps something from one search to the next.
type Forgetter interface {
	// NewGame forgets all that earlier searches left behind.
	NewGame()
}

// Opponent is whom a game is played against. Name is "" if that is not known; Title is ""
// without one, Rating 0 if it is not known.
type Opponent struct {
	Name, Title string
	Rating      int
	Bot         bool
}

// Introduction is what a searcher may be told of the game that it searches next.
type Introduction struct {
	Opponent Opponent
	// Embedded: a searcher that asks an external engine shall not do so in this game.
	Embedded bool
}

// Introduced is a searcher that wants to be told, whenever another game than before comes.
type Introduced interface{ Introduce(Introduction) }

// Find looks for something that a searcher, or one that it asks (a chain's, at last), can do
// besides searching.
func Find[T any](s Searcher) (found T, ok bool) {
	for s != nil {
		if found, ok = s.(T); ok {
			return found, true
		}
		outer, wraps := s.(interface{ Unwrap() Searcher })
		if !wraps {
			break
		}
		s = outer.Unwrap()
	}
	return found, false
}
