package uci

import (
	"fmt"
	"strconv"
	"strings"

	"zeitnot/engine"
	"zeitnot/engine/position"
)

// Option is an option that an engine offers.
type Option struct {
	Name string
	// Type is check, spin, combo, button or string; anything else is kept as it is.
	Type    string
	Default string
	// Min and Max of a spin; both 0 when not given.
	Min, Max int
	// Choices of a combo.
	Choices []string
}

// parseOption reads the words after `option`. Names and values may hold blanks; what is
// odd is kept as well as it goes.
func parseOption(words []string) Option {
	var o Option
	text := map[string][]string{}
	key := ""
	for _, w := range words {
		switch w {
		case "name", "type", "default", "min", "max", "var":
			if key == "name" && w != "type" || w == "name" && key != "" {
				break // the name itself contains the word
			}
			if w == "var" {
				o.Choices = append(o.Choices, "")
			}
			key = w
			continue
		}
		if key == "var" {
			last := &o.Choices[len(o.Choices)-1]
			*last = strings.TrimSpace(*last + " " + w)
			continue
		}
		text[key] = append(text[key], w)
	}
	o.Name = strings.Join(text["name"], " ")
	o.Type = strings.Join(text["type"], " ")
	o.Default = strings.Join(text["default"], " ")
	o.Min, _ = strconv.Atoi(strings.Join(text["min"], ""))
	o.Max, _ = strconv.Atoi(strings.Join(text["max"], ""))
	return o
}

// refuses says why the option does not take the value, nil if it does.
func (o *Option) refuses(value string) error {
	switch o.Type {
	case "spin":
		n, err := strconv.Atoi(value)
		if err != nil {
			return fmt.Errorf("%q is no number", value)
		}
		if (o.Min != 0 || o.Max != 0) && (n < o.Min || n > o.Max) {
			return fmt.Errorf("%d is not within %d..%d", n, o.Min, o.Max)
		}
	case "check":
		if !strings.EqualFold(value, "true") && !strings.EqualFold(value, "false") {
			return fmt.Errorf("%q is neither true nor false", value)
		}
	case "combo":
		for _, c := range o.Choices {
			if strings.EqualFold(c, value) {
				return nil
			}
		}
		return fmt.Errorf("%q is none of %q", value, o.Choices)
	}
	return nil
}

// parseInfo reads the words after `info` at position p. What cannot be read counts as not
// said; ok tells whether the line holds anything that engine.Info has room for.
func parseInfo(words []string, p *position.Position) (info engine.Info, ok bool) {
	number := func(i int) int64 {
		if i >= len(words) {
			return 0
		}
		n, _ := clampInt(words[i])
		return n
	}
	for i := 0; i < len(words); i++ {
		switch words[i] {
		case "depth":
			info.Depth, ok = clampTo(number(i+1), 0, 1000), true
			i++
		case "seldepth":
			info.SelDepth = clampTo(number(i+1), 0, 1000)
			i++
		case "multipv":
			info.MultiPV = clampTo(number(i+1), 1, maxMultiPV)
			i++
		case "nodes":
			info.Nodes, ok = uint64(max(0, number(i+1))), true
			i++
		case "tbhits":
			info.TBHits = uint64(max(0, number(i+1)))
			i++
		case "hashfull":
			info.HashFull = clampTo(number(i+1), 0, 1000)
			i++
		case "time", "nps", "cpuload":
			i++ // our own clock is the one that counts
		case "currmovenumber":
			info.CurrMoveNumber = clampTo(number(i+1), 0, maxMultiPV)
			i++
		case "currmove":
			if i+1 < len(words) {
				info.CurrMove, _ = p.ParseUCI(strings.ToLower(words[i+1]))
			}
			i++
		case "score":
			i += parseScore(words[i+1:], &info)
		case "lowerbound":
			info.Bound = engine.BoundLower
		case "upperbound":
			info.Bound = engine.BoundUpper
		case "pv":
			info.PV = parseLine(words[i+1:], p)
			return info, true
		case "string", "refutation", "currline":
			return info, ok
		}
	}
	return info, ok
}

func clampTo(n int64, low, high int) int { return int(max(int64(low), min(int64(high), n))) }

// parseScore reads "cp 13" or "mate -3" and says how many words it used.
func parseScore(words []string, info *engine.Info) int {
	if len(words) < 2 {
		return 0
	}
	n, ok := clampInt(words[1])
	switch {
	case !ok:
		return 0
	case words[0] == "cp":
		limit := int64(engine.MateIn(engine.MaxPly)) - 1
		info.Score = engine.Score(max(-limit, min(limit, n)))
	case words[0] == "mate" && n > 0:
		info.Score = engine.MateIn(clampTo(2*min(n, engine.MaxPly)-1, 1, engine.MaxPly))
	case words[0] == "mate":
		info.Score = engine.MatedIn(clampTo(-2*max(n, -engine.MaxPly), 0, engine.MaxPly))
	default:
		return 0
	}
	if info.Bound == engine.BoundNone {
		info.Bound = engine.BoundExact
	}
	return 2
}

// parseLine reads moves from p on, up to the first that is not legal.
func parseLine(words []string, p *position.Position) []position.Move {
	var line []position.Move
	at := *p
	for _, w := range words {
		m, err := at.ParseUCI(strings.ToLower(w))
		if err != nil {
			break
		}
		line = append(line, m)
		var next position.Position
		at.Make(m, &next)
		at = next
	}
	return line
}
