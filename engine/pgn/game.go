// Package pgn reads and writes games in Portable Game Notation, and positions with
// opcodes (EPD). The reader is tolerant, since the world's files are; the writer is strict
// and its output is the same for the same game. Variations are passed over: a game here is
// its main line.
package pgn

import (
	"fmt"
	"strings"
	"time"

	"zeitnot/engine"
	"zeitnot/engine/position"
)

// Results as PGN writes them.
const (
	WhiteWins = "1-0"
	BlackWins = "0-1"
	Draw      = "1/2-1/2"
	Unknown   = "*"
)

// Tag is one tag pair; the value is plain text without escapes.
type Tag struct{ Name, Value string }

// Tags are tag pairs in the order of the file.
type Tags []Tag

// Get is the value of the first tag of that name, "" if there is none.
func (t Tags) Get(name string) string {
	for _, tag := range t {
		if tag.Name == name {
			return tag.Value
		}
	}
	return ""
}

// Has tells whether there is a tag of that name.
func (t Tags) Has(name string) bool {
	for _, tag := range t {
		if tag.Name == name {
			return true
		}
	}
	return false
}

// Set replaces the value of the tag or appends it.
func (t *Tags) Set(name, value string) {
	for i := range *t {
		if (*t)[i].Name == name {
			(*t)[i].Value = value
			return
		}
	}
	*t = append(*t, Tag{name, value})
}

// Game is one game: its tags, where it starts, and the main line.
type Game struct {
	Tags Tags
	// Start is where the game starts. The writer makes SetUp, FEN and Variant from it.
	Start position.Position
	// Comment stands before the first move.
	Comment string
	Moves   []Ply
	// Result is one of the four results; "" is written as Unknown.
	Result string
}

// Ply is one half-move with what is noted to it.
type Ply struct {
	Move position.Move
	// NAGs are numeric annotation glyphs ($1 is "!").
	NAGs []uint8
	// Clock is what the mover's clock shows after the move, Elapsed what the move took;
	// nil means not noted. Fractions finer than a millisecond are not kept.
	Clock, Elapsed *time.Duration
	// Eval is the engine's evaluation after the move, nil if none is noted.
	Eval *Eval
	// Comment is the text around the notes above, with single blanks.
	Comment string
}

// Eval is a noted evaluation.
type Eval struct {
	// Score is seen from White, whoever moved.
	Score engine.Score
	// Depth of the search; 0 is not noted.
	Depth int
}

// NewGame is a game from a start without moves.
func NewGame(start position.Position) Game { return Game{Start: start, Result: Unknown} }

// Play is the game's moves as a position.Game.
func (g *Game) Play() position.Game {
	p := position.NewGame(g.Start)
	for _, ply := range g.Moves {
		p = p.Play(ply.Move)
	}
	return p
}

// TimeControl is the value of the TimeControl tag for so much at the start and so much a
// move: "180+2", "60+0.6"; "-" without a clock.
func TimeControl(base, increment time.Duration) string {
	if base <= 0 && increment <= 0 {
		return "-"
	}
	seconds := func(d time.Duration) string {
		s := fmt.Sprintf("%.3f", d.Seconds())
		return strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
	}
	return seconds(base) + "+" + seconds(increment)
}
