// Package uci holds both ends of the Universal Chess Interface: a server, through which a
// graphical interface or a bridge drives our engine, and a client, through which we drive
// an engine of somebody else in a process of its own. It knows no time policy: the server
// is given a function that turns a clock into limits.
package uci

import (
	"context"
	"errors"
	"io"
	"strings"
	"sync"
	"time"

	"zeitnot/engine"
	"zeitnot/engine/position"
)

// Engine is what the server drives. It may also implement Explainer, Threaded, Booked,
// Tabled and Weakened.
type Engine interface {
	engine.Ponderer
	engine.Tunable
}

// Explainer is an engine that can tell people how it values a position.
type Explainer interface {
	// Explain is text of one or more lines.
	Explain(p *position.Position) string
}

// Threaded is an engine that can search with several threads.
type Threaded interface {
	MaxThreads() int
}

// Booked is an engine with an opening book, which is off at first.
type Booked interface {
	SetOwnBook(on bool) error
	// SetBookFile takes another book; an empty path stands for the engine's usual one.
	SetBookFile(path string) error
}

// Tabled is an engine that can use Syzygy tablebases, of which it has none at first.
type Tabled interface {
	// SetSyzygyPath names folders, separated as in PATH; an empty path is none.
	SetSyzygyPath(folders string) error
}

// Weakened is an engine that can play weaker than it does at first.
type Weakened interface {
	EloRange() (least, most int)
	// SetElo limits the strength; 0 is full strength.
	SetElo(elo int) error
	// SetAnalyseMode says whether all searches are analysis, to which no limit applies.
	SetAnalyseMode(on bool)
}

// Config makes a server.
type Config struct {
	// Name and Author are what `uci` answers.
	Name, Author string
	Engine       Engine
	// Budget turns the clock of the side to move into Soft, Hard and Scale. Required.
	Budget func(engine.ClockState) engine.Limits
	// MoveTime is how much of a `go movetime` may be used by the search; nil uses all.
	MoveTime func(time.Duration) time.Duration
	// SetOverhead is told the value of the option Move Overhead, Overhead is the value
	// that holds before. Without SetOverhead the option is not offered.
	SetOverhead func(time.Duration)
	Overhead    time.Duration
	// Switches are further options, all on at first.
	Switches []Switch
	// HashMB is the table size that the engine was made with, MaxHashMB the largest that
	// is accepted; 0 stands for 64 and 65536.
	HashMB, MaxHashMB int
	// Bench runs the benchmark that `bench` asks for, writing for people; nil if there is
	// none.
	Bench func(ctx context.Context, out io.Writer, args []string) error
	// Now is the clock of the engine; nil is engine.Now.
	Now func() time.Duration
}

// Switch is an option that is on or off.
type Switch struct {
	Name string
	Set  func(on bool)
}

// Server answers one UCI conversation. One Run at a time.
//
// Commands may come in any order and at any time. `isready`, `uci`, `d` and `help` are
// answered at once, also while a search runs. A command that needs a quiet engine
// (position, go, setoption, ucinewgame, eval, bench, perft) counts as a `stop` first: the
// running search writes its bestmove, then the command is carried out. So nothing ever
// waits for a search that was not told to end, and each go has exactly one bestmove.
type Server struct {
	cfg      Config
	out      *lineWriter
	options  []option
	game     position.Game
	chess960 bool
	showWDL  bool // of the scores
	multiPV  int
	hashMB   int
	// base is the largest own clock seen since ucinewgame.
	base time.Duration
	// job is the running search, perft or bench; nil before the first.
	job *job
}

// NewServer prepares a server; it starts nothing.
func NewServer(cfg Config) *Server {
	if cfg.Now == nil {
		cfg.Now = engine.Now
	}
	if cfg.MoveTime == nil {
		cfg.MoveTime = func(d time.Duration) time.Duration { return d }
	}
	if cfg.HashMB == 0 {
		cfg.HashMB = 64
	}
	if cfg.MaxHashMB == 0 {
		cfg.MaxHashMB = 65536
	}
	s := &Server{cfg: cfg, multiPV: 1, hashMB: cfg.HashMB, game: position.NewGame(position.Start())}
	s.options = s.makeOptions()
	return s
}

