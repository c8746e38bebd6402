package pgn

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"zeitnot/engine/position"
)

// lineWidth is the longest line of movetext, as the export format of the standard asks.
const lineWidth = 80

// roster are the seven tags that every game has, in their order.
var roster = [7]string{"Event", "Site", "Date", "Round", "White", "Black", "Result"}

// Write writes one game and the blank line after it, in one Write, so that a file that
// is appended to never holds half a game of ours beside another's.
func Write(w io.Writer, g *Game) error {
	_, err := io.WriteString(w, g.String())
	return err
}

// String is the game as Write writes it.
func (g *Game) String() string {
	var b strings.Builder
	writeTags(&b, g)
	b.WriteByte('\n')
	movetext := wrapper{out: &b}
	writeMoves(&movetext, g)
	movetext.word(result(g))
	b.WriteString("\n\n")
	return b.String()
}

func result(g *Game) string {
	switch g.Result {
	case WhiteWins, BlackWins, Draw:
		return g.Result
	}
	return Unknown
}

// writeTags writes the roster, then the other tags in their order, then what the start
// position needs.
func writeTags(b *strings.Builder, g *Game) {
	pair := func(name, value string) {
		fmt.Fprintf(b, "[%s \"%s\"]\n", name, escape(value))
	}
	for _, name := range roster {
		value := g.Tags.Get(name)
		switch {
		case name == "Result":
			value = result(g)
		case value == "" && name == "Date":
			value = "????.??.??"
		case value == "":
			value = "?"
		}
		pair(name, value)
	}
	for _, tag := range g.Tags {
		if validTagName(tag.Name) && !madeByUs(tag.Name, &g.Start) {
			pair(tag.Name, tag.Value)
		}
	}
	if g.Start.Chess960() {
		pair("Variant", "Chess960")
	}
	if fen := g.Start.FEN(); fen != position.StartFEN || g.Start.Chess960() {
		pair("SetUp", "1")
		pair("FEN", fen)
	}
}

// madeByUs tells whether the tag is not copied because the game itself says it.
func madeByUs(name string, start *position.Position) bool {
	switch name {
	case "SetUp", "FEN":
		return true
	case "Variant":
		return start.Chess960()
	}
	for _, r := range roster {
		if r == name {
			return true
		}
	}
	return false
}

func validTagName(name string) bool {
	for _, r := range name {
		if !(r == '_' || r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z') {
			return false
		}
	}
	return name != ""
}

// escape makes a tag value fit between quotes on one line.
func escape(value string) string {
	value = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(value, "?"))
	return tagSafe.Replace(value)
}

func writeMoves(w *wrapper, g *Game) {
	w.comment("", g.Comment)
	p := g.Start
	numberNeeded := true
	for i := range g.Moves {
		ply := &g.Moves[i]
		number := p.FullmoveNumber()
		switch {
		case p.SideToMove() == position.White:
			w.word(strconv.Itoa(number) + ".")
		case numberNeeded:
			w.word(strconv.Itoa(number) + "...")
		}
		w.word(p.SAN(ply.Move))
		for _, nag := range ply.NAGs {
			w.word("$" + strconv.Itoa(int(nag)))
		}
		notes := ply.notes()
		w.comment(notes, ply.Comment)
		numberNeeded = notes != "" || ply.Comment != ""
		var next position.Position
		p.Make(ply.Move, &next)
		p = next
	}
}

// notes are the machine-readable notes of a ply, "" without any.
func (p *Ply) notes() string {
	var parts []string
	if p.Eval != nil {
		parts = append(parts, "[%eval "+p.Eval.String()+"]")
	}
	if p.Clock != nil {
		parts = append(parts, "[%clk "+clockText(*p.Clock)+"]")
	}
	if p.Elapsed != nil {
		parts = append(parts, "[%emt "+clockText(*p.Elapsed)+"]")
	}
	return strings.Join(parts, " ")
}

// String is the evaluation as Lichess notes it, "0.17" or "#-3", and ",12" for a depth.
func (e Eval) String() string {
	s := fmt.Sprintf("%.2f", float64(e.Score)/100)
	if e.Score.IsMate() {
		s = fmt.Sprintf("#%d", e.Score.MateMoves())
	}
	if e.Depth > 0 {
		s += fmt.Sprintf(",%d", e.Depth)
	}
	return s
}

// clockText is h:mm:ss with as many decimals as needed, at most three; a clock below zero
// shows zero.
func clockText(d time.Duration) string {
	ms := max(0, d.Milliseconds())
	s := fmt.Sprintf("%d:%02d:%02d", ms/3600000, ms/60000%60, ms/1000%60)
	if frac := ms % 1000; frac != 0 {
		s += strings.TrimRight(fmt.Sprintf(".%03d", frac), "0")
	}
	return s
}

// wrapper puts words on lines.
type wrapper struct {
	out    *strings.Builder
	column int
}

// word writes one word, on a new line if this one is full. No line begins with '%', which
// would be an escape line, nor with '[', which careless readers take for a tag.
func (w *wrapper) word(s string) {
	switch {
	case w.column == 0:
	case w.column+1+len(s) > lineWidth && s[0] != '%' && s[0] != '[':
		w.out.WriteByte('\n')
		w.column = 0
	default:
		w.out.WriteByte(' ')
		w.column++
	}
	w.out.WriteString(s)
	w.column += len(s)
}

// comment writes notes and text between braces, nothing if both are empty.
func (w *wrapper) comment(notes, text string) {
	words := strings.Fields(commentSafe.Replace(strings.ToValidUTF8(text, "?")))
	if notes != "" {
		words = append([]string{notes}, words...)
	}
	if len(words) == 0 {
		return
	}
	words[0] = "{ " + words[0]
	for _, word := range words {
		w.word(word)
	}
	w.word("}")
}

// commentSafe replaces what would end a comment, tagSafe what would end a tag's value.
var commentSafe = strings.NewReplacer("{", "(", "}", ")", "\x00", " ")

var tagSafe = strings.NewReplacer(`\`, `\\`, `"`, `\"`)
