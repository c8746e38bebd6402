package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"zeitnot/config"
	"zeitnot/engine"
	"zeitnot/engine/book"
	"zeitnot/engine/position"
	"zeitnot/engine/search"
)

func (a *app) bookCommand() *cobra.Command {
	c := a.group("book", "Opening book tools")
	c.AddCommand(a.bookBuildCommand(), a.bookLinesCommand(), a.bookShowCommand())
	return c
}

// group is a command that only holds others.
func (a *app) group(name, short string) *cobra.Command {
	return &cobra.Command{
		Use:   name,
		Short: short,
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			c.SetOut(a.err)
			c.Help() // it can only fail to write
			return &exitError{code: exitUsage}
		},
	}
}

func (a *app) bookBuildCommand() *cobra.Command {
	var j bookJob
	var asJSON bool
	c := &cobra.Command{
		Use:   "build --games FILE --out BOOK",
		Short: "Make a Polyglot book out of games",
		Long: `Make a Polyglot book out of games: PGN files, or lists of moves (a result, 1 0 or =, and
the moves in coordinates on each line); names may end in .gz. A move weighs what it
scored, two for a win and one for a draw. The same games make the same book.

With --check-nodes the engine searches the positions that the book reaches from the start,
and moves that lose more than the margin are left out. Answers to them stay, because an
opponent may play them; what only follows when we play them goes.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := j.validate(); err != nil {
				return usage(err)
			}
			r, err := a.buildBook(c.Context(), j)
			if err != nil {
				return err
			}
			if asJSON {
				return a.printJSON(r)
			}
			return a.printBuild(j, r)
		},
	}
	f := c.Flags()
	f.StringSliceVar(&j.games, "games", nil, "`file` of games, may be given again")
	f.StringVar(&j.out, "out", "", "the `book` to write")
	f.IntVar(&j.build.MaxPly, "max-ply", 30, "half-moves of each game that count, 0 for all")
	f.IntVar(&j.build.MinGames, "min-games", 3, "leave out moves that fewer games have")
	f.Float64Var(&j.build.MinScore, "min-score", 0, "leave out moves that scored less, 0 to 1")
	f.Float64Var(&j.build.MinShare, "min-share", 0, "leave out moves with less of their position's games, 0 to 1")
	f.IntVar(&j.build.MinRating, "min-rating", 0, "leave out games unless both sides are rated so high")
	f.IntVar(&j.checkNodes, "check-nodes", 0, "nodes that the engine searches per position, 0 for no check")
	f.IntVar(&j.checkMargin, "check-margin", 50, "centipawns that a move may lose")
	f.IntVar(&j.threads, "threads", 1, "searches side by side")
	f.BoolVar(&asJSON, "json", false, "print the result as JSON")
	return c
}

// bookJob is a book to be made.
type bookJob struct {
	games                            []string
	out                              string
	build                            book.BuildOptions
	checkNodes, checkMargin, threads int
}

func (j *bookJob) validate() error {
	o := &j.build
	switch {
	case len(j.games) == 0 || j.out == "":
		return errors.New("want --games and --out")
	case min(o.MaxPly, o.MinGames, o.MinRating, j.checkNodes, j.checkMargin) < 0:
		return errors.New("limits are not negative")
	case o.MinScore < 0 || o.MinScore > 1 || o.MinShare < 0 || o.MinShare > 1:
		return errors.New("--min-score and --min-share are from 0 to 1")
	case j.threads < 1 || j.threads > 256:
		return errors.New("--threads is from 1 to 256")
	}
	return nil
}

// bookBuilt is what became of a bookJob as JSON.
type bookBuilt struct {
	book.Stats
	// Checked is null without a check.
	Checked *book.CheckStats `json:"checked"`
}

// buildBook reads the games, makes the book, checks it, and puts it in its place.
func (a *app) buildBook(ctx context.Context, j bookJob) (r bookBuilt, err error) {
	if err := writable(j.out); err != nil {
		return r, err
	}
	b := book.NewBuilder(j.build)
	progress := a.newCounter("games", 2000)
	for _, path := range j.games {
		good := 0
		bad, err := book.ReadGames(path, j.build.MaxPly, func(g book.Played) {
			good++
			b.Add(g)
			progress.step()
		})
		if err != nil {
			return r, usage(err)
		}
		if bad > 0 {
			a.complain(fmt.Errorf("%s: %d games could not be read", path, bad))
		}
		if good == 0 {
			return r, usage(fmt.Errorf("%s: no games with a result", path))
		}
	}
	progress.end()
	var data bytes.Buffer
	if r.Stats, err = b.Write(&data); err != nil {
		return r, err
	}
	if r.Entries == 0 {
		return r, errors.New("no move is left: the limits are too strict for these games")
	}
	if j.checkNodes > 0 {
		if data, r.Checked, err = a.checkBook(ctx, j, data.Bytes()); err != nil {
			return r, err
		}
	}
	return r, writeWhole(j.out, data.Bytes())
}

// checkBook has the engine look at a book.
func (a *app) checkBook(ctx context.Context, j bookJob, data []byte) (checked bytes.Buffer, _ *book.CheckStats, err error) {
	b, err := book.New(j.out, bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return checked, nil, err
	}
	progress := a.newCounter("positions", 100)
	o := book.CheckOptions{Margin: j.checkMargin, Progress: progress.step}
	for range j.threads {
		o.Judges = append(o.Judges, engineJudge(j.checkNodes))
	}
	stats, err := book.Check(ctx, b, &checked, o)
	progress.end()
	return checked, &stats, err
}

// engineJudge searches so many nodes with an empty table, so that nothing depends on what was
// searched before.
func engineJudge(nodes int) book.Judge {
	s := search.New(search.Options{HashMB: 1})
	return func(ctx context.Context, p *position.Position) (int, error) {
		s.NewGame()
		r, err := s.Search(ctx, position.NewGame(*p), engine.Limits{Nodes: &nodes}, nil)
		return int(r.Score), err
	}
}

// writeWhole writes a file beside its place and moves it there.
func writeWhole(path string, data []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".book-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // nothing is left of it after the rename
	_, err = f.Write(data)
	if err = errors.Join(err, f.Chmod(0o644), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

func (a *app) printBuild(j bookJob, r bookBuilt) error {
	fmt.Fprintf(a.out, "%d games: %d positions, %d moves\n", r.Games, r.Positions, r.Entries)
	if c := r.Checked; c != nil {
		fmt.Fprintf(a.out, "%d positions searched, %d moves dropped\n%d positions, %d moves left\n", c.Judged, c.Dropped, c.Positions, c.Entries)
	}
	_, err := fmt.Fprintf(a.out, "wrote %s\n", j.out)
	return err
}

// counter shows on a terminal how far a long task is. Many may step at once.
type counter struct {
	a     *app
	what  string
	every int // steps between two lines

	mu    sync.Mutex // guards what follows
	n     int
	shown bool
}

func (a *app) newCounter(what string, every int) *counter {
	return &counter{a: a, what: what, every: every}
}

func (c *counter) step() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.n++; c.n%c.every == 0 && errIsTerminal() {
		fmt.Fprintf(c.a.err, "\r%d %s", c.n, c.what)
		c.shown = true
	}
}

func (c *counter) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.shown {
		fmt.Fprintf(c.a.err, "\r%d %s\n", c.n, c.what)
		c.shown = false
	}
}

func (a *app) bookShowCommand() *cobra.Command {
	var fen, path, envFile string
	var asJSON bool
	c := &cobra.Command{
		Use:   "show --fen FEN",
		Short: "Print the moves that a book has for a position",
		Long: `Print the moves that a book has for a position. Without --book it is the first of the books
in the settings that has any, and with ZEITNOT_BOOK_LEARN the factors by which own games
change the weights are shown as well.`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			key, p, err := book.KeyFEN(fen)
			if err != nil {
				return usage(err)
			}
			names, code := []string{path}, exitUsage
			learned := &book.Learned{}
			if path == "" {
				settings, err := a.loadConfig(envFile)
				if err != nil {
					return err
				}
				if settings.BookLearn {
					if learned, _, err = learnedFrom(settings.StateDir); err != nil {
						a.complain(err)
					}
				}
				if names, code = settings.Book, exitConfig; len(names) == 0 {
					return usage(fmt.Errorf("%s_BOOK names no book: want --book", config.Prefix))
				}
			}
			b, moves, err := firstBook(names, key, &p)
			if err != nil {
				return &exitError{code, err}
			}
			defer b.Close()
			r := bookReportOf(b, key, &p, moves, learned)
			if asJSON {
				return a.printJSON(r)
			}
			return a.printBook(r)
		},
	}
	c.Flags().StringVar(&fen, "fen", position.StartFEN, "position to look up")
	c.Flags().StringVar(&path, "book", "", "Polyglot `file` (default those in the settings)")
	envFileFlag(c, &envFile)
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

// openBook opens a book by its name in the settings; without one it is the one inside the
// program.
func openBook(name string) (*book.Book, error) {
	if name == "" || name == config.EmbeddedBook {
		return book.Default()
	}
	return book.Open(name)
}

// firstBook opens the first book that has moves for a position, or the last of all.
func firstBook(names []string, key uint64, p *position.Position) (*book.Book, []book.Move, error) {
	for i, name := range names {
		b, err := openBook(name)
		if err != nil {
			return nil, nil, err
		}
		moves, err := b.MovesAt(key, p)
		if err == nil && (len(moves) > 0 || i == len(names)-1) {
			return b, moves, nil
		}
		if err = errors.Join(err, b.Close()); err != nil {
			return nil, nil, err
		}
	}
	return nil, nil, errors.New("no book")
}

// bookReport is what a book has for a position as JSON.
type bookReport struct {
	Book  string        `json:"book"`
	FEN   string        `json:"fen"`
	Key   string        `json:"key"`
	Moves []bookMoveRow `json:"moves"`
}

type bookMoveRow struct {
	UCI    string  `json:"uci"`
	SAN    string  `json:"san"`
	Weight int     `json:"weight"`
	Share  float64 `json:"share"`
	// Factor is what own games make of the weight; 1 is nothing.
	Factor float64 `json:"factor"`
}

func bookReportOf(b *book.Book, key uint64, p *position.Position, moves []book.Move, learned *book.Learned) bookReport {
	r := bookReport{Book: b.Name(), FEN: p.FEN(), Key: fmt.Sprintf("%016x", key), Moves: []bookMoveRow{}}
	total := 0
	for _, m := range moves {
		total += m.Weight
	}
	for _, m := range moves {
		r.Moves = append(r.Moves, bookMoveRow{
			UCI: p.UCI(m.Move, p.Chess960()), SAN: p.SAN(m.Move),
			Weight: m.Weight, Share: float64(m.Weight) / float64(max(total, 1)),
			Factor: learned.Factor(key, book.Code(m.Move)),
		})
	}
	return r
}

func (a *app) printBook(r bookReport) error {
	w := bufio.NewWriter(a.out)
	fmt.Fprintf(w, "%s\nkey %s\n", r.FEN, r.Key)
	if len(r.Moves) == 0 {
		fmt.Fprintf(w, "no move in %s\n", r.Book)
		return w.Flush()
	}
	fmt.Fprintln(w)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	learned := slices.ContainsFunc(r.Moves, func(m bookMoveRow) bool { return m.Factor != 1 })
	row := func(cells ...string) { fmt.Fprintln(t, strings.Join(cells, "\t")+"\t") }
	if learned {
		row("move", "weight", "share", "own games")
	} else {
		row("move", "weight", "share")
	}
	for _, m := range r.Moves {
		cells := []string{m.SAN, strconv.Itoa(m.Weight), fmt.Sprintf("%.1f %%", 100*m.Share)}
		if learned {
			cells = append(cells, fmt.Sprintf("× %.2f", m.Factor))
		}
		row(cells...)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	return w.Flush()
}
