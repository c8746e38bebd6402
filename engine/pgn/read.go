package pgn

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"

	"zeitnot/engine/position"
)

// GameError says why one game could not be read. The games after it still can.
type GameError struct {
	// Number of the game in the file, from 1, and the line of the fault.
	Number, Line int
	White, Black string
	Err          error
}

func (e *GameError) Error() string {
	return fmt.Sprintf("game %d (%s - %s), line %d: %v", e.Number, shown(e.White), shown(e.Black), e.Line, e.Err)
}

// shown is text of a file as a message may have it: short, and nothing that a terminal obeys.
func shown(text string) string {
	const most = 60
	text = strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return '?'
	}, text)
	if r := []rune(text); len(r) > most {
		return string(r[:most]) + "…"
	}
	return text
}

func (e *GameError) Unwrap() error { return e.Err }

// Reader reads games one by one; it holds one game and one line at a time.
type Reader struct {
	s      scanner
	number int
}

// NewReader reads games from r.
func NewReader(r io.Reader) *Reader {
	return &Reader{s: scanner{r: bufio.NewReaderSize(r, 64<<10)}}
}

// Next is the next game; io.EOF when there is none. After a *GameError Next goes on with
// the game after it; any other error is the reader's and final.
func (r *Reader) Next() (Game, error) {
	for r.s.peek().kind == variationEnd { // rubbish between games
		r.s.next()
	}
	if r.s.peek().kind == endOfFile {
		if err := r.s.readFault(); err != nil {
			return Game{}, fmt.Errorf("read line %d: %w", r.s.number+1, err)
		}
		return Game{}, io.EOF
	}
	r.number++
	g := Game{}
	first := r.s.peek().line
	r.readTags(&g)
	fault := g.setStart()
	line := first
	if at, err := r.readMoves(&g, fault != nil); fault == nil && err != nil {
		fault, line = err, at
	}
	if fault != nil {
		return g, &GameError{r.number, line, g.Tags.Get("White"), g.Tags.Get("Black"), fault}
	}
	if g.Result == "" {
		g.Result = result(&Game{Result: g.Tags.Get("Result")})
	}
	return g, nil
}

// readTags reads the tag pairs of one game. A blank line between two of them does not end
// them, but the first tag of another game does.
func (r *Reader) readTags(g *Game) {
	for {
		t := r.s.peek()
		if t.kind != tagPair {
			return
		}
		if len(g.Tags) > 0 && (t.tag.Name == "Event" || t.afterBlank) && g.Tags.Has(t.tag.Name) {
			return // a game without moves and result
		}
		r.s.next()
		if t.tag.Name != "" && !g.Tags.Has(t.tag.Name) {
			g.Tags = append(g.Tags, t.tag)
		}
	}
}

// setStart takes the start position from the tags FEN and Variant.
func (g *Game) setStart() error {
	chess960 := false
	switch strings.ToLower(strings.Join(strings.Fields(g.Tags.Get("Variant")), "")) {
	case "", "standard", "chess", "normal", "fromposition":
	case "chess960", "fischerandom", "fischerrandom", "960", "frc":
		chess960 = true
	default:
		return fmt.Errorf("variant %.60q is not played here", g.Tags.Get("Variant"))
	}
	g.Start = position.Start()
	if fen := g.Tags.Get("FEN"); fen != "" {
		p, err := position.ParseFEN(fen)
		if err != nil {
			return fmt.Errorf("tag FEN: %w", err)
		}
		g.Start = p
	}
	if chess960 {
		g.Start = g.Start.WithChess960(true)
	}
	return nil
}

