package main

import (
	"strings"
	"time"

	"github.com/spf13/cobra"

	"zeitnot/clock"
	"zeitnot/engine"
	"zeitnot/engine/uci"
)

const (
	// uciOverhead suits a graphical interface on the same machine.
	uciOverhead = 30 * time.Millisecond
	uciHashMB   = 64
)

func (a *app) uciCommand() *cobra.Command {
	var policy string
	c := &cobra.Command{
		Use:   "uci",
		Short: "The embedded engine on standard input and output",
		Long: `The embedded engine, speaking the Universal Chess Interface on standard input and
output. It ends with the command quit or the end of its input.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			budget, err := newBudgeter(policy, uciOverhead)
			if err != nil {
				return usage(err)
			}
			server := uci.NewServer(uci.Config{
				Name: "zeitnot " + versionText(), Author: "the zeitnot authors",
				Engine:   newUCIEngine(uciHashMB, a.complain),
				Budget:   func(s engine.ClockState) engine.Limits { return budget.limits(s) },
				MoveTime: func(d time.Duration) time.Duration { return budget.moveTime(d) },
				Overhead: uciOverhead,
				SetOverhead: func(d time.Duration) {
					// The name is known to be right, so there is no error.
					budget, _ = newBudgeter(policy, d)
				},
				HashMB: uciHashMB,
				Bench:  benchForUCI,
			})
			return server.Run(c.Context(), a.in, a.out)
		},
	}
	c.Flags().StringVar(&policy, "policy", clock.DefaultPolicy, "clock policy, one of "+strings.Join(clock.Names(), ", "))
	return c
}
