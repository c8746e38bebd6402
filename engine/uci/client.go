package uci

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
	"time"

	"zeitnot/engine"
	"zeitnot/engine/position"
)

// Patience is how long a client waits for an engine. Zero fields stand for the defaults.
type Patience struct {
	// Handshake: from `uci` to `uciok`, 30 s (some engines load networks and tables first).
	Handshake time.Duration
	// Ready: from `isready` to `readyok`, 10 s; after an option, Handshake.
	Ready time.Duration
	// Stop: from `stop` to `bestmove`, 2 s.
	Stop time.Duration
	// Quit: from `quit` to the end of the process, 2 s; and the same after SIGTERM.
	Quit time.Duration
}

func (p Patience) withDefaults() Patience {
	set := func(d *time.Duration, preset time.Duration) {
		if *d <= 0 {
			*d = preset
		}
	}
	set(&p.Handshake, 30*time.Second)
	set(&p.Ready, 10*time.Second)
	set(&p.Stop, 2*time.Second)
	set(&p.Quit, 2*time.Second)
	return p
}

// Client drives one engine over a pair of streams. It is an engine.Searcher. Its output is
// read at all times, so that a talkative engine never blocks; what nobody waits for is
// dropped. Each go is paired with one bestmove: before a new search the answer of an
// abandoned one is awaited and thrown away. One call at a time, Close excepted.
type Client struct {
	// Name is what the engine calls itself, or what it was called before it said so.
	Name, Author string

	patience Patience
	out      *lineWriter
	options  []Option
	chess960 bool // as last told to the engine, so multiPV
	multiPV  int
	// unsure: an option was set since the engine was last known to be ready.
	unsure bool

	mu       sync.Mutex // guards open and listener
	open     bool       // a go has no bestmove yet
	listener *listener
	ended    chan struct{} // closed by the reading goroutine when the output has ended
	endErr   error         // why, readable once ended is closed
}

// listener receives the words of each line while a call waits.
type listener struct {
	lines chan []string
	left  chan struct{} // closed by the call when it waits no more
}

var _ engine.Searcher = (*Client)(nil)

// Connect shakes hands with the engine behind r (its output) and w (its input). It starts
// the goroutine that reads r; this ends when r does, so the owner of r closes it at last
// and may wait for Ended. name is used in errors until the engine says its own.
func Connect(ctx context.Context, name string, r io.Reader, w io.Writer, patience Patience) (*Client, error) {
	c := &Client{Name: name, patience: patience.withDefaults(), out: newLineWriter(w), ended: make(chan struct{}), multiPV: 1}
	go c.read(newLineReader(r))
	if err := c.handshake(ctx); err != nil {
		return c, err
	}
	return c, nil
}

// Ended is closed when the engine's output has ended.
func (c *Client) Ended() <-chan struct{} { return c.ended }

// read hands each line to whoever listens, until the output ends.
func (c *Client) read(lines *lineReader) {
	defer close(c.ended)
	for {
		text, tooLong, err := lines.next()
		if err != nil {
			c.endErr = err
			return
		}
		words := strings.Fields(text)
		if tooLong || len(words) == 0 {
			continue
		}
		c.mu.Lock()
		if words[0] == "bestmove" {
			c.open = false // noted here, since it may come late, when nobody listens
		}
		l := c.listener
		c.mu.Unlock()
		if l == nil {
			continue
		}
		select {
		case l.lines <- words:
		case <-l.left:
		}
	}
}

// listen makes this call the one that receives lines, until leave.
func (c *Client) listen() (lines <-chan []string, leave func()) {
	l := &listener{lines: make(chan []string, 64), left: make(chan struct{})}
	c.mu.Lock()
	c.listener = l
	c.mu.Unlock()
	return l.lines, func() {
		c.mu.Lock()
		c.listener = nil
		c.mu.Unlock()
		close(l.left)
	}
}

func (c *Client) fault(kind FaultKind, detail string, err error) error {
	return &Fault{Engine: cmp.Or(c.Name, "without a name"), Kind: kind, Detail: detail, Err: err}
}

