package main

import (
	"path/filepath"

	"github.com/rs/zerolog"

	"zeitnot/bot/record"
	"zeitnot/config"
	"zeitnot/engine/book"
)

// learn makes the books follow how own games with their moves went: those in the record, and
// those that end from now on, of which it returns what is to be told. A record that cannot be
// read teaches nothing.
func (k *knowledge) learn(c *config.Config, log zerolog.Logger) func([]record.BookMove, record.Outcome) {
	if !c.BookLearn || len(k.books) == 0 {
		return nil
	}
	learned, moves, err := learnedFrom(c.StateDir)
	if err != nil {
		log.Error().Err(err).Msg("results of own games cannot be read, books are played as they are")
	}
	k.shelf.Learn(learned)
	log.Info().Int("moves", moves).Msg("books learn from own games")
	return func(moves []record.BookMove, outcome record.Outcome) {
		points, counts := map[record.Outcome]int{record.Win: 2, record.Draw: 1, record.Loss: 0}[outcome]
		if !counts {
			return
		}
		for _, m := range moves {
			learned.Add(book.Result{Key: m.Key, Move: m.Move, Games: 1, Points: points})
		}
	}
}

// learnedFrom is what the record in a state folder teaches, and about how many moves; nothing if
// there is an error, which names the file.
func learnedFrom(stateDir string) (learned *book.Learned, moves int, err error) {
	learned = &book.Learned{}
	results, err := record.BookResults(filepath.Join(stateDir, recordFile))
	for _, r := range results {
		learned.Add(book.Result{Key: r.Key, Move: r.Move, Games: r.Games, Points: r.Points})
	}
	return learned, len(results), err
}
