package pgn

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"zeitnot/engine/position"
)

// EPD is one line of a position file: a position and its opcodes.
type EPD struct {
	Position position.Position
	Ops      []Op
}

// Op is one operation. Operands keep their words; a quoted string is one operand.
type Op struct {
	Code     string
	Operands []string
}

// Op is the first operation of that code.
func (e *EPD) Op(code string) (Op, bool) {
	for _, op := range e.Ops {
		if op.Code == code {
			return op, true
		}
	}
	return Op{}, false
}

// ID is the operand of the operation id, "" if there is none.
func (e *EPD) ID() string {
	op, _ := e.Op("id")
	return strings.Join(op.Operands, " ")
}

// ParseEPD reads one line: four FEN fields, perhaps the two counters of a FEN, and
// operations ended by semicolons. Since few files keep to the letter, an operation may
// start with a semicolon, and the last may lack it. hmvc and fmvn set the counters.
func ParseEPD(line string) (EPD, error) {
	rest := strings.TrimPrefix(line, byteOrderMark)
	var fields []string
	for len(fields) < 4 {
		word, after := cutWord(rest)
		if word == "" {
			break
		}
		fields, rest = append(fields, word), after
	}
	if len(fields) < 2 {
		return EPD{}, errors.New("no position")
	}
	// The first counter may be glued to the dash before it ("w - -0 1").
	if last := len(fields) - 1; last == 3 && len(fields[3]) > 1 && fields[3][0] == '-' {
		rest = fields[3][1:] + " " + rest
		fields[3] = "-"
	}
	counters := [2]string{"0", "1"}
	halfmove, after := cutWord(rest)
	if fullmove, after := cutWord(after); isCount(halfmove) && isCount(fullmove) {
		counters, rest = [2]string{halfmove, fullmove}, after
	}
	e := EPD{Ops: parseOps(rest)}
	for i, code := range [2]string{"hmvc", "fmvn"} {
		if op, ok := e.Op(code); ok && len(op.Operands) == 1 && isCount(op.Operands[0]) {
			counters[i] = op.Operands[0]
		}
	}
	for len(fields) < 4 {
		fields = append(fields, "-")
	}
	p, err := position.ParseFEN(strings.Join(append(fields, counters[:]...), " "))
	if err != nil {
		return EPD{}, fmt.Errorf("position: %w", err)
	}
	e.Position = p
	return e, nil
}

// cutWord takes the first word off; it ends at a blank or semicolon. "" means that there
// is none before the end or a semicolon.
func cutWord(text string) (word, rest string) {
	text = strings.TrimLeft(text, " \t\r\n")
	n := strings.IndexAny(text, " \t\r\n;")
	if n < 0 {
		n = len(text)
	}
	return text[:n], text[n:]
}

func isCount(s string) bool {
	n, err := strconv.Atoi(s)
	return err == nil && n >= 0
}

// parseOps reads the operations.
func parseOps(text string) []Op {
	var ops []Op
	var words []string
	end := func() {
		if len(words) > 0 {
			ops = append(ops, Op{words[0], words[1:]})
			words = nil
		}
	}
	for text = strings.TrimSpace(text); text != ""; text = strings.TrimLeft(text, " \t") {
		switch text[0] {
		case ';':
			end()
			text = text[1:]
		case '"':
			value, after, _ := strings.Cut(text[1:], `"`)
			words = append(words, value)
			text = after
		default:
			n := strings.IndexAny(text, " \t;")
			if n < 0 {
				n = len(text)
			}
			words = append(words, text[:n])
			text = text[n:]
		}
	}
	end()
	return ops
}