// send writes a command.
func (c *Client) send(command string) error {
	if err := c.out.lines(command); err != nil {
		return c.fault(Died, "", err)
	}
	return nil
}

// event is what a waiting call woke up for.
type event uint8

const (
	gotLine event = iota
	tooLate
	cancelled
	outputEnded
)

// wait is the next thing that happens. When the output has ended, what was said before
// still comes first.
func (c *Client) wait(lines <-chan []string, late <-chan time.Time, done <-chan struct{}) ([]string, event) {
	select {
	case words := <-lines:
		return words, gotLine
	case <-late:
		return nil, tooLate
	case <-done:
		return nil, cancelled
	case <-c.ended:
		select {
		case words := <-lines:
			return words, gotLine
		default:
			return nil, outputEnded
		}
	}
}

// await sends the command and passes each line to take until that says done.
func (c *Client) await(ctx context.Context, command string, limit time.Duration, late FaultKind, take func(words []string) (done bool)) error {
	lines, leave := c.listen()
	defer leave()
	if err := c.send(command); err != nil {
		return err
	}
	return c.receive(ctx, lines, command, limit, late, take)
}

// receive passes each line to take until that says done; command is what they answer.
func (c *Client) receive(ctx context.Context, lines <-chan []string, command string, limit time.Duration, late FaultKind, take func(words []string) (done bool)) error {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	for {
		words, what := c.wait(lines, timer.C, ctx.Done())
		switch what {
		case gotLine:
			if take(words) {
				return nil
			}
		case tooLate:
			return c.fault(late, fmt.Sprintf("%s is not answered within %v", command, limit), nil)
		case outputEnded:
			return c.fault(Died, "after "+command, c.endErr)
		case cancelled:
			return ctx.Err()
		}
	}
}

func (c *Client) handshake(ctx context.Context) error {
	return c.await(ctx, "uci", c.patience.Handshake, NoHandshake, func(words []string) bool {
		rest := strings.ToValidUTF8(strings.Join(words[min(2, len(words)):], " "), "?")
		switch {
		case words[0] == "uciok":
			return true
		case words[0] == "option":
			if o := parseOption(words[1:]); o.Name != "" {
				c.options = append(c.options, o)
			}
		case words[0] == "id" && len(words) > 2 && words[1] == "name" && c.Name == "":
			c.Name = rest
		case words[0] == "id" && len(words) > 2 && words[1] == "author":
			c.Author = rest
		}
		return false
	})
}

// Options are those that the engine offers.
func (c *Client) Options() []Option { return c.options }

// Option finds an option by its name in any case.
func (c *Client) Option(name string) (Option, bool) {
	for _, o := range c.options {
		if strings.EqualFold(o.Name, name) {
			return o, true
		}
	}
	return Option{}, false
}

// SetOption sets an option. One that the engine does not offer, or a value outside its
// range, is a Fault of kind BadOption that names both, and nothing is sent.
func (c *Client) SetOption(name, value string) error {
	o, ok := c.Option(name)
	if !ok {
		return c.fault(BadOption, name+" is not among its options", nil)
	}
	if err := o.refuses(value); err != nil {
		return c.fault(BadOption, name, err)
	}
	if strings.ContainsAny(name+value, "\r\n") {
		return c.fault(BadOption, name+": a line break in the value", nil)
	}
	c.unsure = true
	command := "setoption name " + o.Name
	if o.Type != "button" {
		command += " value " + value
	}
	return c.send(command)
}

// Ready waits until the engine has done all that it was told.
func (c *Client) Ready(ctx context.Context) error {
	limit := c.patience.Ready
	if c.unsure {
		limit = max(limit, c.patience.Handshake) // a large table takes its time
	}
	err := c.await(ctx, "isready", limit, NotReady, func(words []string) bool { return words[0] == "readyok" })
	if err == nil {
		c.unsure = false
	}
	return err
}

// NewGame tells the engine that the next position is of another game.
func (c *Client) NewGame(ctx context.Context) error {
	if err := c.drain(ctx); err != nil {
		return err
	}
	if err := c.send("ucinewgame"); err != nil {
		return err
	}
	return c.Ready(ctx)
}

