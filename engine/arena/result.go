package arena

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

// Result is the state of a match.
type Result struct {
	// Players and Pairings are in the order of the match.
	Players  []Standing
	Pairings []Pairing
	// Timed tells that the numbers hold for this machine only.
	Timed bool
	// SPRT is the test that the match ran under, nil for none.
	SPRT *SPRT
}

// Standing is what one player has done against all others.
type Standing struct {
	Name string
	Score
	Faults map[Fault]int
	Effort Effort
}

// Pairing is what two players have done against each other, seen from the first.
type Pairing struct {
	// First and Second are indices into Players.
	First, Second int
	Score
	// half are the first's half points in the game whose twin is still to come.
	half int
}

func (m *Match) newResult() Result {
	r := Result{SPRT: m.SPRT, Timed: m.Timed()}
	for _, p := range m.Players {
		r.Players = append(r.Players, Standing{Name: p.Name, Faults: map[Fault]int{}})
	}
	for _, p := range m.pairings() {
		r.Pairings = append(r.Pairings, Pairing{First: p[0], Second: p[1]})
	}
	return r
}

// clone is a copy that stays as it is.
func (r Result) clone() Result {
	r.Players, r.Pairings = slices.Clone(r.Players), slices.Clone(r.Pairings)
	for i := range r.Players {
		r.Players[i].Faults = maps.Clone(r.Players[i].Faults)
	}
	return r
}

// add counts one more game; games come in the order of their numbers.
func (r *Result) add(g Record, f fixture) {
	p := &r.Pairings[f.pairing]
	points := g.points()
	if g.White != p.First {
		points = 2 - points
	}
	var score Score
	score.game(points)
	if f.second {
		score.Pairs[p.half+points]++
	}
	p.half = points
	p.Score = p.plus(score)
	first, second := &r.Players[p.First], &r.Players[p.Second]
	first.Score = first.plus(score)
	second.Score = second.plus(score.flipped())
	if g.Fault != NoFault {
		r.Players[g.FaultBy].Faults[g.Fault]++
	}
	r.Players[g.White].Effort.add(g.Effort[0])
	r.Players[g.Black].Effort.add(g.Effort[1])
}

// Games is the number of finished games.
func (r *Result) Games() int {
	games := 0
	for _, p := range r.Pairings {
		games += p.Games()
	}
	return games
}

// String is the result in lines for people: the two players, or the standings and the
// pairings of more; then what was counted of each player.
func (r Result) String() string {
	var b strings.Builder
	if len(r.Players) == 2 {
		r.duel(&b)
	} else {
		r.standings(&b)
		b.WriteByte('\n')
		for _, p := range r.Pairings {
			b.WriteString(r.pairing(p))
		}
		b.WriteByte('\n')
	}
	for _, p := range r.Players {
		b.WriteString(p.line())
	}
	if r.Timed {
		b.WriteString("Timed: these numbers hold for this machine only.\n")
	}
	return b.String()
}

// duel is the result of two players.
func (r *Result) duel(b *strings.Builder) {
	p := r.Pairings[0]
	b.WriteString(r.pairing(p))
	fmt.Fprintf(b, "Elo %s, LOS %.1f %%, draws %.1f %%, pairs (0 to 2 points) %v\n", p.Difference(), 100*p.LOS(), 100*p.DrawRatio(), p.Pairs)
	if elo, margin, ok := p.Normalised(); ok {
		fmt.Fprintf(b, "normalised Elo %.1f +- %.1f\n", elo, margin)
	}
	if r.SPRT != nil {
		low, high := r.SPRT.bounds()
		fmt.Fprintf(b, "SPRT [%g, %g]: LLR %.2f (%.2f, %.2f) %s\n", r.SPRT.Elo0, r.SPRT.Elo1, p.LLR(*r.SPRT), low, high, cmp.Or(r.verdict(), "open"))
	}
}

// standings is a table of all players, the best first.
func (r *Result) standings(b *strings.Builder) {
	order := slices.Clone(r.Players)
	slices.SortStableFunc(order, func(x, y Standing) int { return cmp.Compare(y.Share(), x.Share()) })
	w := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "\tplayer\tgames\tpoints\tscore\tdraws\tElo against the field\tLOS")
	for i, p := range order {
		fmt.Fprintf(w, "%d\t%s\t%d\t%.1f\t%.1f %%\t%.1f %%\t%s\t%.1f %%\n", i+1, p.Name, p.Games(), p.Points(), 100*p.Share(), 100*p.DrawRatio(), p.Difference(), 100*p.LOS())
	}
	w.Flush() // a strings.Builder takes everything
}

// pairing is a line.
func (r *Result) pairing(p Pairing) string {
	line := fmt.Sprintf("%s vs %s: %d games, +%d =%d -%d, %.1f %%", r.Players[p.First].Name, r.Players[p.Second].Name, p.Games(), p.Wins, p.Draws, p.Losses, 100*p.Share())
	if len(r.Players) > 2 {
		line += fmt.Sprintf(", Elo %s, pairs %v", p.Difference(), p.Pairs)
	}
	return line + "\n"
}

// line is what was counted of a player beside the points.
func (s *Standing) line() string {
	line := fmt.Sprintf("%s: %d time forfeits, %d illegal moves, %d failures", s.Name, s.Faults[TimeForfeit], s.Faults[IllegalMove], s.Faults[Failed])
	e := s.Effort
	if e.Searches > 0 {
		line += fmt.Sprintf("; depth %.1f", float64(e.Depths)/float64(e.Searches))
	}
	if e.Nodes > 0 {
		line += fmt.Sprintf(", %.0f nodes a move", float64(e.Nodes)/float64(e.Moves))
	}
	if e.Time > 0 {
		line += fmt.Sprintf(", %v a move", (e.Time / time.Duration(e.Moves)).Round(100*time.Microsecond))
	}
	return line + "\n"
}
