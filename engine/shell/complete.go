package shell

import (
	"slices"
	"strings"
)

// Complete finds what may stand for the last word of a line that ends at the cursor: the
// candidates are whole words, sorted.
func (s *Shell) Complete(line string) (word string, candidates []string) {
	words := strings.Fields(line)
	if line == "" || strings.HasSuffix(line, " ") {
		words = append(words, "")
	}
	word = words[len(words)-1]
	var all []string
	switch c := find(words[0]); {
	case len(words) == 1:
		all = append(names(), legalSAN(s.game.Position())...)
		if word == "" {
			all = names() // with the moves they would be too many to read
		}
	case c != nil && c.complete != nil:
		all = c.complete(s, words[1:])
	case c == nil:
		all = s.completeMoves(words)
	}
	for _, candidate := range all {
		if strings.HasPrefix(candidate, word) {
			candidates = append(candidates, candidate)
		}
	}
	slices.Sort(candidates)
	return word, slices.Compact(candidates)
}

// completeMoves are the moves after those that stand before the last word.
func (s *Shell) completeMoves(args []string) []string {
	g := s.game
	for _, word := range args[:len(args)-1] {
		if word = withoutNumber(word); word == "" {
			continue
		}
		m, err := parseMove(g.Position(), word)
		if err != nil {
			return nil
		}
		g = g.Play(m)
	}
	return legalSAN(g.Position())
}

func (s *Shell) completeGo(args []string) []string {
	switch {
	case len(args) == 1:
		return append([]string{"infinite"}, limitNames...)
	case len(args)%2 == 1:
		return limitNames
	}
	return nil
}

func (s *Shell) completeSet(args []string) []string {
	switch {
	case len(args) == 1:
		return append([]string{"hash", "threads"}, limitNames...)
	case len(args) == 2 && slices.Contains(limitNames, args[0]):
		return []string{"off"}
	}
	return nil
}

// shared is the longest text that all words begin with.
func shared(words []string) string {
	if len(words) == 0 {
		return ""
	}
	prefix := words[0]
	for _, w := range words[1:] {
		for !strings.HasPrefix(w, prefix) {
			prefix = prefix[:len(prefix)-1]
		}
	}
	return prefix
}
