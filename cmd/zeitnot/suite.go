package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"zeitnot/engine"
	"zeitnot/engine/position"
	"zeitnot/engine/search"
	"zeitnot/engine/suite"
)

// suiteFlags are the flags of zeitnot suite.
type suiteFlags struct {
	movetime      time.Duration
	nodes, depth  int
	hash, threads int
}

func (a *app) suiteCommand() *cobra.Command {
	var f suiteFlags
	c := &cobra.Command{
		Use:   "suite FILE.epd...",
		Short: "Solve positions with known answers",
		Long: `Solve positions with known answers and count how many the search finds. A line of a
file is a position in EPD with what is wanted:

  bm, am            best moves, moves to avoid
  dm N or ce +MN    a mate in at most N moves, however it begins
  c9 and c8, or c0  moves and what they are worth, as in the Strategic Test Suite

Each position is searched with an empty table until the first limit given; without any that
is 1s. A search for a mate ends when it is found. With nodes or depth and one thread the
numbers are the same on every machine.

Standard output has a row for each file, and for each theme of a suite with points, at the
end; each position is told on standard error. Lines that cannot be used are left out, and
the first ten of a file told there too.`,
		Example: `  zeitnot suite wacnew.epd --movetime 1s
  zeitnot suite STS1-STS15_LAN_v6.epd --nodes 100000`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New("no files: want at least one FILE.epd")
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			limits, err := f.limits(c.Flags().Changed("movetime"))
			if err != nil {
				return usage(err)
			}
			if f.hash < 1 {
				return usage(fmt.Errorf("--hash %d: want MiB from 1", f.hash))
			}
			if err := hashFits(f.hash); err != nil {
				return usage(err)
			}
			s := search.New(search.Options{HashMB: f.hash})
			if err := s.SetThreads(f.threads); err != nil {
				return usage(err)
			}
			return a.runSuites(c.Context(), s, args, limits)
		},
	}
	flags := c.Flags()
	flags.DurationVar(&f.movetime, "movetime", time.Second, "`time` for each position")
	flags.IntVar(&f.nodes, "nodes", 0, "`N` nodes for each position")
	flags.IntVar(&f.depth, "depth", 0, "`N` plies for each position")
	flags.IntVar(&f.hash, "hash", uciHashMB, "transposition table in `MiB`")
	flags.IntVar(&f.threads, "threads", 1, "threads of the search")
	return c
}

// limits are those of a search; timed tells that the time was given.
func (f *suiteFlags) limits(timed bool) (l engine.Limits, err error) {
	if f.movetime < time.Millisecond || f.nodes < 0 || f.depth < 0 || f.depth > engine.MaxPly {
		return l, fmt.Errorf("--movetime %s, --nodes %d, --depth %d: want a time from 1ms, nodes from 1, a depth from 1 to %d",
			f.movetime, f.nodes, f.depth, engine.MaxPly)
	}
	if f.nodes > 0 {
		l.Nodes = &f.nodes
	}
	if f.depth > 0 {
		l.Depth = &f.depth
	}
	if timed || f.nodes == 0 && f.depth == 0 {
		l.Hard = &f.movetime
	}
	return l, nil
}

// runSuites solves the files in turn and prints the table, also when it was interrupted.
func (a *app) runSuites(ctx context.Context, s suite.Engine, files []string, l engine.Limits) error {
	// All are read first: a wrong name should be told now and not in an hour.
	suites := make([][]suite.Task, len(files))
	for i, name := range files {
		var err error
		if suites[i], err = a.readSuite(name); err != nil {
			return usage(err)
		}
	}
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	var table suiteTable
	var err error
	for i, tasks := range suites {
		n := 0
		err = suite.Run(ctx, s, tasks, l, func(answer suite.Answer) {
			n++
			table.add(filepath.Base(files[i]), answer)
			a.tellAnswer(n, len(tasks), answer, table.total)
		})
		if errors.Is(err, context.Canceled) {
			err = fmt.Errorf("interrupted after %d of %d positions", n, len(tasks))
		}
		if err != nil {
			err = fmt.Errorf("%s: %w", files[i], err)
			break
		}
	}
	table.print(a)
	return err
}

// readSuite reads a file of which at least one line can be used.
func (a *app) readSuite(name string) ([]suite.Task, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	const shown = 10 // of a file of something else all would be told
	bad := 0
	tasks, err := suite.Read(file, func(line int, err error) {
		if bad++; bad <= shown {
			fmt.Fprintf(a.err, "left out: %s:%d: %v\n", name, line, err)
		}
	})
	if bad > shown {
		fmt.Fprintf(a.err, "left out: %s: %d more lines\n", name, bad-shown)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if len(tasks) == 0 {
		return nil, fmt.Errorf("%s: no position with bm, am, dm or points is in it", name)
	}
	return tasks, nil
}

// tellAnswer prints a line for a position.
func (a *app) tellAnswer(n, of int, answer suite.Answer, sofar suite.Score) {
	verdict := "wrong"
	if answer.Solved {
		verdict = "right"
	}
	name := "no move"
	if m := answer.Result.Best; m != position.NoMove {
		name = answer.Task.Position.SAN(m)
	}
	points := ""
	if most := answer.Task.MaxPoints(); most > 0 {
		points = fmt.Sprintf(" (%d of %d points)", answer.Points, most)
	}
	number := strings.TrimSpace(fmt.Sprintf("%d/%d %s", n, of, answer.Task.ID)) // not all have names
	fmt.Fprintf(a.err, "%s: %s, %s%s; wanted %s; %s at depth %d; %s\n", number, verdict, name, points,
		answer.Task.Wanted(), answer.Result.Score, answer.Result.Depth, sofar)
}

// suiteTable counts by file and, where there are points, by theme.
type suiteTable struct {
	rows  []suiteRow
	total suite.Score
}

type suiteRow struct {
	name  string
	score suite.Score
}

// add counts an answer; the answers of a row need not come together.
func (t *suiteTable) add(file string, answer suite.Answer) {
	t.total.Add(answer)
	name := file
	if theme := answer.Task.Theme(); answer.Task.MaxPoints() > 0 && theme != "" {
		name = theme
	}
	for i := range t.rows {
		if t.rows[i].name == name {
			t.rows[i].score.Add(answer)
			return
		}
	}
	row := suiteRow{name: name}
	row.score.Add(answer)
	t.rows = append(t.rows, row)
}

// print prints nothing before the first answer.
func (t *suiteTable) print(a *app) {
	if t.total.Tasks == 0 {
		return
	}
	w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	rows := t.rows
	if len(rows) > 1 {
		rows = append(rows, suiteRow{"total", t.total})
	}
	for _, r := range rows {
		fmt.Fprintf(w, "%s\t%s\n", r.name, strings.Replace(r.score.String(), ", ", "\t", 1))
	}
	w.Flush() // a write that fails is found by nobody else either
}