// drain ends an abandoned search and drops its answer.
func (c *Client) drain(ctx context.Context) error {
	lines, leave := c.listen()
	defer leave()
	c.mu.Lock()
	open := c.open
	c.mu.Unlock()
	if !open {
		return nil
	}
	// stop was sent already: no search is left without it. A second one could make some
	// engines answer twice.
	return c.receive(ctx, lines, "stop", c.patience.Stop, NoBestMove, func(words []string) bool { return words[0] == "bestmove" })
}

// Clocks are what both clocks show, for an engine that budgets by itself.
type Clocks struct {
	White, Black                   time.Duration
	WhiteIncrement, BlackIncrement time.Duration
	MovesToGo                      int // 0: the time is for the rest of the game
}

// Search lets the engine think within l: what is left of Soft, else of Hard, is sent as
// movetime; depth, nodes, mate and searchmoves as they are. When ctx ends, the engine is
// told to stop and its answer is the result.
func (c *Client) Search(ctx context.Context, g position.Game, l engine.Limits, onInfo func(engine.Info)) (engine.Result, error) {
	return c.SearchClock(ctx, g, nil, l, onInfo)
}

// SearchClock is Search with clocks; Soft and Hard of l are then not sent. If the answer is
// at fault the result still holds the first move of the last line that the engine showed
// (NoMove without one), for a caller who needs any move.
func (c *Client) SearchClock(ctx context.Context, g position.Game, clocks *Clocks, l engine.Limits, onInfo func(engine.Info)) (engine.Result, error) {
	if err := c.drain(context.WithoutCancel(ctx)); err != nil {
		return engine.Result{}, err
	}
	if err := c.prepare(g, l); err != nil {
		return engine.Result{}, err
	}
	lines, leave := c.listen()
	defer leave()
	if err := c.send(c.positionCommand(g)); err != nil {
		return engine.Result{}, err
	}
	c.mu.Lock()
	c.open = true
	c.mu.Unlock()
	if err := c.send(c.goCommand(g, clocks, l)); err != nil {
		return engine.Result{}, err
	}
	result := engine.Result{Source: c.Name}
	limit := newLimit(l)
	defer limit.Stop()
	late, done, stopped := limit.C, ctx.Done(), false
	for {
		words, what := c.wait(lines, late, done)
		switch {
		case what == gotLine && words[0] == "info":
			c.noteInfo(words[1:], g.Position(), &result, onInfo)
		case what == gotLine && words[0] == "bestmove":
			return c.answer(words[1:], g.Position(), result)
		case what == gotLine:
		case what == outputEnded:
			return result, c.fault(Died, "during a search", c.endErr)
		case stopped:
			return result, c.fault(NoBestMove, fmt.Sprintf("not within %v of stop", c.patience.Stop), nil)
		default: // cancelled, or past the hard limit
			stopped, done = true, nil
			if err := c.send("stop"); err != nil {
				return result, err
			}
			limit.Reset(c.patience.Stop)
			late = limit.C
		}
	}
}

// newLimit is a timer for the hard limit; it never fires without one.
func newLimit(l engine.Limits) *time.Timer {
	switch {
	case l.Deadline != nil:
		return time.NewTimer(*l.Deadline - engine.Now())
	case l.Hard != nil:
		return time.NewTimer(*l.Hard)
	}
	timer := time.NewTimer(time.Hour)
	timer.Stop()
	return timer
}

// prepare tells the engine what kind of chess and how many lines come.
func (c *Client) prepare(g position.Game, l engine.Limits) error {
	if on := g.Initial().Chess960(); on != c.chess960 {
		if err := c.SetOption("UCI_Chess960", strconv.FormatBool(on)); err != nil {
			return fmt.Errorf("a Chess960 game: %w", err)
		}
		c.chess960 = on
	}
	if lines := max(1, l.MultiPV); lines != c.multiPV {
		if err := c.SetOption("MultiPV", strconv.Itoa(lines)); err != nil {
			return err
		}
		c.multiPV = lines
	}
	return nil
}

