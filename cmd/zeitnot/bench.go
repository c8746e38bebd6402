package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/pprof"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"zeitnot/engine/search"
)

func (a *app) benchCommand() *cobra.Command {
	var depth int
	var profile string
	c := &cobra.Command{
		Use:   "bench",
		Short: "Search fixed positions; the node count is the search's signature",
		Long: `Search fixed positions to a fixed depth with one thread. The last line is
"<nodes> nodes <nps> nps". The same node count on every machine and in every run is the
signature of the search: it changes when what is searched changes.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if depth < 1 || depth > maxBenchDepth {
				return usage(fmt.Errorf("bench depth %d: want 1 to %d", depth, maxBenchDepth))
			}
			return profiled(profile, func() error { return bench(c.Context(), a.out, depth) })
		},
	}
	c.Flags().IntVar(&depth, "depth", search.BenchDepth, "`depth` of each search")
	c.Flags().StringVar(&profile, "cpuprofile", "", "`FILE` to write a profile of the processor's time to, for go tool pprof")
	return c
}

// maxBenchDepth would take days; beyond it is a typing error.
const maxBenchDepth = 60

func bench(ctx context.Context, out io.Writer, depth int) error {
	start := time.Now()
	nodes, err := search.Bench(ctx, depth)
	if err != nil {
		return fmt.Errorf("bench: %w", err)
	}
	elapsed := max(time.Since(start), time.Microsecond)
	_, err = fmt.Fprintf(out, "%d nodes %d nps\n", nodes, int64(float64(nodes)/elapsed.Seconds()))
	return err
}

// profiled does the work with its profile written to a file; "" is no file.
func profiled(path string, work func() error) (err error) {
	if path == "" {
		return work()
	}
	file, err := os.Create(path)
	if err != nil {
		return usage(fmt.Errorf("profile: %w", err))
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	if err := pprof.StartCPUProfile(file); err != nil {
		return fmt.Errorf("profile: %w", err)
	}
	defer pprof.StopCPUProfile()
	return work()
}

// benchForUCI is bench with its depth as the command of a conversation gives it.
func benchForUCI(ctx context.Context, out io.Writer, args []string) error {
	depth := search.BenchDepth
	if len(args) > 0 {
		n, err := strconv.Atoi(args[0])
		if err != nil || n < 1 || n > maxBenchDepth {
			return fmt.Errorf("bench depth %q: want a number from 1 to %d", args[0], maxBenchDepth)
		}
		depth = n
	}
	return bench(ctx, out, depth)
}
