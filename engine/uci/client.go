package uci

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"zeitnot/engine"
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

// Client drives one engine over a pair of streams. It is an engine.Ponderer. Its output is
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
	// obeysStop: see ObeysStop.
	obeysStop bool

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

var _ engine.Ponderer = (*Client)(nil)

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
	wasHit
	outputEnded
)

// wait is the next thing that happens. When the output has ended, what was said before
// still comes first.
func (c *Client) wait(lines <-chan []string, late <-chan time.Time, done, hit <-chan struct{}) ([]string, event) {
	select {
	case words := <-lines:
		return words, gotLine
	case <-hit:
		return nil, wasHit
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
		words, what := c.wait(lines, timer.C, ctx.Done(), nil)
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

// isOpen tells whether a go has no bestmove yet.
func (c *Client) isOpen() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.open
}

// drain ends an abandoned search and drops its answer.
func (c *Client) drain(ctx context.Context) error {
	lines, leave := c.listen()
	defer leave()
	if !c.isOpen() {
		return nil
	}
	// stop was sent already: no search is left without it. A second one could make some
	// engines answer twice.
	return c.receive(ctx, lines, "stop", c.patience.Stop, NoBestMove, func(words []string) bool { return words[0] == "bestmove" })
}
