package shell_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"zeitnot/engine/eval"
	"zeitnot/engine/position"
	"zeitnot/engine/search"
	"zeitnot/engine/shell"
	"zeitnot/leaktest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// testEngine is the searcher with the explanation that the shell wants.
type testEngine struct{ *search.Searcher }

func (testEngine) Explain(p *position.Position) string { return eval.Text(p) }

// newConfig has a small engine and a clock that stands still.
func newConfig(out, complaints io.Writer) shell.Config {
	return shell.Config{
		Engine: testEngine{search.New(search.Options{HashMB: 1})},
		HashMB: 1, MaxHashMB: 4, Threads: 1, MaxThreads: 1, Out: out, Err: complaints,
		Now: func() time.Duration { return 0 },
	}
}

// converse enters lines and returns what was printed.
func converse(t *testing.T, lines ...string) (out, complaints string) {
	t.Helper()
	var o, e bytes.Buffer
	if err := shell.New(newConfig(&o, &e)).Run(context.Background(), shell.NewPipe(strings.NewReader(strings.Join(lines, "\n")))); err != nil {
		t.Fatal(err)
	}
	return o.String(), e.String()
}

func TestAnswers(t *testing.T) {
	for _, c := range []struct {
		name  string
		lines []string
		want  string
	}{
		{"the FEN", []string{"fen"}, position.StartFEN + "\n"},
		{"a FEN without its last fields", []string{"fen 4k3/8/8/8/8/8/8/4K2R w K -", "fen"}, "4k3/8/8/8/8/8/8/4K2R w K - 0 1\n"},
		{"back to the start", []string{"fen 4k3/8/8/8/8/8/8/4K2R w K -", "fen startpos", "fen"}, position.StartFEN + "\n"},
		{"moves in both notations and with numbers", []string{"move 1. e4 1...e5 2. g1f3 Nc6"}, "1. e4 e5 2. Nf3 Nc6  (white to move)\n"},
		{"moves without the word", []string{"d4 d5", "c4"}, "1. d4 d5  (white to move)\n2. c4  (black to move)\n"},
		{"coordinates in capitals", []string{"E2E4 E7e5"}, "1. e4 e5  (white to move)\n"},
		{"a bishop is no file", []string{"fen 7k/3B4/8/1Q1B4/8/8/8/K7 w - -", "B5c6"}, "1. B5c6  (black to move)\n"},
		{"castling and promotion", []string{"fen 4k3/1P6/8/8/8/8/8/4K2R w K -", "o-o Kd7 b7b8n"}, "1. O-O Kd7 2. b8=N+  (black to move)\n"},
		{"mate", []string{"f3 e5 g4 Qh4"}, "1. f3 e5 2. g4 Qh4#  (checkmate, black wins)\n"},
		{"stalemate", []string{"fen 7k/8/6K1/5Q2/8/8/8/8 w - -", "Qf7"}, "1. Qf7  (stalemate, a draw)\n"},
		{"repetition", []string{"Nf3 Nf6 Ng1 Ng8 Nf3 Nf6 Ng1 Ng8"}, "1. Nf3 Nf6 2. Ng1 Ng8 3. Nf3 Nf6 4. Ng1 Ng8  (a draw may be claimed, the position has occurred 3 times)\n"},
		{"taking back", []string{"e4 e5 Nf3", "undo", "undo 2", "fen"}, "1. e4 e5 2. Nf3  (black to move)\ntook back 2. Nf3\ntook back 1. e4 e5\n" + position.StartFEN + "\n"},
		{"a count", []string{"fen 7k/8/8/8/8/8/8/K7 w - -", "perft 2"}, "Kb1     3\nKa2     3\nKb2     3\n9 lines of 2 plies\n"},
		{"a mate as White sees it", []string{"think off", "fen 7k/6pp/8/8/8/8/8/K3R3 w - -", "go depth 4"}, "best move 1. Re8#, score #1 for White, depth 3, "},
		{"a mate by Black", []string{"think off", "fen k3r3/8/8/8/8/8/6PP/7K b - -", "go depth 4"}, "best move 1... Re1#, score #-1 for White, depth 3, "},
		{"the only move", []string{"think off", "fen 7k/8/8/8/8/8/r5pp/7K w - -", "go"}, "best move 1. Kxh2, the only one\n"},
		{"settings", []string{"set depth 7", "set movetime off", "set nodes 100", "set nodes off", "set hash 2", "set"}, "movetime  off\ndepth     7\nnodes     off\nhash      2 MiB\nthreads   1\n"},
		{"a bare number is milliseconds", []string{"set movetime 1500", "set"}, "movetime  1.5s\n"},
		{"help on a command", []string{"help undo"}, "undo [N]\ntake back the last N moves (1), each side's counted\n"},
		{"comments and blank lines", []string{"", "  # nothing", "fen # the FEN"}, position.StartFEN + "\n"},
		{"quit", []string{"quit", "fen"}, ""},
		{"starting over", []string{"e4", "new", "fen"}, "1. e4  (black to move)\n" + position.StartFEN + "\n"},
	} {
		out, complaints := converse(t, c.lines...)
		if !strings.HasPrefix(out, c.want) || c.want == "" && out != "" {
			t.Errorf("%s: got\n%s\nwant\n%s", c.name, out, c.want)
		}
		if complaints != "" {
			t.Errorf("%s: complaints:\n%s", c.name, complaints)
		}
	}
}

