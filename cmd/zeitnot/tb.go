package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"zeitnot/config"
	"zeitnot/engine/position"
	"zeitnot/engine/syzygy"
)

func (a *app) tbCommand() *cobra.Command {
	c := a.group("tb", "Endgame tablebase tools")
	c.AddCommand(a.tbProbeCommand(), a.tbVerifyCommand())
	return c
}

func (a *app) tbProbeCommand() *cobra.Command {
	var fen, moves, path, envFile string
	var asJSON bool
	c := &cobra.Command{
		Use:   "probe --fen FEN",
		Short: "Print what Syzygy tables say about a position and its moves",
		Long: `Print what Syzygy tables say about a position and each of its moves, best first. DTZ is
the number of half-moves to the next capture, pawn move or mate. The values of moves take
the fifty-move counter of the FEN into account, and repetitions if --moves gives a game.`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			g, err := position.ParseGame(fen, false, strings.Fields(moves))
			if err != nil {
				return usage(err)
			}
			tables, err := a.openNamedTables(path, envFile, a.complain)
			if err != nil {
				return err
			}
			defer tables.Close()
			r, err := probeReport(tables, g)
			if err != nil {
				return err
			}
			if asJSON {
				return a.printJSON(r)
			}
			return a.printProbe(r)
		},
	}
	c.Flags().StringVar(&fen, "fen", position.StartFEN, "position to look up")
	c.Flags().StringVar(&moves, "moves", "", "`moves` played from it, in coordinates")
	c.Flags().StringVar(&path, "path", "", "`folders` with tables, separated as in PATH (default those in the settings)")
	envFileFlag(c, &envFile)
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

// openNamedTables opens the tables of the folders that the flag names, else of those in the
// settings. What is wrong has been reported when the error says nothing more.
func (a *app) openNamedTables(flag, envFile string, report func(error)) (*syzygy.Tables, error) {
	folders, code := flag, exitUsage
	if flag == "" {
		settings, err := a.loadConfig(envFile)
		if err != nil {
			return nil, err
		}
		if folders, code = settings.SyzygyPath, exitConfig; folders == "" {
			return nil, usage(fmt.Errorf("no tablebase folder: want --path or %s_SYZYGY_PATH", config.Prefix))
		}
	}
	reported := false
	tables, err := syzygy.Open(filepath.SplitList(folders), func(err error) {
		reported = true
		report(err)
	})
	switch {
	case err == nil:
		return tables, nil
	case reported:
		return nil, &exitError{code: code}
	}
	return nil, &exitError{code, err}
}

func (a *app) tbVerifyCommand() *cobra.Command {
	var path, envFile string
	c := &cobra.Command{
		Use:   "verify",
		Short: "Compare the checksums of Syzygy tables with their contents",
		Long: `Read all Syzygy tables whole and compare their checksums. Prints a line for each file that
is not as it should be; exit code 1 if there is one.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			bad := 0
			fault := func(err error) {
				bad++
				a.complain(err)
			}
			tables, err := a.openNamedTables(path, envFile, fault)
			if err != nil {
				return err
			}
			defer tables.Close()
			good := 0
			progress := a.newCounter("tables", 10)
			err = tables.Verify(c.Context(), func(path string, err error) {
				progress.step()
				if err != nil {
					fault(fmt.Errorf("%s: %w", path, err))
					return
				}
				good++
			})
			progress.end()
			if err != nil {
				return err
			}
			fmt.Fprintf(a.out, "%d tables good, %d bad\n", good, bad)
			if bad > 0 {
				return &exitError{code: exitFault}
			}
			return nil
		},
	}
	c.Flags().StringVar(&path, "path", "", "`folders` with tables, separated as in PATH (default those in the settings)")
	envFileFlag(c, &envFile)
	return c
}

// tbReport is the answer of the tables as JSON.
type tbReport struct {
	FEN   string `json:"fen"`
	Class string `json:"class"`
	// WDL is from -2, lost, to 2, won, for the side to move, whatever the fifty-move counter.
	WDL   int    `json:"wdl"`
	Value string `json:"value"`
	// DTZ is null if only WDL tables are there.
	DTZ *int `json:"dtz"`
	// InGame is the value of the best move with counter and repetitions.
	InGame string      `json:"in_game"`
	Moves  []tbMoveRow `json:"moves"`
}

type tbMoveRow struct {
	UCI   string `json:"uci"`
	SAN   string `json:"san"`
	WDL   int    `json:"wdl"`
	Value string `json:"value"`
	DTZ   *int   `json:"dtz"`
	Seen  int    `json:"seen"`
	Best  bool   `json:"best"`
}

// probeReport asks the tables.
func probeReport(tables *syzygy.Tables, g position.Game) (tbReport, error) {
	p := g.Position()
	r := tbReport{FEN: p.FEN(), Class: syzygy.Class(p), Moves: []tbMoveRow{}}
	w, ok := tables.ProbeWDL(p)
	if !ok {
		wdl, dtz := tables.Counts()
		if wdl+dtz == 0 {
			return r, fmt.Errorf("no tables (.rtbw, .rtbz) are in these folders, whose subfolders are not looked into, and without any %s is not known", r.Class)
		}
		return r, fmt.Errorf("the tables (%d WDL, %d DTZ, up to %d men) do not have this position, of class %s",
			wdl, dtz, tables.MaxMen(), r.Class)
	}
	r.WDL, r.Value, r.InGame = int(w), w.String(), w.String()
	if n, ok := tables.ProbeDTZ(p); ok {
		r.DTZ = &n
	}
	root, ok := tables.Root(g, nil)
	if !ok {
		return r, nil // mate or stalemate
	}
	r.InGame = root.WDL.String()
	best := len(root.Best())
	for i, m := range root.Moves {
		row := tbMoveRow{
			UCI: p.UCI(m.Move, p.Chess960()), SAN: p.SAN(m.Move),
			WDL: int(m.WDL), Value: m.WDL.String(), Seen: m.Seen, Best: i < best,
		}
		if root.HasDTZ {
			row.DTZ = &m.DTZ
		}
		r.Moves = append(r.Moves, row)
	}
	return r, nil
}

func (a *app) printProbe(r tbReport) error {
	distance := func(n *int) string {
		if n == nil {
			return "-"
		}
		return fmt.Sprint(*n)
	}
	fmt.Fprintf(a.out, "%s\n%s: %s, DTZ %s", r.FEN, r.Class, r.Value, distance(r.DTZ))
	if r.InGame != r.Value {
		fmt.Fprintf(a.out, " (in this game: %s)", r.InGame)
	}
	fmt.Fprint(a.out, "\n\n")
	t := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "move\tvalue\tDTZ")
	for _, m := range r.Moves {
		cells := []string{m.SAN, m.Value, distance(m.DTZ)}
		if m.Best {
			cells = append(cells, "best")
		}
		if m.Seen > 0 {
			cells = append(cells, fmt.Sprintf("seen %d×", m.Seen))
		}
		fmt.Fprintln(t, strings.Join(cells, "\t"))
	}
	return t.Flush()
}
