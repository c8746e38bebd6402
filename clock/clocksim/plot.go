package clocksim

import (
	"errors"
	"fmt"
	"io"
	"time"

	"zeitnot/plot"
)

// WriteSVG draws clock left and budget by move: for each time control a line for the median
// of each policy and latency, and a band that nine of ten games stay within. Reports of
// several policies are laid over each other.
func WriteSVG(w io.Writer, reports ...Report) error {
	var times []string
	clocks, budgets := map[string][]plot.Line{}, map[string][]plot.Line{}
	for _, r := range reports {
		for _, c := range r.Cells {
			if len(c.bands) == 0 {
				continue
			}
			if _, seen := clocks[c.Time]; !seen {
				times = append(times, c.Time)
			}
			label := r.Policy + " at " + c.Latency
			clocks[c.Time] = append(clocks[c.Time], c.line(label, func(b band) [3]time.Duration { return b.left }))
			budgets[c.Time] = append(budgets[c.Time], c.line(label, func(b band) [3]time.Duration { return b.soft }))
		}
	}
	if len(times) == 0 {
		return errors.New("plot clocks: no traced games")
	}
	sheet := plot.Sheet{Note: "line: median; band: nine of ten games; by own move number"}
	for _, t := range times {
		sheet.Panels = append(sheet.Panels,
			plot.Panel{Title: t + ": clock before the move", Axis: plot.Seconds, Lines: clocks[t]},
			plot.Panel{Title: t + ": soft budget", Axis: plot.LogSeconds, Lines: budgets[t]})
	}
	if err := sheet.WriteSVG(w); err != nil {
		return fmt.Errorf("plot clocks: %w", err)
	}
	return nil
}

// line is what the bands hold of one quantity, by move.
func (c Cell) line(label string, of func(band) [3]time.Duration) plot.Line {
	l := plot.Line{Label: label}
	for move, b := range c.bands {
		d := of(b)
		l.Points = append(l.Points, plot.Point{X: float64(move), Low: d[0].Seconds(), Mid: d[1].Seconds(), High: d[2].Seconds()})
	}
	return l
}
