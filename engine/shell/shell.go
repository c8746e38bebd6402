// Package shell is the engine for people: a conversation in lines, with positions, moves
// and searches that are shown while they think. It reads lines from a terminal, which it
// gives history and completion, or from anything else, and refuses to end for a mistake:
// what is wrong is told, with what would be right, and the next line is read.
package shell

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"zeitnot/engine"
	"zeitnot/engine/position"
)

// Engine is what the shell drives.
type Engine interface {
	engine.Searcher
	engine.Tunable
	// Explain is text of some lines on how a position is valued.
	Explain(p *position.Position) string
}

// Config is what a shell is made with.
type Config struct {
	Engine Engine
	// HashMB and Threads are what the engine was made with, MaxHashMB and MaxThreads the
	// most that may be set.
	HashMB, MaxHashMB   int
	Threads, MaxThreads int
	// Out gets what was asked for, Err what went wrong.
	Out, Err io.Writer
	// Interactive tells that a person sits there, who can stop a search that has no limit.
	Interactive bool
	// Color allows colours and bold type, by the codes of ANSI terminals.
	Color bool
	// Width is the number of columns that lines of thought are cut to; nil cuts none.
	Width func() int
	// Interrupt makes a context that also ends when the person asks to stop; nil is none.
	Interrupt func(context.Context) (context.Context, context.CancelFunc)
	// Now is the clock that searches are shown by; nil is engine.Now.
	Now func() time.Duration
}

// Shell is one conversation.
type Shell struct {
	cfg    Config
	game   position.Game
	limits limits
	think  bool
	// hash in MiB and threads are what the engine has now.
	hash, threads int
	quit          bool
}

// New makes a shell with the initial position.
func New(cfg Config) *Shell {
	if cfg.Now == nil {
		cfg.Now = engine.Now
	}
	if cfg.Width == nil {
		cfg.Width = func() int { return 0 }
	}
	if cfg.Interrupt == nil {
		cfg.Interrupt = context.WithCancel
	}
	return &Shell{
		cfg: cfg, game: position.NewGame(position.Start()), think: true,
		limits: limits{movetime: defaultMoveTime},
		hash:   cfg.HashMB, threads: cfg.Threads,
	}
}

// Lines are where commands come from.
type Lines interface {
	// Next is the next line. Besides io.EOF at the end there are two errors after which
	// another line may come: ErrInterrupt and ErrTooLong.
	Next() (string, error)
}

var (
	// ErrInterrupt is a Ctrl-C instead of a line.
	ErrInterrupt = errors.New("interrupted")
	// ErrTooLong is a line that was passed over.
	ErrTooLong = fmt.Errorf("a line of more than %d bytes is ignored", maxLine)
)

// Run carries out line by line until quit or the end, which are no errors, or the end of
// ctx. A Next that is under way when ctx ends cannot be interrupted: it goes on alone and
// its line is lost.
func (s *Shell) Run(ctx context.Context, lines Lines) error {
	for interrupts := 0; !s.quit; {
		line, err := next(ctx, lines)
		switch {
		case errors.Is(err, ErrInterrupt):
			if interrupts++; interrupts > 1 {
				return nil
			}
			fmt.Fprintln(s.cfg.Err, "Ctrl-C again or Ctrl-D leaves")
			continue
		case errors.Is(err, ErrTooLong):
			s.complain(err)
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		default:
			if err := s.Do(ctx, line); err != nil {
				s.complain(err)
			}
		}
		interrupts = 0
	}
	return nil
}

// next waits for a line, or for the end of ctx.
func next(ctx context.Context, lines Lines) (line string, err error) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		line, err = lines.Next()
	}()
	select {
	case <-done:
		return line, err
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

// Do carries out one line. What follows a # is a comment.
func (s *Shell) Do(ctx context.Context, line string) error {
	line, _, _ = strings.Cut(line, "#")
	words := strings.Fields(line)
	if len(words) == 0 {
		return nil
	}
	if c := find(words[0]); c != nil {
		if err := c.count(words[1:]); err != nil {
			return err
		}
		return c.run(s, ctx, words[1:])
	}
	// Moves may stand alone.
	if _, err := parseMove(s.game.Position(), words[0]); err == nil {
		return s.move(ctx, words)
	}
	return fmt.Errorf("%q is neither a command nor a legal move; commands: %s", clip(words[0]), strings.Join(names(), ", "))
}

func (s *Shell) printf(format string, args ...any) { fmt.Fprintf(s.cfg.Out, format, args...) }

func (s *Shell) complain(err error) {
	text := err.Error()
	if s.cfg.Color {
		text = red + text + plain
	}
	fmt.Fprintln(s.cfg.Err, text)
}

// clip keeps what is repeated in an error short and harmless.
func clip(word string) string {
	const most = 40
	if r := []rune(word); len(r) > most {
		return string(r[:most]) + "…"
	}
	return word
}

// The codes of ANSI terminals that are used.
const (
	plain = "\x1b[0m"
	bold  = "\x1b[1m"
	red   = "\x1b[31m"
	cyan  = "\x1b[36m"
	mark  = "\x1b[7m" // colours exchanged
)

// colored is text within a code, if colours are wanted.
func (s *Shell) colored(code, text string) string {
	if !s.cfg.Color {
		return text
	}
	return code + text + plain
}
