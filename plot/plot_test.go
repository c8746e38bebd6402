package plot_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"regexp"
	"strings"
	"testing"

	"zeitnot/plot"
)

// draw gives the text of a drawing, and how often each element is in it.
func draw(t *testing.T, s plot.Sheet) (text string, elements map[string]int) {
	t.Helper()
	var b bytes.Buffer
	if err := s.WriteSVG(&b); err != nil {
		t.Fatal(err)
	}
	text, elements = b.String(), map[string]int{}
	for d := xml.NewDecoder(&b); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return text, elements
		}
		if err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
		if e, ok := token.(xml.StartElement); ok {
			elements[e.Name.Local]++
		}
	}
}

func TestSheetHasEveryLineOfEveryPanel(t *testing.T) {
	line := func(label string) plot.Line {
		return plot.Line{Label: label, Points: []plot.Point{plot.At(0, 1), {X: 100, Low: 2, Mid: 3, High: 4}}}
	}
	text, elements := draw(t, plot.Sheet{Note: "a < b", Panels: []plot.Panel{
		{Title: "one & only", Lines: []plot.Line{line("x"), line("y")}},
		{Title: "two", Lines: []plot.Line{line("y")}},
		{Title: "empty"},
		{Title: "zeros", Lines: []plot.Line{{Label: "x", Points: []plot.Point{plot.At(0, 0), plot.At(2, 0)}}}},
	}})
	if elements["polyline"] != 4 || elements["polygon"] != 4 {
		t.Errorf("got %v, want 4 lines with their bands", elements)
	}
	for _, want := range []string{"a &lt; b", "one &amp; only", ">empty<", `height="524"`} {
		if !strings.Contains(text, want) {
			t.Errorf("got no %s in\n%s", want, text)
		}
	}
	if got := strings.Count(text, `fill="none" stroke="#d55e00"`); got != 2 {
		t.Errorf("got %d lines of the second colour, want both that are called y", got)
	}
}

func TestAxesAreMarkedAtRoundValues(t *testing.T) {
	marks := regexp.MustCompile(`text-anchor="end" fill="#444">([^<]*)<`)
	for _, c := range []struct {
		axis plot.Axis
		most float64
		want string
	}{
		{plot.Numbers, 42, "0 10 20 30 40"},
		{plot.Numbers, 7, "0 1 2 3 4 5 6 7"},
		{plot.Numbers, 0.32, "0 0.05 0.1 0.15 0.2 0.25 0.3"},
		{plot.Seconds, 60, "0s 10s 20s 30s 40s 50s 1m0s"},
		{plot.Seconds, 100_000, "0s 27h46m40s"},
		{plot.LogSeconds, 15, "1ms 10ms 100ms 1s 10s"},
	} {
		text, _ := draw(t, plot.Sheet{Panels: []plot.Panel{{Axis: c.axis, Lines: []plot.Line{{Points: []plot.Point{plot.At(1, c.most)}}}}}})
		var got []string
		for _, m := range marks.FindAllStringSubmatch(text, -1) {
			got = append(got, m[1])
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("axis %v up to %v: got %q, want %q", c.axis, c.most, got, c.want)
		}
	}
}

func TestNothingToDrawIsAnError(t *testing.T) {
	if err := (plot.Sheet{Panels: []plot.Panel{{}}}).WriteSVG(io.Discard); err == nil {
		t.Error("got no error")
	}
}
