package uci_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"zeitnot/engine"
	"zeitnot/engine/position"
	"zeitnot/engine/uci"
)

// stub is an engine that plays the first or the set move after the set time.
type stub struct {
	takes   time.Duration // how long a search works; cut by Hard and by the end of ctx
	best    position.Move // the answer; NoMove is the first of the allowed moves
	infos   []engine.Info // reported at the end
	panics  bool
	fails   error
	eager   bool // answers at once even under infinite and ponder
	mu      sync.Mutex
	asked   []engine.Limits
	games   []string // FEN of each position searched
	hits    []engine.Limits
	hash    []int
	newGame int
}

func (s *stub) Search(ctx context.Context, g position.Game, l engine.Limits, onInfo func(engine.Info)) (engine.Result, error) {
	s.mu.Lock()
	s.asked = append(s.asked, l)
	s.games = append(s.games, g.Position().FEN())
	s.mu.Unlock()
	if s.panics {
		panic("a broken invariant: 3 != 4")
	}
	if s.fails != nil {
		return engine.Result{}, s.fails
	}
	if (l.Infinite || l.Ponder) && !s.eager {
		<-ctx.Done()
	} else if s.takes > 0 {
		takes := s.takes
		if l.Hard != nil {
			takes = min(takes, *l.Hard)
		}
		select {
		case <-time.After(takes):
		case <-ctx.Done():
		}
	}
	for _, i := range s.infos {
		onInfo(i)
	}
	if s.best != position.NoMove {
		return engine.Result{Best: s.best}, nil
	}
	r := engine.Result{Best: firstMove(g.Position())}
	if len(l.SearchMoves) > 0 {
		r.Best = l.SearchMoves[0]
	}
	if r.Best != position.NoMove {
		var next position.Position
		g.Position().Make(r.Best, &next)
		r.Ponder = firstMove(&next)
	}
	return r, nil
}

// firstMove is the legal move that comes first in the alphabet.
func firstMove(p *position.Position) position.Move {
	var list position.MoveList
	p.Legal(&list)
	first := position.NoMove
	for _, m := range list.Slice() {
		if first == position.NoMove || p.UCI(m, true) < p.UCI(first, true) {
			first = m
		}
	}
	return first
}

type stubPonder struct {
	s      *stub
	cancel context.CancelFunc
	done   chan struct{}
	r      engine.Result
	err    error
}

func (s *stub) Ponder(ctx context.Context, g position.Game, l engine.Limits, onInfo func(engine.Info)) engine.Pondering {
	ctx, cancel := context.WithCancel(ctx)
	p := &stubPonder{s: s, cancel: cancel, done: make(chan struct{})}
	go func() {
		defer close(p.done)
		p.r, p.err = s.Search(ctx, g, l, onInfo)
	}()
	return p
}

func (p *stubPonder) Hit(l engine.Limits) {
	p.s.mu.Lock()
	p.s.hits = append(p.s.hits, l)
	p.s.mu.Unlock()
	p.cancel()
}
func (p *stubPonder) Stop()                          { p.cancel() }
func (p *stubPonder) Result() (engine.Result, error) { <-p.done; p.cancel(); return p.r, p.err }

func (s *stub) SetHash(mb int) error {
	if mb == 13 {
		return fmt.Errorf("hash %d: unlucky", mb)
	}
	s.hash = append(s.hash, mb)
	return nil
}
func (s *stub) SetThreads(int) error { return nil }
func (s *stub) NewGame()             { s.newGame++ }

// twentieth budgets a twentieth of the clock.
func twentieth(c engine.ClockState) engine.Limits {
	hard := max(0, c.Remaining/20)
	return engine.Limits{Soft: &hard, Hard: &hard}
}

func newServer(e uci.Engine) *uci.Server {
	return uci.NewServer(uci.Config{Name: "Zeitnot", Author: "the authors", Engine: e, Budget: twentieth})
}

// script runs a conversation of lines that are sent without waiting and gives the output lines.
func script(t testing.TB, s *uci.Server, lines ...string) []string {
	t.Helper()
	var out bytes.Buffer
	if err := s.Run(context.Background(), strings.NewReader(strings.Join(lines, "\n")+"\n"), &out); err != nil {
		t.Fatalf("run: %v", err)
	}
	if out.Len() > 0 && !strings.HasSuffix(out.String(), "\n") {
		t.Errorf("the last line is not whole: %q", out.String())
	}
	return strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
}

// only are the lines that begin with prefix.
func only(lines []string, prefix string) []string {
	var kept []string
	for _, l := range lines {
		if strings.HasPrefix(l, prefix) {
			kept = append(kept, l)
		}
	}
	return kept
}

// dialogue is a conversation in a synctest bubble, in which each step is looked at.
type dialogue struct {
	t   testing.TB
	in  *io.PipeWriter
	mu  sync.Mutex
	got []string
	end chan error
}

func converse(t testing.TB, s *uci.Server) *dialogue {
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	d := &dialogue{t: t, in: inW, end: make(chan error, 1)}
	go func() {
		err := s.Run(t.Context(), inR, outW)
		outW.Close()
		d.end <- err
	}()
	go func() {
		lines := bufio.NewScanner(outR)
		for lines.Scan() {
			d.mu.Lock()
			d.got = append(d.got, lines.Text())
			d.mu.Unlock()
		}
	}()
	return d
}

// say sends lines and gives what was answered until all is quiet.
func (d *dialogue) say(lines ...string) []string {
	for _, l := range lines {
		io.WriteString(d.in, l+"\n")
	}
	return d.heard()
}

// heard is what was said since, once all is quiet.
func (d *dialogue) heard() []string {
	synctest.Wait()
	d.mu.Lock()
	defer d.mu.Unlock()
	got := d.got
	d.got = nil
	return got
}

func (d *dialogue) quit() []string {
	d.t.Helper()
	io.WriteString(d.in, "quit\n")
	if err := <-d.end; err != nil {
		d.t.Errorf("run after quit: %v", err)
	}
	return d.heard()
}
