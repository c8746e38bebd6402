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
output. It ends with the command quit or the end of its input.

The options "TM ..." of the policy adaptive each switch off one thing by which a running
search gets more time or less, so that its worth can be measured.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			plan, err := newUCIPlan(policy)
			if err != nil {
				return usage(err)
			}
			server := uci.NewServer(uci.Config{
				Name: "zeitnot " + versionText(), Author: "the zeitnot authors",
				Engine:   newUCIEngine(uciHashMB, a.complain),
				Budget:   func(s engine.ClockState) engine.Limits { return plan.limits(s) },
				MoveTime: func(d time.Duration) time.Duration { return plan.moveTime(d) },
				Overhead: uciOverhead, SetOverhead: plan.setOverhead, Switches: plan.switches(),
				HashMB: uciHashMB,
				Bench:  benchForUCI,
			})
			return server.Run(c.Context(), a.in, a.out)
		},
	}
	c.Flags().StringVar(&policy, "policy", clock.DefaultPolicy, "clock policy, one of "+strings.Join(clock.Names(), ", "))
	return c
}

// uciPlan is a budgeter that options change while the conversation goes on.
type uciPlan struct {
	*budgeter
	feedback clock.FeedbackElements
}

func newUCIPlan(policy string) (*uciPlan, error) {
	b, err := newBudgeter(policy, uciOverhead)
	if err != nil {
		return nil, err
	}
	return &uciPlan{b, clock.AllFeedback()}, nil
}

// setOverhead is the option Move Overhead.
func (p *uciPlan) setOverhead(d time.Duration) {
	p.budgeter, _ = newBudgeter(p.name, d) // the name is known to be right
	p.policy = clock.WithFeedback(p.policy, p.feedback)
}

// switches are the options of the policy's feedback, if it has any.
func (p *uciPlan) switches() (switches []uci.Switch) {
	if p.name != "adaptive" {
		return nil
	}
	for _, o := range feedbackOptions(&p.feedback) {
		switches = append(switches, uci.Switch{Name: o.name, Set: func(on bool) {
			*o.on = on
			p.policy = clock.WithFeedback(p.policy, p.feedback)
		}})
	}
	return switches
}
