package main

import (
	"context"
	"errors"
	"math/rand/v2"

	"zeitnot/engine"
	"zeitnot/engine/book"
	"zeitnot/engine/position"
	"zeitnot/engine/search"
	"zeitnot/engine/syzygy"
)

// uciEngine is the searcher with the books and tables that a graphical interface sets by
// options. The interface has its own opinion of when to think, so the tables only leave the
// search the moves that are right.
type uciEngine struct {
	*search.Searcher
	chain  engine.Ponderer
	book   *ownBook
	tables *setTables
}

// newUCIEngine makes the engine without book and tables. complain is told of files that
// turn out to be broken while they are asked.
func newUCIEngine(hashMB int, complain func(error)) *uciEngine {
	e := &uciEngine{book: &ownBook{complain: complain}, tables: &setTables{complain: complain}}
	e.Searcher = search.New(search.Options{HashMB: hashMB, Tables: e.tables})
	// The chain can what the searcher can.
	e.chain = engine.NewChain(e.Searcher, engine.ChainOptions{Book: e.book, Tables: e.tables}).(engine.Ponderer)
	return e
}

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
func (e *uciEngine) SetSyzygyPath(folders string) error { return e.tables.open(folders) }

// ownBook is a book that can be changed between searches.
type ownBook struct {
	on       bool
	complain func(error)
	opened   *book.Book // nil at first
	library  *book.Library
}

func (b *ownBook) open(path string) error {
	opened, err := openBook(path)
	if err != nil {
		return err
	}
	if b.opened != nil {
		err = b.opened.Close()
	}
	b.opened, b.library = opened, newLibrary([]*book.Book{opened}, b.complain)
	return err
}

// Pick implements engine.Book.
func (b *ownBook) Pick(g position.Game, rng *rand.Rand) (position.Move, bool) {
	if !b.on {
		return position.NoMove, false
	}
	return books{b.library}.Pick(g, rng)
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