func (c *Client) positionCommand(g position.Game) string {
	var b strings.Builder
	if fen := g.Initial().FEN(); fen == position.StartFEN {
		b.WriteString("position startpos")
	} else {
		b.WriteString("position fen " + fen)
	}
	if g.Len() > 0 {
		b.WriteString(" moves")
		for _, m := range g.Moves() {
			b.WriteString(" " + g.Initial().UCI(m, c.chess960))
		}
	}
	return b.String()
}

// goCommand writes the limits. Times are at least 1 ms: engines take 0 and less for "no
// limit" or never move.
func (c *Client) goCommand(g position.Game, clocks *Clocks, l engine.Limits) string {
	var b strings.Builder
	b.WriteString("go")
	number := func(name string, n int64) { fmt.Fprintf(&b, " %s %d", name, n) }
	bounded := false
	switch {
	case clocks != nil:
		number("wtime", max(1, clocks.White.Milliseconds()))
		number("btime", max(1, clocks.Black.Milliseconds()))
		number("winc", max(0, clocks.WhiteIncrement.Milliseconds()))
		number("binc", max(0, clocks.BlackIncrement.Milliseconds()))
		if clocks.MovesToGo > 0 {
			number("movestogo", int64(clocks.MovesToGo))
		}
		bounded = true
	case l.Soft != nil || l.Hard != nil:
		budget := l.Soft
		if budget == nil || l.Hard != nil && *l.Hard < *budget {
			budget = l.Hard
		}
		number("movetime", max(1, (*budget-sinceArrival(l)).Milliseconds()))
		bounded = true
	}
	for _, n := range []struct {
		name  string
		value *int
	}{{"depth", l.Depth}, {"nodes", l.Nodes}, {"mate", l.Mate}} {
		if n.value != nil {
			number(n.name, int64(max(1, *n.value)))
			bounded = true
		}
	}
	if l.Infinite || !bounded {
		b.WriteString(" infinite")
	}
	if len(l.SearchMoves) > 0 {
		b.WriteString(" searchmoves")
		for _, m := range l.SearchMoves {
			b.WriteString(" " + g.Position().UCI(m, c.chess960))
		}
	}
	return b.String()
}

// sinceArrival is how much of Soft and Hard is gone before the engine hears of the search;
// 0 if the limits do not tell when the state arrived.
func sinceArrival(l engine.Limits) time.Duration {
	if l.Deadline == nil || l.Hard == nil {
		return 0
	}
	return max(0, engine.Now()-(*l.Deadline-*l.Hard))
}

// noteInfo keeps what the result needs and passes the report on.
func (c *Client) noteInfo(words []string, p *position.Position, result *engine.Result, onInfo func(engine.Info)) {
	info, ok := parseInfo(words, p)
	if !ok {
		return
	}
	if info.MultiPV <= 1 && info.Bound == engine.BoundExact {
		result.Score, result.Depth = info.Score, info.Depth
		if len(info.PV) > 0 {
			result.Best = info.PV[0]
		}
	}
	result.Nodes = max(result.Nodes, info.Nodes)
	if onInfo != nil {
		onInfo(info)
	}
}

// answer reads the words after bestmove. Moves may be in capitals and castling in either
// notation; a bad ponder move is only left out.
func (c *Client) answer(words []string, p *position.Position, result engine.Result) (engine.Result, error) {
	move := ""
	if len(words) > 0 {
		move = strings.ToLower(words[0])
	}
	switch move {
	case "", "0000", "(none)", "none", "null", "(null)":
		if !p.HasLegalMove() {
			result.Best = position.NoMove
			return result, nil
		}
		return result, c.fault(NullMove, "bestmove "+strings.Join(words, " ")+" at "+p.FEN(), nil)
	}
	m, err := p.ParseUCI(move)
	if err != nil {
		return result, c.fault(IllegalMove, "bestmove "+strings.Join(words, " ")+" at "+p.FEN(), err)
	}
	result.Best = m
	if len(words) > 2 && strings.EqualFold(words[1], "ponder") {
		var next position.Position
		p.Make(m, &next)
		if reply, err := next.ParseUCI(strings.ToLower(words[2])); err == nil {
			result.Ponder = reply
		}
	}
	return result, nil
}
