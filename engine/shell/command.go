package shell

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"zeitnot/engine/position"
)

// command is one word that the shell knows.
type command struct {
	name, args string
	// least and most are how many words may follow; most < 0 is any number.
	least, most int
	summary     string
	// detail is what help tells besides; it may be empty.
	detail string
	run    func(s *Shell, ctx context.Context, args []string) error
	// complete are the words that may stand at the end of args; nil knows none.
	complete func(s *Shell, args []string) []string
}

// table is all commands in the order of help. It is a function because help is in it.
func table() []command {
	return []command{
		{
			name: "fen", args: "[FEN]", most: -1, summary: "show the position's FEN, or set the position",
			detail: `FEN is in X-FEN or Shredder-FEN, for Chess960 too; the last two fields may be missing.
"fen startpos" is the initial position. The engine keeps what it has learned; see new.`,
			run: (*Shell).fen, complete: only("startpos"),
		},
		{name: "d", summary: "show the board", run: (*Shell).diagram},
		{
			name: "move", args: "M [M ...]", least: 1, most: -1, summary: "play moves: e4 Nf3 O-O e7e8q ...",
			detail: `Moves are in algebraic notation or in coordinates; move numbers between them are passed over.
If one is illegal none is played. Moves may stand without the word move.`,
			run: (*Shell).move, complete: (*Shell).completeMoves,
		},
		{name: "undo", args: "[N]", most: 1, summary: "take back the last N moves (1), each side's counted", run: (*Shell).undo},
		{
			name: "go", args: "[LIMIT VALUE ...]", most: -1, summary: "think about the position; nothing is played",
			detail: `Limits: movetime TIME, depth N, nodes N; the first that is reached ends the search, and those
not given are none. Without any, those of set count (movetime 1s at first). "go infinite" thinks
until Ctrl-C. TIME is such as 500ms, 2s or 1m; a bare number is milliseconds.
Ctrl-C ends any search with the best move so far.`,
			run: (*Shell).goCommand, complete: (*Shell).completeGo,
		},
		{
			name: "set", args: "[NAME VALUE]", most: 2, summary: "show the settings, or change one",
			detail: `movetime TIME, depth N and nodes N are the limits of a bare go; off is no limit.
hash MIB is the size of the transposition table, threads N how many search at once.`,
			run: (*Shell).set, complete: (*Shell).completeSet,
		},
		{
			name: "think", args: "on|off", least: 1, most: 1, summary: "show a line for each depth while thinking, or only the answer",
			run: (*Shell).setThink, complete: only("on", "off"),
		},
		{name: "eval", summary: "how the engine values the position, without search", run: (*Shell).eval},
		{
			name: "perft", args: "N", least: 1, most: 1, summary: "count the lines of N plies, for each move",
			run: (*Shell).perft,
		},
		{
			name: "new", summary: "start over: initial position, nothing remembered",
			run: (*Shell).newGame,
		},
		{name: "help", args: "[COMMAND]", most: 1, summary: "this list, or more on a command", run: (*Shell).help, complete: only(names()...)},
		{name: "quit", summary: "leave", run: func(s *Shell, _ context.Context, _ []string) error {
			s.quit = true
			return nil
		}},
	}
}

// names are those of all commands.
func names() []string {
	return []string{"fen", "d", "move", "undo", "go", "set", "think", "eval", "perft", "new", "help", "quit"}
}

// only are always the same words, at the first place.
func only(words ...string) func(*Shell, []string) []string {
	return func(_ *Shell, args []string) []string {
		if len(args) != 1 {
			return nil
		}
		return words
	}
}

// find is the command of a name, nil without one.
func find(name string) *command {
	for _, c := range table() {
		if strings.EqualFold(c.name, name) {
			return &c
		}
	}
	return nil
}

// count tells whether a command may have so many arguments.
func (c *command) count(args []string) error {
	if len(args) >= c.least && (c.most < 0 || len(args) <= c.most) {
		return nil
	}
	return fmt.Errorf("%s: %d arguments: want %s", c.name, len(args), strings.TrimSpace(c.name+" "+c.args))
}

func (s *Shell) help(_ context.Context, args []string) error {
	if len(args) == 0 {
		for _, c := range table() {
			s.printf("%-22s %s\n", strings.TrimSpace(c.name+" "+c.args), c.summary)
		}
		return nil
	}
	c := find(args[0])
	if c == nil {
		return fmt.Errorf("help: no command %q; there are %s", clip(args[0]), strings.Join(names(), ", "))
	}
	s.printf("%s\n%s\n", s.colored(bold, strings.TrimSpace(c.name+" "+c.args)), c.summary)
	if c.detail != "" {
		s.printf("%s\n", c.detail)
	}
	return nil
}

func (s *Shell) eval(context.Context, []string) error {
	s.printf("%s", s.cfg.Engine.Explain(s.game.Position()))
	return nil
}

func (s *Shell) setThink(_ context.Context, args []string) error {
	switch strings.ToLower(args[0]) {
	case "on":
		s.think = true
	case "off":
		s.think = false
	default:
		return fmt.Errorf("think %q: want on or off", clip(args[0]))
	}
	return nil
}

// maxPerft is a depth that no machine finishes; beyond it is a typing error.
const maxPerft = 30

func (s *Shell) perft(ctx context.Context, args []string) error {
	depth, err := strconv.Atoi(args[0])
	if err != nil || depth < 1 || depth > maxPerft {
		return fmt.Errorf("perft %q: want a number from 1 to %d", clip(args[0]), maxPerft)
	}
	ctx, stop := s.cfg.Interrupt(ctx)
	defer stop()
	root := s.game.Position()
	total, err := root.Divide(ctx, depth, func(m position.Move, n uint64) {
		s.printf("%-7s %s\n", root.SAN(m), grouped(n))
	})
	if err != nil {
		return fmt.Errorf("perft %d: stopped", depth)
	}
	s.printf("%s lines of %d plies\n", grouped(total), depth)
	return nil
}

func (s *Shell) newGame(context.Context, []string) error {
	s.cfg.Engine.NewGame()
	s.game = position.NewGame(position.Start())
	return nil
}

// grouped writes a number with commas between its thousands.
func grouped(n uint64) string {
	text := strconv.FormatUint(n, 10)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}