func TestComplaintsSayWhatIsAllowed(t *testing.T) {
	for _, c := range []struct{ line, want string }{
		{"castle", `"castle" is neither a command nor a legal move; commands: fen, d, move, `},
		{"move e5", "legal: Na3 Nc3 Nf3 Nh3 a3 a4 "},
		{"move e4 e4", "and none of the moves is played; legal: Na6 "},
		{"move", "move: 0 arguments: want move M [M ...]"},
		{"d now", "d: 1 arguments: want d"},
		{"fen 8/8/8/8/8/8/8/8 w - - 0 1", "king"},
		{"go depth", `go: "depth" without a value; want movetime, depth, nodes with one, or infinite alone`},
		{"go deep 3", `go: no limit "deep": want movetime, depth, nodes`},
		{"go depth 0", `go: depth "0": want a number from 1 to 246`},
		{"go movetime soon", `go: movetime "soon": want a time from 1ms to 24h`},
		{"go movetime 99999999999999999", "want a time from 1ms to 24h"},
		{"go infinite", "only at a terminal"},
		{"set hash 5", `set: hash "5": want a number from 1 to 4`},
		{"set threads 2", `set: threads "2": want a number from 1 to 1`},
		{"set speed 5", `set: no setting "speed": there are movetime, depth, nodes, hash, threads`},
		{"set hash", `set "hash": want a value after it`},
		{"think maybe", `think "maybe": want on or off`},
		{"perft 31", `perft "31": want a number from 1 to 30`},
		{"undo 0", `undo "0": want a number from 1`},
		{"undo", "undo 1: only 0 moves have been played"},
		{"help me", `help: no command "me"; there are fen, d, `},
	} {
		out, complaints := converse(t, c.line, "fen")
		if !strings.Contains(complaints, c.want) || strings.Count(complaints, "\n") != 1 {
			t.Errorf("%s: got %q, want one line with %q", c.line, complaints, c.want)
		}
		if out != position.StartFEN+"\n" {
			t.Errorf("%s: got %q: the mistake changed something or ended the shell", c.line, out)
		}
	}
}

func TestMatedHasNoThought(t *testing.T) {
	_, complaints := converse(t, "f3 e5 g4 Qh4", "go", "set movetime off", "fen startpos", "go")
	for _, want := range []string{"go: checkmate, black wins: there is no move\n", "go: all limits are off"} {
		if !strings.Contains(complaints, want) {
			t.Errorf("got %q, want %q", complaints, want)
		}
	}
}

func TestHelpHasEveryCommand(t *testing.T) {
	out, _ := converse(t, "help")
	_, complaints := converse(t, "no-such-command")
	_, list, _ := strings.Cut(strings.TrimSpace(complaints), "commands: ")
	var listed []string
	for line := range strings.Lines(out) {
		listed = append(listed, strings.Fields(line)[0])
	}
	if got := strings.Split(list, ", "); !slices.Equal(got, listed) {
		t.Errorf("help has %v, the complaint %v", listed, got)
	}
	for _, name := range listed {
		if out, complaints := converse(t, "help "+name); out == "" || complaints != "" {
			t.Errorf("help %s: got %q, %q", name, out, complaints)
		}
	}
}

