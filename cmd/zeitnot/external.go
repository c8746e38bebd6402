package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"
	"golang.org/x/sync/errgroup"

	"zeitnot/config"
	"zeitnot/engine"
	"zeitnot/engine/external"
	"zeitnot/engine/search"
	"zeitnot/engine/uci"
)

// standInHashMB is the table of the embedded engine when it only stands in for another one.
const standInHashMB = 16

// players are the searchers of all search slots, with what they know.
type players struct {
	searchers  []engine.Searcher
	lastResort engine.Searcher
	// engine is what the external engine calls itself; "" is the embedded one.
	engine  string
	starts  []*engineStart       // one for each slot
	started []*external.Searcher // nil where one did not start
}

// seats are what players are wanted for.
type seats struct {
	games, cores int
	ponder       bool
}

// newPlayers makes the search slots as the settings want them, and says what they are. The error
// of an external engine that cannot be used comes before any game.
func newPlayers(ctx context.Context, settings *config.Config, k *knowledge, seats seats, log zerolog.Logger) (*players, error) {
	p := &players{lastResort: lastResortFor(settings, k)}
	if settings.Engine == "" {
		var err error
		p.searchers, err = searchersFor(settings, seats.games, seats.cores, k)
		return p, err
	}
	slots := searchSlots(seats.games, seats.cores, settings.Threads)
	launch := engineLaunch(settings, slots, seats.ponder)
	embeddedHash := standInHashMB
	if !engineRule(settings).All() {
		embeddedHash = max(1, settings.HashMB/slots)
	}
	p.started = make([]*external.Searcher, slots)
	for range slots {
		p.starts = append(p.starts, newEngineStart(launch, settings.EngineUnknownOption == "error"))
	}
	var group errgroup.Group
	for i, start := range p.starts {
		group.Go(func() error {
			s, err := external.New(ctx, external.Options{
				Start:    start.engine,
				Embedded: search.New(search.Options{HashMB: embeddedHash, Threads: settings.Threads, Tables: k.within()}),
				Report: func(what string, err error) {
					e := log.Info()
					if err != nil {
						e = log.Warn().Err(err)
					}
					e.Str("engine", start.name).Msg(what)
				},
			})
			if err != nil {
				return err
			}
			p.started[i] = s
			if i == 0 {
				p.engine = start.name
				start.log(log)
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		p.close(false)
		return nil, fmt.Errorf("%s_ENGINE: %w", config.Prefix, err)
	}
	for _, s := range p.started {
		p.searchers = append(p.searchers, k.before(s))
	}
	return p, nil
}

// close ends the external engines, by force if it has to be at once.
func (p *players) close(atOnce bool) {
	var ends sync.WaitGroup
	for _, s := range p.started {
		if s != nil {
			ends.Go(func() { s.Close() }) // it is only waited for
		}
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		ends.Wait()
	}()
	if atOnce {
		p.kill(ended)
	}
	<-ended
}

// kill ends the processes of the external engines, those that were just restarted included,
// until done is closed.
func (p *players) kill(done <-chan struct{}) {
	const again = 20 * time.Millisecond
	for {
		for _, s := range p.starts {
			if e := s.latest.Load(); e != nil {
				e.Kill()
			}
		}
		select {
		case <-done:
			return
		case <-time.After(again):
		}
	}
}

// engineLaunch says how the external engine of each of so many search slots is started.
func engineLaunch(settings *config.Config, slots int, ponder bool) external.Launch {
	l := external.Launch{
		Command:  uci.Command{Path: settings.Engine, Args: settings.EngineArgs, Dir: settings.EngineDir},
		Patience: uci.Patience{Handshake: settings.EngineStartTimeout},
		Automatic: []external.Setting{
			{Name: "Hash", Value: strconv.Itoa(max(1, settings.HashMB/slots))},
			{Name: "Threads", Value: strconv.Itoa(settings.Threads)},
			{Name: "Ponder", Value: strconv.FormatBool(ponder)},
			// What the network takes is not in the time that the engine is given.
			{Name: "Move Overhead", Value: "0"},
		},
	}
	if settings.SyzygyPath != "" {
		l.Automatic = append(l.Automatic, external.Setting{Name: "SyzygyPath", Value: settings.SyzygyPath})
	}
	for _, option := range settings.EngineOptions {
		name, value, _ := strings.Cut(option, "=")
		l.Settings = append(l.Settings, external.Setting{Name: name, Value: value})
	}
	return l
}

// engineStart starts one external engine, again and again, and remembers how it went.
type engineStart struct {
	launch external.Launch
	strict bool // an option that is refused is an error

	latest atomic.Pointer[uci.Process] // the last that was started

	name       string // what it calls itself; set by the first start, as all below
	author     string
	refused    []error
	frcCapable bool // it plays Chess960
}

func newEngineStart(l external.Launch, strict bool) *engineStart {
	return &engineStart{launch: l, strict: strict}
}

// engine is what external.Options call Start.
func (s *engineStart) engine(ctx context.Context) (external.Engine, error) {
	p, refused, err := s.launch.Start(ctx)
	if err != nil {
		return nil, err
	}
	s.latest.Store(p)
	if s.strict && len(refused) > 0 {
		return nil, errors.Join(append(refused, p.Close())...)
	}
	if s.name == "" {
		_, s.frcCapable = p.Option("UCI_Chess960")
		s.name = cmp.Or(p.Name, filepath.Base(s.launch.Command.Path))
		s.author, s.refused = p.Author, refused
	}
	return p, nil
}

// log says what has been started.
func (s *engineStart) log(log zerolog.Logger) {
	for _, err := range s.refused {
		log.Warn().Err(err).Msg("option left out, the engine plays without")
	}
	log.Info().Str("engine", s.name).Str("author", s.author).Str("path", s.launch.Command.Path).Bool("chess960", s.frcCapable).Msg("external engine")
}

// engine checks that the external engine starts and plays.
func (r *checkReport) engine(ctx context.Context, settings *config.Config) {
	if settings.Engine == "" {
		r.ok("engine", "the one inside the program")
		return
	}
	start := newEngineStart(engineLaunch(settings, 1, false), settings.EngineUnknownOption == "error")
	e, err := start.engine(ctx)
	if err != nil {
		r.fail(exitConfig, "engine", err.Error())
		return
	}
	defer e.Close()
	for _, err := range start.refused {
		r.warn("engine option", err.Error())
	}
	r.ok("engine", start.name+" starts and plays")
	accepted := slices.Concat(settings.AcceptHuman.Variants, settings.AcceptBot.Variants)
	if !start.frcCapable && slices.Contains(accepted, "chess960") {
		r.warn("engine", start.name+" does not play Chess960: the engine inside the program does")
	}
}