// readMoves reads movetext up to the end of the game; skip passes over it. After a move
// that cannot be read the rest is passed over too; line is where it stands.
func (r *Reader) readMoves(g *Game, skip bool) (line int, fault error) {
	p := g.Start
	depth := 0 // of variations
	for {
		t := r.s.peek()
		if t.kind == endOfFile {
			return line, fault
		}
		if t.kind == tagPair && (t.afterBlank || t.tag.Name == "Event" || depth == 0) {
			return line, fault // the next game; this one has no result
		}
		r.s.next()
		switch {
		case t.kind == variationStart:
			depth++
		case t.kind == variationEnd:
			depth = max(0, depth-1)
		case depth > 0 || t.kind == tagPair:
		case t.kind == word && isResult(t.text):
			g.Result = resultOf(t.text)
			return line, fault
		case skip || fault != nil:
		case t.kind == comment:
			g.addComment(t.text)
		case t.kind == nag:
			g.addNAG(t.text)
		default:
			if err := g.addWord(t.text, &p); err != nil {
				line, fault = t.line, err
			}
		}
	}
}

func isResult(w string) bool { return resultOf(w) != "" }

func resultOf(w string) string {
	switch w {
	case WhiteWins, BlackWins, Draw, Unknown:
		return w
	case "1/2", "½-½", "0.5-0.5":
		return Draw
	}
	return ""
}

// addWord takes a word of movetext: a move number, a move, or both in one.
func (g *Game) addWord(w string, p *position.Position) error {
	san, glyph := splitGlyph(stripNumber(w))
	switch {
	case san == "--" || san == "Z0" || san == "@@@@" || strings.EqualFold(san, "null"):
		return errors.New("a null move is no move of a game")
	case san == "" && glyph != "":
		g.addNAG(glyph)
		return nil
	case !strings.ContainsFunc(san, func(r rune) bool { return r >= 'a' && r <= 'h' || r >= '0' && r <= '8' || r == 'O' || r == 'o' }):
		return nil // dots, "+-", "=", "N" and other signs of commentators
	case san == "e.p." || san == "ep" || san == "e.p":
		return nil
	}
	m, err := parseMove(p, san)
	if err != nil {
		return fmt.Errorf("move %d%s %s: %w", p.FullmoveNumber(), dots(p), shown(san), err)
	}
	ply := Ply{Move: m}
	g.Moves = append(g.Moves, ply)
	if glyph != "" {
		g.addNAG(glyph)
	}
	var next position.Position
	p.Make(m, &next)
	*p = next
	return nil
}

func dots(p *position.Position) string {
	if p.SideToMove() == position.Black {
		return "..."
	}
	return "."
}

// parseMove reads SAN, else UCI notation, which some programs write into PGN.
func parseMove(p *position.Position, san string) (position.Move, error) {
	if san[0] == '0' || san[0] == 'o' {
		san = strings.NewReplacer("0", "O", "o", "O").Replace(san)
	}
	m, err := p.ParseSAN(san)
	if err == nil {
		return m, nil
	}
	if m, uciErr := p.ParseUCI(strings.ToLower(san)); uciErr == nil {
		return m, nil
	}
	return position.NoMove, err
}

// stripNumber takes a leading move number away: "12.", "12...Nf6", "3.e4".
func stripNumber(w string) string {
	n := 0
	for n < len(w) && w[n] >= '0' && w[n] <= '9' {
		n++
	}
	switch {
	case n == len(w):
		return ""
	case n > 0 && w[n] != '.':
		return w // castling with zeros
	}
	return strings.TrimLeft(w[n:], ".…")
}

// glyphs are the suffixes that stand for the first NAGs.
var glyphs = [...]struct{ text, nag string }{{"!!", "3"}, {"??", "4"}, {"!?", "5"}, {"?!", "6"}, {"!", "1"}, {"?", "2"}}

func splitGlyph(san string) (move, nag string) {
	for _, g := range glyphs {
		if rest, ok := strings.CutSuffix(san, g.text); ok {
			return strings.TrimRight(rest, "!?"), g.nag
		}
	}
	return san, ""
}

func (g *Game) addNAG(digits string) {
	n, err := strconv.ParseUint(digits, 10, 8)
	if err != nil || len(g.Moves) == 0 {
		return
	}
	ply := &g.Moves[len(g.Moves)-1]
	ply.NAGs = append(ply.NAGs, uint8(n))
}