func TestDocumentationHasTheList(t *testing.T) {
	text, err := os.ReadFile("../../docs/shell.md")
	if err != nil {
		t.Fatal(err)
	}
	out, _ := converse(t, "help")
	if list := "    " + strings.ReplaceAll(strings.TrimSuffix(out, "\n"), "\n", "\n    ") + "\n\n"; !strings.Contains(string(text), list) {
		t.Errorf("docs/shell.md lacks the list of help:\n%s", list)
	}
}

var answerNodes = regexp.MustCompile(`best move .*, ([0-9,]+) nodes in`)

func nodesOf(t *testing.T, out string) string {
	t.Helper()
	m := answerNodes.FindStringSubmatch(out)
	if m == nil {
		t.Fatalf("no answer in\n%s", out)
	}
	return m[1]
}

// Who looks at the root while it works does not change the work.
func TestFollowingChangesNoNode(t *testing.T) {
	for _, fen := range []string{
		"startpos", "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
		"8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 b - - 0 1",
	} {
		shown, _ := converse(t, "fen "+fen, "go depth 9")
		silent, _ := converse(t, "think off", "fen "+fen, "go depth 9")
		if got, want := nodesOf(t, shown), nodesOf(t, silent); got != want {
			t.Errorf("%s: %s nodes with think on, %s with think off", fen, got, want)
		}
		if strings.Count(shown, "\n") < 9 || strings.Count(silent, "\n") != 1 {
			t.Errorf("%s: think on printed\n%s\nthink off\n%s", fen, shown, silent)
		}
	}
}

func TestBoard(t *testing.T) {
	const want = `8  r n b q k b n r
7  p p p p p . . p
6  . . . . . . . .
5  . . . . . p p Q
4  . . . . P . . .
3  . . N . . . . .
2  P P P P . P P P
1  R . B . K B N R
   a b c d e f g h

fen       rnbqkbnr/ppppp2p/8/5ppQ/4P3/2N5/PPPP1PPP/R1B1KBNR b KQkq - 1 3
to move   black
moves     1. e4 f5 2. Nc3 g5 3. Qh5#
check by  h5
state     checkmate, white wins
`
	out, _ := converse(t, "e4 f5 Nc3 g5 Qh5", "d")
	if _, board, _ := strings.Cut(out, "\n"); board != want {
		t.Errorf("got\n%s\nwant\n%s", board, want)
	}
}

func TestColorsOnlyIfWanted(t *testing.T) {
	var plain, colored, complaints bytes.Buffer
	for _, on := range []bool{false, true} {
		cfg := newConfig(&plain, &complaints)
		if cfg.Color = on; on {
			cfg.Out = &colored
		}
		s := shell.New(cfg)
		for _, line := range []string{"e4", "d", "go depth 1", "help go"} {
			if err := s.Do(context.Background(), line); err != nil {
				t.Fatal(err)
			}
		}
	}
	if strings.Contains(plain.String(), "\x1b") {
		t.Errorf("codes without colour: %q", plain.String())
	}
	codes := regexp.MustCompile("\x1b\\[[0-9]*m")
	if got := codes.ReplaceAllString(colored.String(), ""); got != plain.String() || got == colored.String() {
		t.Errorf("with colours the text is %q, want %q with codes", got, plain.String())
	}
}

func TestLinesOfThoughtAreCut(t *testing.T) {
	var out, complaints bytes.Buffer
	cfg := newConfig(&out, &complaints)
	cfg.Width = func() int { return 60 }
	if err := shell.New(cfg).Do(context.Background(), "go depth 8"); err != nil {
		t.Fatal(err)
	}
	longest := 0
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	for _, line := range lines[:len(lines)-1] {
		longest = max(longest, len([]rune(line)))
	}
	if longest != 60 {
		t.Errorf("the longest line has %d columns, want 60:\n%s", longest, out.String())
	}
}

