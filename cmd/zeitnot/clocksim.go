package main

import (
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"zeitnot/clock/clocksim"
	"zeitnot/config"
)

// clockSim is what `zeitnot clock sim` was asked for.
type clockSim struct {
	times, policies, latencies  []string
	games, workers              int
	seed                        uint64
	length, overshoot, plotFile string
	fresh, asJSON               bool
}

func (a *app) clockSimCommand() *cobra.Command {
	var s clockSim
	c := &cobra.Command{
		Use:   "sim --time 3+0 --games 20000 --seed 1",
		Short: "Play the clocks of many games and count what is lost on time",
		Long: `Play the clocks of many games in virtual time, without boards, and report how many are
lost on time, how much of the clock is left at the end and how long moves are thought
about. The same arguments give the same output, byte for byte.

--time, --latency and --policy take several values, separated by commas. Latencies:
L1 20 ms; L2 60 ms with spikes; L3 60 ms, one move in a thousand half a second; L4 150 ms;
L5 as L2 with stalls of 1-5 s; L6 300 ms; spikes; L3+stalls; lost (replies that never
come); x3 (three times as slow from move 20 on); bursts.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return a.clockSim(c, s) },
	}
	f := c.Flags()
	f.StringSliceVar(&s.times, "time", nil, "`time` controls, minutes+seconds: 3+2, 1/2+0")
	f.StringSliceVar(&s.policies, "policy", []string{"adaptive"}, "of "+strings.Join(clocksim.Policies(), ", "))
	f.StringSliceVar(&s.latencies, "latency", []string{"L3"}, "models of the network")
	f.IntVar(&s.games, "games", 20000, "games of each time control under each latency")
	f.Uint64Var(&s.seed, "seed", 1, "where chance begins")
	f.StringVar(&s.length, "length", "model", "game lengths: model, a table of real games, or a number of own moves")
	f.BoolVar(&s.fresh, "fresh", false, "every game is the first one of a process that knows nothing of its network")
	f.StringVar(&s.overshoot, "overshoot", "", "`file` with a histogram of how late the engine is: milliseconds and a count a line")
	f.IntVar(&s.workers, "workers", 0, "games played at the same time (default one per core)")
	f.StringVar(&s.plotFile, "plot", "", "`file` to draw clock and budget by move into, as SVG")
	f.BoolVar(&s.asJSON, "json", false, "print JSON (of one policy)")
	return c
}

func (a *app) clockSim(c *cobra.Command, s clockSim) error {
	cfg, err := s.config()
	if err != nil {
		return usage(err)
	}
	if s.plotFile != "" {
		if err := writable(s.plotFile); err != nil {
			return err
		}
	}
	var reports []clocksim.Report
	for _, name := range s.policies {
		if cfg.Policy, err = clocksim.PolicyByName(name); err != nil {
			return usage(err)
		}
	}
	for _, name := range s.policies {
		if cfg.Policy, err = clocksim.PolicyByName(name); err != nil {
			return usage(err)
		}
		done := a.progress(name)
		r, err := clocksim.Run(c.Context(), cfg, done)
		if err != nil {
			return err
		}
		reports = append(reports, r)
	}
	if s.plotFile != "" {
		draw := func(w io.Writer) error { return clocksim.WriteSVG(w, reports...) }
		if err := writeFile(s.plotFile, draw); err != nil {
			return err
		}
	}
	if s.asJSON {
		return reports[0].WriteJSON(a.out)
	}
	for _, r := range reports {
		if err := r.WriteTable(a.out); err != nil {
			return err
		}
	}
	return nil
}

// config reads the flags but for the policy.
func (s clockSim) config() (clocksim.Config, error) {
	cfg := clocksim.Config{Games: s.games, Seed: s.seed, Fresh: s.fresh, Workers: s.workers}
	switch {
	case len(s.times) == 0:
		return cfg, errors.New("no time control: want --time, such as --time 3+0")
	case len(s.policies) == 0 || len(s.latencies) == 0:
		return cfg, errors.New("no policy or no latency: want at least one of each")
	case s.games < 1 || s.games > 100_000_000:
		return cfg, fmt.Errorf("%d games: want 1 to 100000000", s.games)
	case s.workers < 0:
		return cfg, fmt.Errorf("--workers %d: want at least one, or 0 for one per core", s.workers)
	case s.asJSON && len(s.policies) > 1:
		return cfg, errors.New("--json prints one policy: want one --policy")
	}
	for _, text := range s.times {
		tc, err := config.ParseTimeControl(text)
		if err != nil {
			return cfg, err
		}
		cfg.Times = append(cfg.Times, clocksim.Control{Initial: tc.Initial, Increment: tc.Increment, Name: tc.String()})
	}
	for _, name := range s.latencies {
		l, err := clocksim.LatencyByName(name)
		if err != nil {
			return cfg, err
		}
		cfg.Latencies = append(cfg.Latencies, l)
	}
	var err error
	if cfg.Length, err = clocksim.LengthByName(s.length); err != nil {
		return cfg, err
	}
	if s.overshoot != "" {
		file, err := os.Open(s.overshoot)
		if err != nil {
			return cfg, err
		}
		defer file.Close()
		if cfg.Overshoot.Histogram, err = clocksim.ReadHistogram(file); err != nil {
			return cfg, fmt.Errorf("%s: %w", s.overshoot, err)
		}
	}
	return cfg, nil
}

// progress draws a bar for people who watch, and is nil when nobody does.
func (a *app) progress(name string) func(played, all int) {
	if !errIsTerminal() {
		return nil
	}
	const width = 40
	shown := -1
	return func(played, all int) {
		percent := 100 * played / max(all, 1)
		if percent == shown {
			return
		}
		shown = percent
		full := width * played / max(all, 1)
		fmt.Fprintf(a.err, "\r%-12s [%s%s] %3d %%", name, strings.Repeat("=", full), strings.Repeat(" ", width-full), percent)
		if played == all {
			fmt.Fprintf(a.err, "\r%*s\r", width+22, "")
		}
	}
}

// writeFile makes a file of what is written.
func writeFile(name string, write func(io.Writer) error) (err error) {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	return write(f)
}

// writable tells at the start, and not after hours of work, that a file cannot be written in
// the end. What is in it stays.
func writable(name string) error {
	_, before := os.Stat(name)
	f, err := os.OpenFile(name, os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		return usage(err)
	}
	f.Close()
	if errors.Is(before, fs.ErrNotExist) {
		os.Remove(name)
	}
	return nil
}

func (a *app) clockLengthsCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "lengths FILE...",
		Short: "Derive a table of game lengths from files of games",
		Long: `Count how many own moves games have and print the table that the simulator draws from:
own moves, and the share of games with at least as many. Files are PGN, or one game a
line: a result and moves in UCI notation. Names that end in .gz are unpacked.`,
		Args: func(_ *cobra.Command, files []string) error {
			if len(files) == 0 {
				return errors.New("no file: want one or more")
			}
			return nil
		},
		RunE: func(_ *cobra.Command, files []string) error {
			var count clocksim.LengthCount
			names := make([]string, 0, len(files))
			for _, name := range files {
				names = append(names, filepath.Base(name))
				if err := countLengths(&count, name); err != nil {
					return usage(fmt.Errorf("%s: %w", name, err))
				}
			}
			// The table carries the command that made it.
			if _, err := fmt.Fprintf(a.out, "# zeitnot clock lengths %s\n", strings.Join(names, " ")); err != nil {
				return err
			}
			return count.Write(a.out)
		},
	}
}

func countLengths(count *clocksim.LengthCount, name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	var r io.Reader = f
	if filepath.Ext(name) == ".gz" {
		if r, err = gzip.NewReader(f); err != nil {
			return err
		}
	}
	return count.Add(r)
}
