package main

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"

	"github.com/rs/zerolog"

	"zeitnot/bot/online"
	"zeitnot/config"
	"zeitnot/engine"
	"zeitnot/engine/book"
	"zeitnot/engine/position"
	"zeitnot/engine/search"
	"zeitnot/engine/syzygy"
)

// knowledge is what is asked before a search: opening books and tablebases, and, while it
// runs, databases on the network. It is shared by all search slots.
type knowledge struct {
	books  []*book.Book
	shelf  *book.Library
	tables *syzygy.Tables // nil without any
	// adviser asks databases on the network; nil without any, as they are.
	adviser   *online.Adviser
	databases *databases
}

// openKnowledge opens what the settings name. What cannot be used is reported, at once or by
// the search that comes upon it, and left out.
func openKnowledge(settings *config.Config, report func(error)) *knowledge {
	k := &knowledge{}
	for _, name := range settings.Book {
		b, err := openBook(name)
		if err != nil {
			report(err)
			continue
		}
		k.books = append(k.books, b)
	}
	k.shelf = newLibrary(k.books, report)
	tables, err := openTables(settings.SyzygyPath, report)
	if err != nil {
		report(err)
	}
	k.tables = tables
	return k
}

func newLibrary(books []*book.Book, report func(error)) *book.Library {
	var sources []book.Source
	for _, b := range books {
		sources = append(sources, book.Source{Book: b})
	}
	return book.NewLibrary(sources, report)
}

// openTables opens the tables in some folders; nil if none is named. report is not told of
// what is in the error.
func openTables(folders string, report func(error)) (*syzygy.Tables, error) {
	if folders == "" {
		return nil, nil
	}
	opened := false
	tables, err := syzygy.Open(filepath.SplitList(folders), func(err error) {
		if opened {
			report(err)
		}
	})
	if err != nil {
		return nil, err
	}
	opened = true
	for _, fault := range tables.Faults() {
		report(fault)
	}
	return tables, nil
}

// logKnowledge opens what the settings name and says so, and what cannot be used.
func logKnowledge(settings *config.Config, log zerolog.Logger) *knowledge {
	k := openKnowledge(settings, func(err error) {
		log.Warn().Err(err).Msg("left out, games go on without")
	})
	for _, b := range k.books {
		log.Info().Str("book", b.Name()).Int("moves", b.Len()).Msg("opening book")
	}
	if k.tables != nil {
		wdl, dtz := k.tables.Counts()
		log.Info().Int("wdl", wdl).Int("dtz", dtz).Int("men", k.tables.MaxMen()).Msg("tablebases")
	}
	return k
}

// within are the tables as searches ask them; nil without any.
func (k *knowledge) within() search.Tables {
	if k.tables == nil {
		return nil
	}
	return tables{k.tables}
}

// before puts the books and tables before a searcher, to answer at once, and the databases on
// the network beside it.
func (k *knowledge) before(s engine.Searcher) engine.Searcher {
	o := k.booksAndTables()
	if k.adviser != nil {
		o.Adviser = k.adviser
	}
	return engine.NewChain(s, o)
}

// nearBefore puts before a searcher what needs no network.
func (k *knowledge) nearBefore(s engine.Searcher) engine.Searcher {
	return engine.NewChain(s, k.booksAndTables())
}

// booksBefore puts the books alone before a searcher.
func (k *knowledge) booksBefore(s engine.Searcher) engine.Searcher {
	return engine.NewChain(s, k.booksOnly())
}

// booksAndTables and booksOnly are the options of a chain with them.
func (k *knowledge) booksAndTables() engine.ChainOptions {
	o := k.booksOnly()
	if k.tables != nil {
		o.Tables = tables{k.tables}
	}
	return o
}

func (k *knowledge) booksOnly() engine.ChainOptions {
	o := engine.ChainOptions{AtOnce: true}
	if len(k.books) > 0 {
		o.Book = books{k.shelf}
	}
	return o
}

// books are a library as a chain asks it.
type books struct{ of *book.Library }

// Pick implements engine.Book.
func (b books) Pick(g position.Game, rng *rand.Rand) (position.Move, bool) {
	c, ok := b.of.Pick(g, rng)
	return c.Move, ok
}

// tables are tablebases as a chain and the searches ask them.
type tables struct{ *syzygy.Tables }

// Root implements engine.Tables.
func (t tables) Root(g position.Game, stop func() bool) (engine.TableRoot, bool) {
	r, ok := t.Tables.Root(g, stop)
	if !ok {
		return engine.TableRoot{}, false
	}
	return engine.TableRoot{Outcome: int(r.WDL), Best: r.Best(), Keep: r.Keep(), Progress: r.HasDTZ}, true
}

// ProbeWDL implements search.Tables.
func (t tables) ProbeWDL(p *position.Position) (int, bool) {
	w, ok := t.Tables.ProbeWDL(p)
	return int(w), ok
}

// knowledge checks books and tables. Games go on without them, so that nothing of it fails.
func (r *checkReport) knowledge(settings *config.Config) {
	k := openKnowledge(settings, func(err error) { r.warn("left out", err.Error()) })
	defer k.close()
	for _, b := range k.books {
		r.ok("book", fmt.Sprintf("%s, %d moves", b.Name(), b.Len()))
	}
	if len(settings.Book) == 0 {
		r.ok("book", "none")
	}
	switch {
	case settings.SyzygyPath == "":
		r.ok("tablebases", "none")
	case k.tables == nil:
		// Said already.
	case k.tables.MaxMen() == 0:
		r.warn("tablebases", "there are none in "+settings.SyzygyPath)
	default:
		wdl, dtz := k.tables.Counts()
		r.ok("tablebases", fmt.Sprintf("%d WDL and %d DTZ tables, up to %d men", wdl, dtz, k.tables.MaxMen()))
	}
}

// close closes everything. Nobody may be asking, or ask later.
func (k *knowledge) close() {
	if k.adviser != nil {
		k.adviser.Close()
		k.databases.close()
	}
	for _, b := range k.books {
		b.Close() // it was only read
	}
	if k.tables != nil {
		k.tables.Close()
	}
}