// stopper calls stop at the first line that a search prints.
type stopper struct {
	bytes.Buffer
	stop func()
}

func (s *stopper) Write(p []byte) (int, error) {
	if strings.Contains(string(p), "1. ") && s.stop != nil {
		s.stop()
	}
	return s.Buffer.Write(p)
}

func TestInterruptEndsThoughtWithTheBestMove(t *testing.T) {
	var complaints bytes.Buffer
	out := &stopper{}
	cfg := newConfig(out, &complaints)
	cfg.Interactive = true
	cfg.Interrupt = func(ctx context.Context) (context.Context, context.CancelFunc) {
		ctx, cancel := context.WithCancel(ctx)
		out.stop = cancel
		return ctx, cancel
	}
	if err := shell.New(cfg).Run(context.Background(), shell.NewPipe(strings.NewReader("go infinite\nfen\n"))); err != nil {
		t.Fatal(err)
	}
	nodesOf(t, out.String())
	if !strings.HasSuffix(out.String(), position.StartFEN+"\n") || complaints.Len() > 0 {
		t.Errorf("the shell did not go on: %s%s", out.String(), complaints.String())
	}
}

func TestRunEndsWithItsContext(t *testing.T) {
	read, write := io.Pipe()
	defer write.Close()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := shell.New(newConfig(io.Discard, io.Discard)).Run(ctx, shell.NewPipe(read)); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want the error of the context", err)
	}
}

func TestPipe(t *testing.T) {
	long := strings.Repeat("x", 1<<17)
	p := shell.NewPipe(iotest.OneByteReader(strings.NewReader("one\r\n" + long + "\n\nlast")))
	for i, want := range []struct {
		line string
		err  error
	}{{"one", nil}, {"", shell.ErrTooLong}, {"", nil}, {"last", nil}, {"", io.EOF}} {
		if line, err := p.Next(); line != want.line || !errors.Is(err, want.err) {
			t.Errorf("line %d: got %q, %v, want %q, %v", i+1, line, err, want.line, want.err)
		}
	}
	out, complaints := converse(t, long, "fen")
	if out != position.StartFEN+"\n" || !strings.Contains(complaints, "a line of more than 65536 bytes is ignored") {
		t.Errorf("got %q, %q", out, complaints)
	}
}

func TestComplete(t *testing.T) {
	s := shell.New(newConfig(io.Discard, io.Discard))
	for _, c := range []struct {
		line, word string
		want       []string
	}{
		{"", "", []string{"d", "eval", "fen", "go", "help", "move", "new", "perft", "quit", "set", "think", "undo"}},
		{"p", "p", []string{"perft"}},
		{"N", "N", []string{"Na3", "Nc3", "Nf3", "Nh3"}},
		{"move e", "e", []string{"e3", "e4"}},
		{"move e4 e", "e", []string{"e5", "e6"}},
		{"e4 Nf", "Nf", []string{"Nf6"}},
		{"move e5 ", "", nil},
		{"think o", "o", []string{"off", "on"}},
		{"go ", "", []string{"depth", "infinite", "movetime", "nodes"}},
		{"go depth ", "", nil},
		{"go depth 3 n", "n", []string{"nodes"}},
		{"set h", "h", []string{"hash"}},
		{"set depth o", "o", []string{"off"}},
		{"help th", "th", []string{"think"}},
		{"quit ", "", nil},
		{"xyz a", "a", nil},
	} {
		if word, got := s.Complete(c.line); word != c.word || !slices.Equal(got, c.want) {
			t.Errorf("%q: got %q, %v, want %q, %v", c.line, word, got, c.word, c.want)
		}
	}
}

