package main

import (
	"context"
	"errors"
	"math/rand/v2"

	"zeitnot/engine"
	"zeitnot/engine/book"
	"zeitnot/engine/eval"
	"zeitnot/engine/level"
	"zeitnot/engine/position"
	"zeitnot/engine/search"
	"zeitnot/engine/syzygy"
)

// uciEngine is the searcher with the books and tables that a graphical interface sets by
// options. The interface has its own opinion of when to think, so the tables only leave the
// search the moves that are right.
type uciEngine struct {
	*search.Searcher
	chain    engine.Ponderer
	strength *level.Searcher
	book     *ownBook
	tables   *setTables
}

// newUCIEngine makes the engine without book and tables. complain is told of files that
// turn out to be broken while they are asked.
func newUCIEngine(hashMB int, complain func(error)) *uciEngine {
	e := &uciEngine{book: &ownBook{complain: complain}, tables: &setTables{complain: complain}}
	e.Searcher = search.New(search.Options{HashMB: hashMB, Tables: e.tables})
	// A chain can what its searcher can. Whoever plays weaker knows no tables, but the book
	// if that is on.
	e.strength = level.New(level.Options{
		Full: engine.NewChain(e.Searcher, engine.ChainOptions{Tables: e.tables}).(level.Full),
		Weak: search.New(search.Options{HashMB: weakHashMB}), Seed: rand.Uint64(),
	})
	e.chain = engine.NewChain(e.strength, engine.ChainOptions{Book: e.book}).(engine.Ponderer)
	return e
}

// NewGame forgets the last game.
func (e *uciEngine) NewGame() { e.strength.NewGame() }

// EloRange implements uci.Weakened.
func (e *uciEngine) EloRange() (least, most int) { return level.EloRange() }

// SetElo limits the strength; 0 is full strength.
func (e *uciEngine) SetElo(elo int) error { return setElo(e.strength, elo) }

// SetAnalyseMode implements uci.Weakened.
func (e *uciEngine) SetAnalyseMode(on bool) { e.strength.SetAnalyseMode(on) }

// setElo limits the strength of s; 0 is full strength.
func setElo(s *level.Searcher, elo int) error {
	if elo == 0 {
		s.SetParams(nil)
		return nil
	}
	p, err := level.ForElo(elo)
	if err != nil {
		return err
	}
	s.SetParams(&p)
	return nil
}

// weakHashMB is the table of a searcher whose nodes are limited to a few.
const weakHashMB = 1

// Search asks the book, the tables and the searcher.
func (e *uciEngine) Search(ctx context.Context, g position.Game, l engine.Limits, onInfo func(engine.Info)) (engine.Result, error) {
	return e.chain.Search(ctx, g, l, onInfo)
}

// Ponder searches the moves that the tables leave.
func (e *uciEngine) Ponder(ctx context.Context, g position.Game, l engine.Limits, onInfo func(engine.Info)) engine.Pondering {
	return e.chain.Ponder(ctx, g, l, onInfo)
}

// SetHash refuses what the machine does not have.
func (e *uciEngine) SetHash(mb int) error {
	if err := hashFits(mb); err != nil {
		return err
	}
	return e.Searcher.SetHash(mb)
}

// Explain implements uci.Explainer.
func (e *uciEngine) Explain(p *position.Position) string { return eval.Text(p) }

// SetOwnBook says whether the book is asked.
func (e *uciEngine) SetOwnBook(on bool) error {
	if on && e.book.opened == nil {
		if err := e.book.open(""); err != nil {
			return err
		}
	}
	e.book.on = on
	return nil
}

// SetBookFile takes another book; without a name it is the one inside the program.
func (e *uciEngine) SetBookFile(path string) error { return e.book.open(path) }

// SetSyzygyPath takes the tables of other folders; without a name there are none.
func (e *uciEngine) SetSyzygyPath(folders string) error {
	e.Wait() // threads of the last search may still look into those of before
	return e.tables.open(folders)
}

// ownBook is a book that can be changed between searches.
type ownBook struct {
	on       bool
	complain func(error)
	opened   *book.Book // nil at first
	shelf    *book.Library
}

func (b *ownBook) open(path string) error {
	opened, err := openBook(path)
	if err != nil {
		return err
	}
	if b.opened != nil {
		err = b.opened.Close()
	}
	b.opened, b.shelf = opened, newLibrary([]*book.Book{opened}, b.complain)
	return err
}

// Pick implements engine.Book.
func (b *ownBook) Pick(g position.Game, rng *rand.Rand) (position.Move, bool) {
	if !b.on {
		return position.NoMove, false
	}
	return books{b.shelf}.Pick(g, rng)
}

// setTables are tables that can be changed between searches.
type setTables struct {
	complain func(error)
	opened   *syzygy.Tables // nil without any
}

func (t *setTables) open(folders string) error {
	opened, err := openTables(folders, t.complain)
	if err != nil {
		return err
	}
	if opened != nil && opened.MaxMen() == 0 {
		return errors.Join(errors.New("there are no tables in it"), opened.Close())
	}
	if t.opened != nil {
		err = t.opened.Close()
	}
	t.opened = opened
	return err
}

// MaxMen implements engine.Tables and search.Tables.
func (t *setTables) MaxMen() int {
	if t.opened == nil {
		return 0
	}
	return t.opened.MaxMen()
}

// Root implements engine.Tables.
func (t *setTables) Root(g position.Game, stop func() bool) (engine.TableRoot, bool) {
	return tables{t.opened}.Root(g, stop)
}

// ProbeWDL implements search.Tables.
func (t *setTables) ProbeWDL(p *position.Position) (int, bool) { return tables{t.opened}.ProbeWDL(p) }
