package clocksim

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"time"
)

// The layout of a plot, in pixels: for each time control one row, the clock on the left
// and the budget on the right.
const (
	plotWidth, plotHeight = 460, 240
	plotLeft, plotRight   = 64, 16
	plotTop, plotBottom   = 34, 40
	legendHeight          = 44
)

// The colours of the lines, told apart by people who see colours differently too.
var plotColours = [...]string{"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#555555"}

// line is one policy under one latency at one time control.
type line struct {
	label string
	cell  Cell
}

// WriteSVG draws clock left and budget by move: for each time control a line for the median
// of each policy and latency, and a band that nine of ten games stay within. Reports of
// several policies are laid over each other.
func WriteSVG(w io.Writer, reports ...Report) error {
	var times []string
	rows := map[string][]line{}
	labels := map[string]int{} // place in the list of colours
	for _, r := range reports {
		for _, c := range r.Cells {
			if len(c.bands) == 0 {
				continue
			}
			if _, seen := rows[c.Time]; !seen {
				times = append(times, c.Time)
			}
			label := r.Policy + " at " + c.Latency
			if _, seen := labels[label]; !seen {
				labels[label] = len(labels)
			}
			rows[c.Time] = append(rows[c.Time], line{label, c})
		}
	}
	if len(times) == 0 {
		return errors.New("plot clocks: no traced games")
	}

	var b bytes.Buffer
	width, height := 2*plotWidth, legendHeight+len(times)*plotHeight
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" font-family="sans-serif" font-size="11">`+"\n", width, height, width, height)
	fmt.Fprintf(&b, `<rect width="%d" height="%d" fill="#fff"/>`+"\n", width, height)
	legend(&b, labels)
	for i, t := range times {
		y := float64(legendHeight + i*plotHeight)
		clocks := func(b band) [3]time.Duration { return b.left }
		budgets := func(b band) [3]time.Duration { return b.soft }
		panel{0, y, t + ": clock before the move", false, clocks}.draw(&b, rows[t], labels)
		panel{plotWidth, y, t + ": soft budget", true, budgets}.draw(&b, rows[t], labels)
	}
	b.WriteString("</svg>\n")
	if _, err := w.Write(b.Bytes()); err != nil {
		return fmt.Errorf("plot clocks: %w", err)
	}
	return nil
}

func legend(b *bytes.Buffer, labels map[string]int) {
	names := make([]string, len(labels))
	for label, i := range labels {
		names[i] = label
	}
	x := float64(plotLeft)
	for i, name := range names {
		fmt.Fprintf(b, `<line x1="%.1f" y1="18" x2="%.1f" y2="18" stroke="%s" stroke-width="3"/>`, x, x+18, colour(i))
		fmt.Fprintf(b, `<text x="%.1f" y="22">%s</text>`+"\n", x+24, escaped(name))
		x += 44 + 6.5*float64(len(name))
	}
	fmt.Fprintf(b, `<text x="%d" y="38" fill="#666">line: median; band: nine of ten games; by own move number</text>`+"\n", plotLeft)
}

func colour(i int) string { return plotColours[i%len(plotColours)] }

func escaped(s string) string {
	var b strings.Builder
	xml.EscapeText(&b, []byte(s)) // a strings.Builder never fails
	return b.String()
}

// panel is one diagram. A logarithmic one begins at a millisecond.
type panel struct {
	x, y  float64
	title string
	log   bool
	of    func(band) [3]time.Duration
}

func (p panel) draw(b *bytes.Buffer, lines []line, colours map[string]int) {
	moves, top := 1, time.Duration(1)
	for _, l := range lines {
		moves = max(moves, len(l.cell.bands)-1)
		for _, band := range l.cell.bands {
			top = max(top, p.of(band)[2])
		}
	}
	x := func(move int) float64 {
		return p.x + plotLeft + float64(move)/float64(moves)*(plotWidth-plotLeft-plotRight)
	}
	y := func(d time.Duration) float64 {
		share := float64(d) / float64(top)
		if p.log {
			share = math.Log(float64(max(d, time.Millisecond))/1e6) / math.Log(max(float64(top)/1e6, 2))
		}
		return p.y + plotHeight - plotBottom - share*(plotHeight-plotTop-plotBottom)
	}

	fmt.Fprintf(b, `<text x="%.1f" y="%.1f" font-weight="bold">%s</text>`+"\n", p.x+plotLeft, p.y+plotTop-10, escaped(p.title))
	for _, d := range p.ticks(top) {
		fmt.Fprintf(b, `<line x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" stroke="#ddd"/>`, x(0), y(d), x(moves), y(d))
		fmt.Fprintf(b, `<text x="%.1f" y="%.1f" text-anchor="end" fill="#444">%v</text>`+"\n", x(0)-6, y(d)+4, d)
	}
	for move := 0; move <= moves; move += cmp.Or(step(moves), 1) {
		fmt.Fprintf(b, `<text x="%.1f" y="%.1f" text-anchor="middle" fill="#444">%d</text>`+"\n", x(move), p.y+plotHeight-plotBottom+16, move)
	}
	for _, l := range lines {
		c := colour(colours[l.label])
		var area, median strings.Builder
		for i, band := range l.cell.bands {
			fmt.Fprintf(&area, "%.1f,%.1f ", x(i), y(p.of(band)[2]))
			fmt.Fprintf(&median, "%.1f,%.1f ", x(i), y(p.of(band)[1]))
		}
		for i := len(l.cell.bands) - 1; i >= 0; i-- {
			fmt.Fprintf(&area, "%.1f,%.1f ", x(i), y(p.of(l.cell.bands[i])[0]))
		}
		fmt.Fprintf(b, `<polygon points="%s" fill="%s" fill-opacity="0.15"/>`+"\n", strings.TrimSpace(area.String()), c)
		fmt.Fprintf(b, `<polyline points="%s" fill="none" stroke="%s" stroke-width="1.6"/>`+"\n", strings.TrimSpace(median.String()), c)
	}
}

// ticks are the marks of the time axis.
func (p panel) ticks(top time.Duration) []time.Duration {
	var marks []time.Duration
	if p.log {
		for d := time.Millisecond; d <= top; d *= 10 {
			marks = append(marks, d)
		}
		return marks
	}
	for _, unit := range []time.Duration{
		100 * time.Millisecond, time.Second, 5 * time.Second, 10 * time.Second, 30 * time.Second, time.Minute,
		5 * time.Minute, 10 * time.Minute, time.Hour,
	} {
		if top/unit <= 6 {
			for d := time.Duration(0); d <= top; d += unit {
				marks = append(marks, d)
			}
			return marks
		}
	}
	return []time.Duration{0, top}
}

// step between the marks of the move axis: 6 to 15 of them.
func step(moves int) int {
	for _, s := range []int{1, 5, 10, 20} {
		if moves/s <= 15 {
			return s
		}
	}
	return 50
}
