package main

import (
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"zeitnot/clock"
	"zeitnot/config"
)

// clockMoves is as many own moves as all but the longest games have.
const clockMoves = 100

func (a *app) clockCommand() *cobra.Command {
	var control, policy string
	var overhead time.Duration
	var moves int
	var asJSON bool
	c := &cobra.Command{
		Use:   "clock --time 3+2",
		Short: "Print the time budgets of a game, move by move",
		Long: `Print the time budgets of a game, move by move, in milliseconds. Each move is thought
to take its soft limit and the overhead; the first move costs nothing and earns no
increment, as on Lichess. For the policy reserve the published rows of the time control
come first, if there are any.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if control == "" {
				return usage(fmt.Errorf("no time control: want --time, such as --time 3+2"))
			}
			tc, err := config.ParseTimeControl(control)
			if err != nil {
				return usage(err)
			}
			if moves < 1 || moves > 1000 || overhead < 0 {
				return usage(fmt.Errorf("want 1 to 1000 moves and no negative overhead"))
			}
			g := clockGame{control: tc, policyName: policy, moves: moves, overhead: overhead}
			if !c.Flags().Changed("overhead") {
				g.overhead = ownOverhead(policy)
			}
			if g.policy, err = clock.ByName(policy, g.tuning()); err != nil {
				return usage(err)
			}
			if asJSON {
				return a.printJSON(g.report())
			}
			return a.printClock(g)
		},
	}
	c.Flags().StringVar(&control, "time", "", "`time` control, minutes+seconds: 3+2, 1/2+0")
	c.Flags().StringVar(&policy, "policy", clock.DefaultPolicy, "one of "+strings.Join(clock.Names(), ", "))
	c.Flags().DurationVar(&overhead, "overhead", 0, "time lost per move outside the search (default the policy's own)")
	c.Flags().IntVar(&moves, "moves", clockMoves, "own moves to show")
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	c.AddCommand(a.clockSimCommand(), a.clockLengthsCommand(), a.clockOvershootCommand())
	return c
}

// ownOverhead is what a policy takes a move to lose as long as nobody says otherwise.
func ownOverhead(policy string) time.Duration {
	if policy == "reserve" {
		return clock.DefaultReserveBuffer
	}
	return clock.DefaultMoveOverhead
}

// clockGame is a game of nothing but clock.
type clockGame struct {
	control    config.TimeControl
	policyName string
	policy     clock.Policy
	moves      int
	overhead   time.Duration
}

// tuning gives the overhead to the policies that take it as a setting. The adaptive one
// is told as if it had been measured.
func (g *clockGame) tuning() clock.Tuning {
	if g.policyName == "adaptive" {
		return clock.Tuning{}
	}
	return clock.Tuning{Overhead: &g.overhead}
}

// clockReport is the table as JSON.
type clockReport struct {
	Time       string         `json:"time"`
	Policy     string         `json:"policy"`
	OverheadMs int64          `json:"overhead_ms"`
	Published  []reserveRow   `json:"published,omitempty"`
	Moves      []clockMoveRow `json:"moves"`
	// Flagged tells that the clock ran out before the last move asked for.
	Flagged bool `json:"flagged"`
}

// reserveRow is a row of the reserve policy's published table.
type reserveRow struct {
	RemainingMs int64 `json:"remaining_ms"`
	Move        int   `json:"move"`
	MovesToGo   int   `json:"moves_to_go"`
	SpendableMs int64 `json:"spendable_ms"`
	TargetMs    int64 `json:"target_ms"`
	CapMs       int64 `json:"cap_ms"`
}

// clockMoveRow is one own move.
type clockMoveRow struct {
	Move        int   `json:"move"`
	RemainingMs int64 `json:"remaining_ms"`
	SoftMs      int64 `json:"soft_ms"`
	HardMs      int64 `json:"hard_ms"`
	LeftMs      int64 `json:"left_ms"` // after the move, the increment included
}

func (g *clockGame) report() clockReport {
	r := clockReport{Time: g.control.String(), Policy: g.policyName, OverheadMs: g.overhead.Milliseconds()}
	if g.policyName == "reserve" {
		for _, s := range clock.PublishedReserve(g.control.Initial, g.control.Increment) {
			p := clock.Reserve{}.Plan(s)
			r.Published = append(r.Published, reserveRow{
				s.Remaining.Milliseconds(), s.MoveNumber, p.MovesToGo,
				p.Spendable.Milliseconds(), p.Target.Milliseconds(), p.Cap.Milliseconds(),
			})
		}
	}
	r.Moves, r.Flagged = g.play()
	return r
}

// play is the game: every move takes its soft limit.
func (g *clockGame) play() (rows []clockMoveRow, flagged bool) {
	remaining := g.control.Initial
	if remaining == 0 {
		remaining = max(3*time.Second, g.control.Increment) // what the server starts a 0+N game with
	}
	for n := range g.moves {
		b := g.policy.Budget(clock.State{
			Remaining: remaining, Increment: g.control.Increment, Base: g.control.Initial, MoveNumber: n,
			Overhead: g.measured(),
		})
		left := remaining
		if n > 0 {
			left -= b.Soft + g.overhead
			if left < 0 {
				return rows, true
			}
			left += g.control.Increment
		}
		rows = append(rows, clockMoveRow{
			n + 1, remaining.Milliseconds(), b.Soft.Milliseconds(), b.Hard.Milliseconds(), left.Milliseconds(),
		})
		remaining = left
	}
	return rows, false
}

// measured is the overhead as if every move had lost the same.
func (g *clockGame) measured() clock.Overhead {
	if g.policyName != "adaptive" {
		return clock.Overhead{}
	}
	return clock.Overhead{Mean: g.overhead, Q90: g.overhead, Guard: g.overhead + clock.DefaultGuard}
}

func (a *app) printClock(g clockGame) error {
	r := g.report()
	w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', tabwriter.AlignRight)
	if len(r.Published) > 0 {
		fmt.Fprintf(w, "# published rows of %s for %s, ms\n", r.Policy, r.Time)
		fmt.Fprintln(w, "remaining\tmove\tmoves to go\tspendable\ttarget\tcap\t")
		for _, row := range r.Published {
			fmt.Fprintf(w, "%d\t%d\t%d\t%d\t%d\t%d\t\n", row.RemainingMs, row.Move, row.MovesToGo, row.SpendableMs, row.TargetMs, row.CapMs)
		}
		fmt.Fprintln(w)
	}
	fmt.Fprintf(w, "# %s, policy %s, overhead %d ms; all in ms\n", r.Time, r.Policy, r.OverheadMs)
	fmt.Fprintln(w, "move\tremaining\tsoft\thard\tleft\t")
	for _, row := range r.Moves {
		fmt.Fprintf(w, "%d\t%d\t%d\t%d\t%d\t\n", row.Move, row.RemainingMs, row.SoftMs, row.HardMs, row.LeftMs)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if r.Flagged {
		fmt.Fprintf(a.err, "the clock runs out at move %d\n", len(r.Moves)+1)
	}
	return nil
}
