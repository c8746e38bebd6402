package measure

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"zeitnot/plot"
)

// WriteJSON writes the report for scripts.
func (r SoakReport) WriteJSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(r)
}

// A bot has what it needs after so many games and so many seconds: buffers and garbage grow
// with both at first. What it takes more from then on is growth.
const settledGames, settledSeconds = 100, 60

// WriteText writes the report for people. At the end stands what has changed from the first
// look at a settled bot, or else from the first of all, to the last.
func (r SoakReport) WriteText(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(t, "bot: %s\n", r.Bot)
	var endings []string
	for _, name := range slices.Sorted(maps.Keys(r.Endings)) {
		endings = append(endings, fmt.Sprintf("%d %s", r.Endings[name], name))
	}
	fmt.Fprintf(t, "%d games (%s), %d moves of the bot, %d lost on time, %d challenges not taken at once\n\n",
		r.Games, strings.Join(endings, ", "), r.Moves, r.Flagged, r.Declined)
	fmt.Fprintln(t, "games\tseconds\tresident\tshared once\tgoroutines\tdescriptors\tthreads\tprocesses\tzombies\t")
	for _, l := range r.Looks {
		goroutines := "-"
		if l.Goroutines > 0 {
			goroutines = fmt.Sprint(l.Goroutines)
		}
		fmt.Fprintf(t, "%d\t%.0f\t%s\t%s\t%s\t%d\t%d\t%d\t%d\t\n", l.Games, l.Seconds, mebibytes(l.RSS), mebibytes(l.PSS),
			goroutines, l.Descriptors, l.Threads, l.Processes, l.Zombies)
	}
	if len(r.Looks) > 1 {
		first, last := r.Looks[0], r.Looks[len(r.Looks)-1]
		for _, l := range slices.Backward(r.Looks[:len(r.Looks)-1]) {
			if l.Games >= settledGames && l.Seconds >= settledSeconds {
				first = l
			}
		}
		fmt.Fprintf(t, "since %d\t\t%+.1f %%\t\t%+d\t%+d\t%+d\t%+d\t%+d\t\n", first.Games, 100*(float64(last.RSS)/float64(first.RSS)-1),
			last.Goroutines-first.Goroutines, last.Descriptors-first.Descriptors, last.Threads-first.Threads,
			last.Processes-first.Processes, last.Zombies-first.Zombies)
	}
	return t.Flush()
}

// WriteSVG draws what the bot took of the machine by the games that it had played.
func (r SoakReport) WriteSVG(w io.Writer) error {
	line := func(label string, of func(Look) float64) plot.Line {
		l := plot.Line{Label: label}
		for _, look := range r.Looks {
			l.Points = append(l.Points, plot.At(float64(look.Games), of(look)))
		}
		return l
	}
	const mib = 1 << 20
	return plot.Sheet{
		Note: "at rest, by the number of games played",
		Panels: []plot.Panel{
			{Title: "memory, MiB", Lines: []plot.Line{
				line("resident", func(l Look) float64 { return float64(l.RSS) / mib }),
				line("shared pages once", func(l Look) float64 { return float64(l.PSS) / mib }),
			}},
			{Title: "goroutines and descriptors", Lines: []plot.Line{
				line("goroutines", func(l Look) float64 { return float64(l.Goroutines) }),
				line("descriptors", func(l Look) float64 { return float64(l.Descriptors) }),
			}},
			{Title: "threads", Lines: []plot.Line{line("threads", func(l Look) float64 { return float64(l.Threads) })}},
			{Title: "processes", Lines: []plot.Line{
				line("processes", func(l Look) float64 { return float64(l.Processes) }),
				line("zombies", func(l Look) float64 { return float64(l.Zombies) }),
			}},
		},
	}.WriteSVG(w)
}