func TestHistory(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state", "shell_history")
	fail := func(err error) { t.Error(err) }
	h := shell.OpenHistory(path, fail)
	for _, line := range []string{"one", " two ", "two", "", "three"} {
		h.Add(line)
	}
	for i, want := range []string{"three", "two", "one"} {
		if got := shell.OpenHistory(path, fail).At(i); got != want || h.Len() != 3 {
			t.Errorf("line %d of %d: got %q, want %q of 3", i, h.Len(), got, want)
		}
	}
	for name, want := range map[string]os.FileMode{path: 0o600, filepath.Dir(path): 0o700} {
		info, err := os.Stat(name)
		if err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: got %v, %v, want %v", name, info.Mode().Perm(), err, want)
		}
	}
	if err := os.WriteFile(path, []byte(strings.Repeat("old\n", 2500)+"last\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if h := shell.OpenHistory(path, fail); h.Len() != 1000 || h.At(0) != "last" {
		t.Errorf("a long file: %d lines, the last %q, want 1000 and %q", h.Len(), h.At(0), "last")
	}
	if text, err := os.ReadFile(path); err != nil || strings.Count(string(text), "\n") != 1000 {
		t.Errorf("the long file was not cut: %d lines, %v", strings.Count(string(text), "\n"), err)
	}
	complaints := 0
	h = shell.OpenHistory(filepath.Join(path, "below"), func(error) { complaints++ })
	h.Add("one")
	h.Add("two")
	if complaints != 1 || h.Len() != 2 {
		t.Errorf("a file that cannot be: %d complaints, %d lines, want 1 and 2", complaints, h.Len())
	}
}

// keyboard gives its keys in pieces, as a person's come.
type keyboard struct{ pieces []string }

func (k *keyboard) Read(p []byte) (int, error) {
	if len(k.pieces) == 0 {
		return 0, io.EOF
	}
	n := copy(p, k.pieces[0])
	k.pieces = k.pieces[1:]
	return n, nil
}

func TestEditor(t *testing.T) {
	const up, ctrlC, ctrlD = "\x1b[A", "\x03", "\x04"
	var screen bytes.Buffer
	raw := 0
	s := shell.New(newConfig(io.Discard, io.Discard))
	e := shell.NewEditor(shell.EditorConfig{
		In: &keyboard{[]string{
			"mo", "\t", "e", "\t", "4\r", // completed, with what is ambiguous shown
			"half a line", ctrlC,
			"fen\rd\r", // typed ahead
			up, up, "\r",
			ctrlC, ctrlC + "x", "\r",
			ctrlD,
		}},
		Out: &screen,
		Raw: func() (func(), error) {
			raw++
			return func() { raw-- }, nil
		},
		Size:   func() (int, int) { return 80, 24 },
		Prompt: "> ", History: shell.OpenHistory("", nil), Complete: s.Complete,
	})
	for i, want := range []struct {
		line string
		err  error
	}{
		{"move e4", nil},
		{"", shell.ErrInterrupt},
		{"fen", nil},
		{"d", nil},
		{"fen", nil},
		{"", shell.ErrInterrupt},
		{"", shell.ErrInterrupt},
		{"x", nil},
		{"", io.EOF},
	} {
		line, err := e.Next()
		if line != want.line || !errors.Is(err, want.err) {
			t.Errorf("line %d: got %q, %v, want %q, %v", i+1, line, err, want.line, want.err)
		}
		if raw != 0 {
			t.Fatalf("line %d: the terminal is left raw", i+1)
		}
	}
	if !strings.Contains(screen.String(), "e3  e4\r\n") {
		t.Errorf("the moves that it may be are not shown: %q", screen.String())
	}
}

// script gives lines and errors in turn.
type script []any

func (s *script) Next() (string, error) {
	if len(*s) == 0 {
		return "", io.ErrUnexpectedEOF
	}
	first := (*s)[0]
	*s = (*s)[1:]
	if err, ok := first.(error); ok {
		return "", err
	}
	return first.(string), nil
}

func TestTwoInterruptsInARowLeave(t *testing.T) {
	lines := &script{shell.ErrInterrupt, "fen", shell.ErrInterrupt, shell.ErrInterrupt, "d"}
	var complaints bytes.Buffer
	if err := shell.New(newConfig(io.Discard, &complaints)).Run(context.Background(), lines); err != nil || len(*lines) != 1 {
		t.Errorf("got %v with %d lines left, want to leave before the last", err, len(*lines))
	}
	if got := strings.Count(complaints.String(), "Ctrl-C again or Ctrl-D leaves\n"); got != 2 {
		t.Errorf("told %d times how to leave, want 2", got)
	}
}