// input is one line and the instant at which it was read.
type input struct {
	text    string
	tooLong bool
	at      time.Duration
	err     error
}

// Run holds the conversation until quit, the end of in, a fault of out, or the end of
// ctx. quit and the end of in are no errors. A running search is ended and has written
// its bestmove when Run returns. If ctx ends first, a Read of in that is under way cannot
// be interrupted: the reading goroutine then ends with the next line.
func (s *Server) Run(ctx context.Context, in io.Reader, out io.Writer) error {
	if s.cfg.Engine == nil || s.cfg.Budget == nil {
		return errors.New("uci server: Engine and Budget are required")
	}
	s.out = newLineWriter(out)
	ctx, cancel := context.WithCancel(ctx)
	var reading sync.WaitGroup
	inputs, handled := make(chan input), make(chan struct{})
	reading.Go(func() { s.read(ctx, in, inputs, handled) })
	waitForReader := func() { cancel(); reading.Wait() }
	defer cancel()
	defer s.stopJob()

	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-s.out.broken:
			return s.out.fault()
		case line := <-inputs:
			if line.err != nil {
				defer waitForReader()
				if errors.Is(line.err, io.EOF) {
					return nil
				}
				return line.err
			}
			if quit := s.handle(ctx, line); quit {
				defer waitForReader()
				return nil
			}
		}
		// Only now is the next line read: after quit nobody sits in a Read.
		select {
		case handled <- struct{}{}:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// read passes on line by line, each after the one before was handled.
func (s *Server) read(ctx context.Context, in io.Reader, inputs chan<- input, handled <-chan struct{}) {
	lines := newLineReader(in)
	for {
		text, tooLong, err := lines.next()
		select {
		case inputs <- input{text: text, tooLong: tooLong, at: s.cfg.Now(), err: err}:
		case <-ctx.Done():
			return
		}
		if err != nil {
			return
		}
		select {
		case <-handled:
		case <-ctx.Done():
			return
		}
	}
}

// handle carries out one line and tells whether it was quit.
func (s *Server) handle(ctx context.Context, line input) (quit bool) {
	if line.tooLong {
		s.infoString("a line of more than 1 MiB is ignored")
		return false
	}
	words := strings.Fields(line.text)
	if len(words) == 0 {
		return false
	}
	args := words[1:]
	switch strings.ToLower(words[0]) {
	case "quit", "exit":
		return true
	case "uci":
		s.identify()
	case "isready":
		s.out.lines("readyok")
	case "ucinewgame":
		s.stopJob()
		s.cfg.Engine.NewGame()
		s.base = 0
	case "setoption":
		s.stopJob()
		s.setOption(args)
	case "position":
		s.stopJob()
		s.setPosition(args)
	case "go":
		s.stopJob()
		s.goCommand(ctx, args, line.at)
	case "stop":
		s.stopJob()
	case "ponderhit":
		s.ponderHit(line.at)
	case "debug", "register":
		// Nothing to do: there is no debug mode and nothing to register.
	case "d", "board":
		s.out.lines(describe(s.game.Position())...)
	case "eval":
		s.stopJob()
		s.explain()
	case "perft":
		s.stopJob()
		s.perftCommand(ctx, args)
	case "bench":
		s.stopJob()
		s.benchCommand(ctx, args)
	case "help":
		s.out.lines(helpText...)
	default:
		s.infoString("unknown command: " + line.text)
	}
	return false
}

func (s *Server) identify() {
	lines := []string{"id name " + s.cfg.Name, "id author " + s.cfg.Author}
	for _, o := range s.options {
		lines = append(lines, "option name "+o.name+" type "+o.kind)
	}
	s.out.lines(append(lines, "uciok")...)
}

// infoString says something to whoever reads along.
func (s *Server) infoString(text string) { s.out.lines("info string " + printable(text)) }
