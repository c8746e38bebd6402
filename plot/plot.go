// Package plot draws line diagrams as SVG, side by side and one below the other: a line for
// the middle of what was seen and a band for its range. It has one look and no settings.
package plot

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
)

// The layout of a diagram, in pixels.
const (
	width, height = 460, 240
	left, right   = 64, 16
	top, bottom   = 34, 40
	legendHeight  = 44
)

// The colours of the lines, told apart by people who see colours differently too.
var colours = [...]string{"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#555555"}

// Sheet is a drawing of some panels in rows. Lines of the same label have the same colour in
// all of them.
type Sheet struct {
	Note    string // explains the drawing in a line
	Columns int    // panels in a row; 0 = 2
	Panels  []Panel
}

// Panel is one diagram: lines over an axis from 0 to the largest X.
type Panel struct {
	Title string
	Axis  Axis // of the values
	Lines []Line
}

// Line is a row of points in the order of their X.
type Line struct {
	Label  string
	Points []Point
}

// Point is what was seen at X: the middle, and the range around it that is worth a band. A
// line without a band has the same value three times.
type Point struct{ X, Low, Mid, High float64 }

// At is a point without a band.
func At(x, y float64) Point { return Point{x, y, y, y} }

// WriteSVG draws the sheet. It is an error if there is no point at all.
func (s Sheet) WriteSVG(w io.Writer) error {
	labels, points := s.labels()
	if points == 0 {
		return errors.New("plot: nothing to draw")
	}
	columns := s.Columns
	if columns == 0 {
		columns = 2
	}
	rows := (len(s.Panels) + columns - 1) / columns
	var b bytes.Buffer
	wide, high := columns*width, legendHeight+rows*height
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" font-family="sans-serif" font-size="11">`+"\n", wide, high, wide, high)
	fmt.Fprintf(&b, `<rect width="%d" height="%d" fill="#fff"/>`+"\n", wide, high)
	s.legend(&b, labels)
	for i, p := range s.Panels {
		placed{p, float64(i % columns * width), float64(legendHeight + i/columns*height)}.draw(&b, labels)
	}
	b.WriteString("</svg>\n")
	if _, err := w.Write(b.Bytes()); err != nil {
		return fmt.Errorf("plot: %w", err)
	}
	return nil
}

// labels gives each label its place in the list of colours, and counts the points.
func (s Sheet) labels() (labels map[string]int, points int) {
	labels = map[string]int{}
	for _, p := range s.Panels {
		for _, l := range p.Lines {
			points += len(l.Points)
			if _, seen := labels[l.Label]; !seen {
				labels[l.Label] = len(labels)
			}
		}
	}
	return labels, points
}

func (s Sheet) legend(b *bytes.Buffer, labels map[string]int) {
	names := make([]string, len(labels))
	for label, i := range labels {
		names[i] = label
	}
	x := float64(left)
	for i, name := range names {
		fmt.Fprintf(b, `<line x1="%.1f" y1="18" x2="%.1f" y2="18" stroke="%s" stroke-width="3"/>`, x, x+18, colour(i))
		fmt.Fprintf(b, `<text x="%.1f" y="22">%s</text>`+"\n", x+24, escaped(name))
		x += 44 + 6.5*float64(len(name))
	}
	fmt.Fprintf(b, `<text x="%d" y="38" fill="#666">%s</text>`+"\n", left, escaped(s.Note))
}

func colour(i int) string { return colours[i%len(colours)] }

func escaped(s string) string {
	var b strings.Builder
	xml.EscapeText(&b, []byte(s)) // a strings.Builder never fails
	return b.String()
}

// placed is a panel with its corner.
type placed struct {
	Panel
	x, y float64
}

func (p placed) draw(b *bytes.Buffer, labels map[string]int) {
	last, most := 1.0, 0.0
	for _, l := range p.Lines {
		for _, at := range l.Points {
			last, most = max(last, at.X), max(most, at.High)
		}
	}
	if most <= 0 {
		most = 1 // nothing, or nothing but zeros
	}
	x := func(v float64) float64 { return p.x + left + v/last*(width-left-right) }
	y := func(v float64) float64 { return p.y + height - bottom - p.Axis.share(v, most)*(height-top-bottom) }

	fmt.Fprintf(b, `<text x="%.1f" y="%.1f" font-weight="bold">%s</text>`+"\n", p.x+left, p.y+top-10, escaped(p.Title))
	for _, v := range p.Axis.marks(most) {
		fmt.Fprintf(b, `<line x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" stroke="#ddd"/>`, x(0), y(v), x(last), y(v))
		fmt.Fprintf(b, `<text x="%.1f" y="%.1f" text-anchor="end" fill="#444">%s</text>`+"\n", x(0)-6, y(v)+4, escaped(p.Axis.label(v)))
	}
	for _, v := range steps(last, 15) {
		fmt.Fprintf(b, `<text x="%.1f" y="%.1f" text-anchor="middle" fill="#444">%g</text>`+"\n", x(v), p.y+height-bottom+16, v)
	}
	for _, l := range p.Lines {
		c := colour(labels[l.Label])
		var area, middle strings.Builder
		for _, at := range l.Points {
			fmt.Fprintf(&area, "%.1f,%.1f ", x(at.X), y(at.High))
			fmt.Fprintf(&middle, "%.1f,%.1f ", x(at.X), y(at.Mid))
		}
		for i := len(l.Points) - 1; i >= 0; i-- {
			fmt.Fprintf(&area, "%.1f,%.1f ", x(l.Points[i].X), y(l.Points[i].Low))
		}
		fmt.Fprintf(b, `<polygon points="%s" fill="%s" fill-opacity="0.15"/>`+"\n", strings.TrimSpace(area.String()), c)
		fmt.Fprintf(b, `<polyline points="%s" fill="none" stroke="%s" stroke-width="1.6"/>`+"\n", strings.TrimSpace(middle.String()), c)
	}
}
