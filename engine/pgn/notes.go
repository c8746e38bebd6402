package pgn

import (
	"math"
	"strconv"
	"strings"
	"time"

	"zeitnot/engine"
)

// addComment adds a comment to the last move, or to the game before the first, and takes
// the notes that machines read out of it.
func (g *Game) addComment(text string) {
	if len(g.Moves) == 0 {
		g.Comment = joinText(g.Comment, text)
		return
	}
	ply := &g.Moves[len(g.Moves)-1]
	var plain strings.Builder
	for {
		start := strings.Index(text, "[%")
		if start < 0 {
			break
		}
		length := strings.IndexByte(text[start:], ']')
		if length < 0 {
			break
		}
		note := text[start : start+length+1]
		plain.WriteString(text[:start])
		if !ply.takeNote(note[2 : len(note)-1]) {
			plain.WriteString(note)
		}
		plain.WriteByte(' ')
		text = text[start+length+1:]
	}
	plain.WriteString(text)
	ply.Comment = joinText(ply.Comment, plain.String())
}

func joinText(a, b string) string { return strings.Join(strings.Fields(a+" "+b), " ") }

// takeNote reads "clk 0:03:00", "emt 0:00:01" or "eval 0.17"; false leaves it as text.
func (p *Ply) takeNote(note string) bool {
	name, value, _ := strings.Cut(note, " ")
	value = strings.TrimSpace(value)
	switch name {
	case "clk", "emt":
		d, ok := parseClock(value)
		if !ok {
			return false
		}
		if name == "clk" {
			p.Clock = &d
		} else {
			p.Elapsed = &d
		}
		return true
	case "eval":
		e, ok := parseEval(value)
		if ok {
			p.Eval = &e
		}
		return ok
	}
	return false
}

// parseClock reads h:mm:ss, mm:ss or ss, each with decimals of a second.
func parseClock(s string) (time.Duration, bool) {
	parts := strings.Split(s, ":")
	if len(parts) > 3 {
		return 0, false
	}
	total := 0.0
	for _, part := range parts {
		n, err := strconv.ParseFloat(part, 64)
		if err != nil || !(n >= 0 && n < 1e6) {
			return 0, false
		}
		total = total*60 + n
	}
	return time.Duration(math.Round(total*1000)) * time.Millisecond, true
}

// parseEval reads "0.17", "#-3", each perhaps with ",depth".
func parseEval(s string) (Eval, bool) {
	value, depthText, hasDepth := strings.Cut(s, ",")
	var e Eval
	if hasDepth {
		d, err := strconv.Atoi(strings.TrimSpace(depthText))
		if err != nil || d < 0 || d > 1000 {
			return e, false
		}
		e.Depth = d
	}
	if mate, ok := strings.CutPrefix(value, "#"); ok {
		n, err := strconv.Atoi(mate)
		if err != nil || n < -engine.MaxPly/2 || n > engine.MaxPly/2 {
			return e, false
		}
		e.Score = mateScore(n, strings.HasPrefix(mate, "-"))
		return e, true
	}
	pawns, err := strconv.ParseFloat(value, 64)
	if err != nil || !(math.Abs(pawns) <= 320) {
		return e, false
	}
	// However large, a number of pawns is no mate.
	const most = float64(engine.Mate-engine.MaxPly) - 1
	e.Score = engine.Score(math.Round(max(-most, min(most, pawns*100))))
	return e, true
}

// mateScore is the score of a mate in n moves, n < 0 for being mated; "#-0" and "#0" are
// the board on which mate stands.
func mateScore(n int, negative bool) engine.Score {
	if n > 0 {
		return engine.MateIn(2*n - 1)
	}
	if n == 0 && !negative {
		return engine.MateIn(0)
	}
	return engine.MatedIn(-2 * n)
}
