package main

import (
	"bufio"
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"zeitnot/engine/book"
	"zeitnot/engine/opening"
	"zeitnot/engine/position"
)

func (a *app) bookLinesCommand() *cobra.Command {
	var j linesJob
	var asJSON bool
	c := &cobra.Command{
		Use:   "lines",
		Short: "Value the first moves of a book's most frequent lines",
		Long: `Print the most frequent lines of a book with the engine's value of the position after each
move, in pawns from White's point of view, and the move that loses most against the best
of its position. Every position is searched with the same number of nodes and an empty
table: the same engine prints the same lines for the same book, with any number of threads.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if j.lines < 1 || j.moves < 1 || j.nodes < 1 || j.threads < 1 || j.lines > 10_000 || j.moves > 100 || j.threads > 256 {
				return usage(fmt.Errorf("--lines %d --moves %d --threads %d --nodes %d: want 1 to 10000 lines, 1 to 100 moves, 1 to 256 threads and at least one node",
					j.lines, j.moves, j.threads, j.nodes))
			}
			r, err := a.bookLines(c.Context(), j)
			if err != nil {
				return err
			}
			if asJSON {
				return a.printJSON(r)
			}
			return a.printLines(r)
		},
	}
	f := c.Flags()
	f.StringVar(&j.book, "book", "", "Polyglot `file` (default the one inside the program)")
	f.IntVar(&j.lines, "lines", 20, "number of lines")
	f.IntVar(&j.moves, "moves", 8, "moves of each line")
	f.IntVar(&j.nodes, "nodes", 100_000, "nodes that the engine searches per position")
	f.IntVar(&j.threads, "threads", 1, "searches side by side")
	f.BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

// linesJob is what lines are wanted.
type linesJob struct {
	book                         string
	lines, moves, nodes, threads int
}

// linesReport is the lines of a book as JSON; values and losses are centipawns.
type linesReport struct {
	Book  string     `json:"book"`
	Nodes int        `json:"nodes"`
	Lines []bookLine `json:"lines"`
	// Loss is the largest of all.
	Loss int `json:"loss"`
}

type bookLine struct {
	Share   float64        `json:"share"`
	ECO     string         `json:"eco"`
	Opening string         `json:"opening"`
	Moves   []bookLineMove `json:"moves"`
	Loss    int            `json:"loss"`
	Worst   string         `json:"worst"` // the move that loses so much, with its number; "" if none loses
}

type bookLineMove struct {
	UCI   string `json:"uci"`
	SAN   string `json:"san"`
	Value int    `json:"value"`
	Loss  int    `json:"loss"`
}

func (a *app) bookLines(ctx context.Context, j linesJob) (linesReport, error) {
	b, err := openBook(j.book)
	if err != nil {
		return linesReport{}, usage(err)
	}
	defer b.Close()
	var judges []book.Judge
	for range j.threads {
		judges = append(judges, engineJudge(j.nodes))
	}
	progress := a.newCounter("positions", 10)
	lines, err := book.MainLines(ctx, b, j.lines, 2*j.moves, judges, progress.step)
	progress.end()
	if err != nil {
		return linesReport{}, err
	}
	r := linesReport{Book: b.Name(), Nodes: j.nodes, Lines: []bookLine{}}
	var names opening.Names
	for _, l := range lines {
		row := lineRow(l, &names)
		r.Lines, r.Loss = append(r.Lines, row), max(r.Loss, row.Loss)
	}
	return r, nil
}

func lineRow(l book.Line, names *opening.Names) bookLine {
	row := bookLine{Share: l.Share}
	g := position.NewGame(position.Start())
	for _, m := range l.Moves {
		p := g.Position()
		san := p.SAN(m.Move)
		if m.Loss > row.Loss {
			row.Loss, row.Worst = m.Loss, numbered(p, san, true)
		}
		row.Moves = append(row.Moves, bookLineMove{UCI: p.UCI(m.Move, false), SAN: san, Value: m.Value, Loss: m.Loss})
		g = g.Play(m.Move)
	}
	name, _ := names.Of(g)
	row.ECO, row.Opening = name.ECO, name.Text
	return row
}

// numbered is a move with its number: always, or if it is White's.
func numbered(p *position.Position, san string, always bool) string {
	switch {
	case p.SideToMove() == position.White:
		return fmt.Sprintf("%d. %s", p.FullmoveNumber(), san)
	case always:
		return fmt.Sprintf("%d... %s", p.FullmoveNumber(), san)
	}
	return san
}

// linesWidth is how many characters a line of moves takes.
const linesWidth = 96

func (a *app) printLines(r linesReport) error {
	w := bufio.NewWriter(a.out)
	for _, l := range r.Lines {
		fmt.Fprintf(w, "%.2f %%  %s %s\n", 100*l.Share, l.ECO, l.Opening)
		p := position.Start()
		text := ""
		for _, m := range l.Moves {
			word := fmt.Sprintf("%s %+.2f", numbered(&p, m.SAN, false), float64(m.Value)/100)
			if text != "" && len(text)+2+len(word) > linesWidth {
				fmt.Fprintf(w, "    %s\n", text)
				text = ""
			}
			text = strings.TrimPrefix(text+"  "+word, "  ")
			move, err := p.ParseUCI(m.UCI)
			if err != nil {
				return err
			}
			var next position.Position
			p.Make(move, &next)
			p = next
		}
		fmt.Fprintf(w, "    %s\n", text)
		if l.Worst != "" {
			fmt.Fprintf(w, "    largest loss %.2f: %s\n", float64(l.Loss)/100, l.Worst)
		}
	}
	fmt.Fprintf(w, "%d lines of %s, %d nodes a position, largest loss %.2f\n", len(r.Lines), r.Book, r.Nodes, float64(r.Loss)/100)
	return w.Flush()
}
