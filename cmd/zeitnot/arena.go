package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"zeitnot/clock/clocksim"
	"zeitnot/engine/arena"
)

const (
	// arenaOverhead is what a move costs outside the search when all players sit in one
	// program or on one machine.
	arenaOverhead = 10 * time.Millisecond
	// arenaQuit is how long a program may take to end by itself. Nothing of it is needed any
	// more, so it is not long.
	arenaQuit = 500 * time.Millisecond
)

// arenaFlags are the flags of zeitnot arena.
type arenaFlags struct {
	engines               []string
	gauntlet              bool
	openings, pgn, resume string
	games, concurrency    int
	seed                  uint64
	sprt                  string
	resign, draw          bool
	maxPlies              int
	nodesAsTime           int
	latency               string
}

func (a *app) arenaCommand() *cobra.Command {
	var f arenaFlags
	c := &cobra.Command{
		Use:   "arena --engine SPEC --engine SPEC ...",
		Short: "Play a match between engines",
		Long: `Play a match between engines and tell which is stronger: two, or more of which everyone
meets everyone or, with --gauntlet, the first meets each of the others.

An engine is given in words, key=value, with quotes around blanks:

  cmd=PROGRAM or an embedded one: ` + embeddedNames() + `
  name=NAME         in the results
  arg=TEXT, dir=DIR for a program
  tc=3+0.05         seconds for the game and seconds a move
  movetime=0.1      seconds for each move
  nodes=N, depth=N  limits of each search; the nodes of mcts are rollouts
  margin=0.01       seconds below zero without loss
  option.NAME=VALUE options of a program; option.Hash (MiB), option.Policy and
                    option.Overhead (such as 10ms) of search and mcts, option.Threads
                    and option.Elo of search, which plays that much weaker; with the
                    policy adaptive "option.TM Score=false", and so TM Nodes,
                    TM Forced and TM Fail Lows

Each opening is played twice with colours swapped, by all pairings; without --openings all
pairs begin alike, and engines that do not vary repeat the same two games. With nodes or
depth alone for embedded engines the match is the same whenever it is played with the same
seed, unless a search has several threads. With times its numbers hold for this machine
only, and only if nothing else keeps it busy.

--nodes-as-time N lets the clocks of embedded engines run by their nodes, N a millisecond:
times are the same on every machine then, and so is the match. --latency adds to each move
what a network takes; the policies are then those of 'zeitnot clock sim', with all of its
names for option.Policy, and measure the latency by themselves unless option.Overhead says
what it is. A clock below zero loses as ever.

--resume FILE notes each game as it ends. The same command goes on after the last one, also
after a crash; without times it ends with the result that it would have had anyway. More
--games may be asked for than before, everything else has to be the same.

Error bars are 95 % intervals over pairs of games. The Elo of more than two players is against
the field of their opponents. Standard output has the result at the end, or at the first
interrupt; a second one does not wait for the engines to end. Standard error has a table that
follows the games on a terminal, else a line for each.`,
		Example: `  zeitnot arena --engine "cmd=search name=zeitnot tc=3+0.05 option.Hash=64" \
    --engine "cmd=/usr/games/stockfish name=sf nodes=2500" --openings 8moves_v3.pgn.zip --games 100
  zeitnot arena --engine "cmd=search name=adaptive tc=60" \
    --engine "cmd=search name=softhard tc=60 option.Policy=softhard" \
    --nodes-as-time 10 --latency L3 --openings 8moves_v3.pgn.zip --games 4000 --resume policies.jsonl`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			m, facts, err := f.match()
			if err != nil {
				return usage(err)
			}
			return a.playMatch(c.Context(), m, f, facts)
		},
	}
	flags := c.Flags()
	flags.StringArrayVar(&f.engines, "engine", nil, "one of the engines, as `SPEC`; two or more")
	flags.BoolVar(&f.gauntlet, "gauntlet", false, "the first engine meets each of the others, who do not meet")
	flags.StringVar(&f.openings, "openings", "", "`FILE` of openings, .epd or .pgn, also zipped (default the initial position)")
	flags.IntVar(&f.games, "games", 100, "games of each pairing")
	flags.IntVar(&f.concurrency, "concurrency", 1, "games at a time")
	flags.StringVar(&f.pgn, "pgn", "", "`FILE` that the games are appended to")
	flags.StringVar(&f.resume, "resume", "", "`FILE` of finished games: they are not played again, and new ones are added")
	flags.Uint64Var(&f.seed, "seed", 1, "choice of the openings, and lots of engines that draw them")
	flags.StringVar(&f.sprt, "sprt", "", "`ELO0,ELO1`: end as soon as the first of two engines is known to be that much stronger or not")
	flags.BoolVar(&f.resign, "resign", true, "end games that both see decided: 10 pawns for 4 moves")
	flags.BoolVar(&f.draw, "draw", true, "end games that both see level: 0.1 pawns for 8 moves, from move 40")
	flags.IntVar(&f.maxPlies, "max-plies", 600, "draw what is longer")
	flags.IntVar(&f.nodesAsTime, "nodes-as-time", 0, "so many `NODES` are a millisecond on the clocks (default real time)")
	flags.StringVar(&f.latency, "latency", "", "what a move costs besides with --nodes-as-time: a `MODEL` of 'zeitnot clock sim', such as L3, or a time, such as 60ms")
	return c
}

// match builds the match and what makes it that match; every error is one of usage.
func (f *arenaFlags) match() (m arena.Match, facts []arena.Fact, err error) {
	m = arena.Match{Games: f.games, Concurrency: f.concurrency, Seed: f.seed, Gauntlet: f.gauntlet, Event: "arena"}
	if len(f.engines) < 2 {
		return m, nil, fmt.Errorf("%d engines: want two --engine or more", len(f.engines))
	}
	if f.games < 1 || f.concurrency < 1 || f.maxPlies < 1 {
		return m, nil, errors.New("want at least one game, one at a time, and one ply")
	}
	virtual, err := f.virtual()
	if err != nil {
		return m, nil, err
	}
	for _, text := range f.engines {
		spec, err := arena.ParsePlayer(text)
		if err != nil {
			return m, nil, err
		}
		spec.Name = freeName(spec.Name, m.Players)
		p, err := arenaPlayer(spec, virtual)
		if err != nil {
			return m, nil, fmt.Errorf("player %q: %w", text, err)
		}
		m.Players = append(m.Players, p)
	}
	if virtual.nodesPerMS > 0 {
		m.Virtual = &arena.VirtualTime{NodesPerMS: virtual.nodesPerMS}
		if virtual.latency != nil {
			m.Virtual.Latency = virtual.latency.Moves
		}
	}
	if f.sprt != "" {
		low, high, _ := strings.Cut(f.sprt, ",")
		elo0, err0 := strconv.ParseFloat(low, 64)
		elo1, err1 := strconv.ParseFloat(high, 64)
		if err0 != nil || err1 != nil || !(elo0 < elo1) || elo0 < -1000 || elo1 > 1000 {
			return m, nil, fmt.Errorf("--sprt %q: want two Elo differences, the lower first, like 0,5", f.sprt)
		}
		m.SPRT = &arena.SPRT{Elo0: elo0, Elo1: elo1}
	}
	m.Adjudicate.MaxPlies = f.maxPlies
	if f.resign {
		m.Adjudicate.ResignScore, m.Adjudicate.ResignMoves = 1000, 4
	}
	if f.draw {
		m.Adjudicate.DrawScore, m.Adjudicate.DrawMoves, m.Adjudicate.DrawFrom = 10, 8, 40
	}
	book := arena.StandardStart()
	if f.openings != "" {
		if book, err = arena.OpenBook(f.openings); err != nil {
			return m, nil, err
		}
	}
	if m.Openings, err = book.Pick((f.games+1)/2, f.seed); err != nil {
		return m, nil, err
	}
	return m, f.facts(book), m.Check()
}

// virtual is the time that the flags ask for.
func (f *arenaFlags) virtual() (virtualTime, error) {
	v := virtualTime{nodesPerMS: f.nodesAsTime, seed: f.seed}
	switch {
	case f.nodesAsTime < 0 || f.nodesAsTime > 1_000_000:
		return v, fmt.Errorf("--nodes-as-time %d: want nodes a millisecond from 1 to 1000000, or 0 for real time", f.nodesAsTime)
	case f.latency == "":
		return v, nil
	case f.nodesAsTime == 0:
		return v, errors.New("--latency goes with --nodes-as-time: real clocks have their own")
	}
	if d, err := time.ParseDuration(f.latency); err == nil {
		if d < 0 {
			return v, fmt.Errorf("--latency %s: a move cannot cost less than nothing", f.latency)
		}
		v.latency = &clocksim.Latency{Name: f.latency, Median: d}
		return v, nil
	}
	l, err := clocksim.LatencyByName(f.latency)
	if err != nil {
		return v, fmt.Errorf("%w, or a time such as 60ms", err)
	}
	v.latency = &l
	return v, nil
}

// freeName is the name, with a number if a player has it already.
func freeName(name string, players []arena.Player) string {
	free := name
	for n := 2; slices.ContainsFunc(players, func(p arena.Player) bool { return p.Name == free }); n++ {
		free = fmt.Sprintf("%s %d", name, n)
	}
	return free
}

// facts are what must be the same for a match to be resumed.
func (f *arenaFlags) facts(book *arena.Book) []arena.Fact {
	facts := []arena.Fact{{Name: "zeitnot", Value: versionText()}}
	for i, text := range f.engines {
		facts = append(facts, arena.Fact{Name: fmt.Sprintf("engine %d", i+1), Value: text})
	}
	return append(facts,
		arena.Fact{Name: "gauntlet", Value: fmt.Sprint(f.gauntlet)},
		arena.Fact{Name: "openings", Value: book.Digest()},
		arena.Fact{Name: "seed", Value: fmt.Sprint(f.seed)},
		arena.Fact{Name: "sprt", Value: f.sprt},
		arena.Fact{Name: "resign", Value: fmt.Sprint(f.resign)},
		arena.Fact{Name: "draw", Value: fmt.Sprint(f.draw)},
		arena.Fact{Name: "max-plies", Value: fmt.Sprint(f.maxPlies)},
		arena.Fact{Name: "nodes-as-time", Value: fmt.Sprint(f.nodesAsTime)},
		arena.Fact{Name: "latency", Value: f.latency},
		arena.Fact{Name: "pgn", Value: f.pgn},
	)
}

// keep opens the files that games are kept in: the PGN, and the state with what it holds
// already. done closes them.
func (f *arenaFlags) keep(m *arena.Match, facts []arena.Fact) (done func() error, err error) {
	var files []io.Closer
	done = func() error {
		var faults []error
		for _, file := range files {
			faults = append(faults, file.Close())
		}
		return errors.Join(faults...)
	}
	var games *os.File
	var length int64
	if f.pgn != "" {
		if games, err = os.OpenFile(f.pgn, os.O_APPEND|os.O_CREATE|os.O_RDWR, 0o666); err != nil {
			return done, err
		}
		files = append(files, games)
		m.PGN = games
		if length, err = games.Seek(0, io.SeekEnd); err != nil && f.resume != "" {
			return done, fmt.Errorf("--pgn %s cannot be resumed: %w", f.pgn, err)
		}
	}
	if f.resume == "" {
		return done, nil
	}
	file, err := os.OpenFile(f.resume, os.O_CREATE|os.O_RDWR, 0o666)
	if err != nil {
		return done, err
	}
	if err := lockFile(file); err != nil {
		return done, errors.Join(fmt.Errorf("resume %s: %w", f.resume, err), file.Close())
	}
	if sameFile(games, file) {
		return done, errors.Join(fmt.Errorf("--pgn and --resume are the same file, %s: want two", f.resume), file.Close())
	}
	state, err := arena.OpenState(file, facts, length)
	if err != nil {
		return done, err
	}
	files = append(files, state)
	m.Played, m.OnFinished = state.Played, state.Add
	if games != nil {
		if length < state.PGNStart {
			return done, fmt.Errorf("--pgn %s is shorter than it was when the match began", f.pgn)
		}
		written, err := io.ReadAll(io.NewSectionReader(games, state.PGNStart, length-state.PGNStart))
		if err != nil {
			return done, err
		}
		m.PGN = arena.Continue(games, written)
	}
	return done, nil
}

// sameFile tells whether both are open and one file, perhaps by two names.
func sameFile(a, b *os.File) bool {
	infoA, errA := a.Stat()
	infoB, errB := b.Stat()
	return errA == nil && errB == nil && os.SameFile(infoA, infoB)
}

// playMatch plays the match and prints its result, also when it was interrupted: then at
// once, and not only when all engines have ended.
func (a *app) playMatch(ctx context.Context, m arena.Match, f arenaFlags, facts []arena.Fact) (err error) {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	if m.Timed() {
		m.Date = time.Now()
	}
	done, err := f.keep(&m, facts)
	defer func() { err = errors.Join(err, done()) }()
	if err != nil {
		return usage(err)
	}
	show := newArenaShow(&m, a.err, errIsTerminal())
	m.OnGame = show.game
	ended := make(chan error, 1)
	go func() { // its end is awaited below
		_, err := arena.Run(ctx, m)
		ended <- err
	}()
	select {
	case err = <-ended:
		a.printResult(show)
	case <-ctx.Done():
		stop() // from here on an interrupt ends the program
		a.printResult(show)
		err = <-ended
	}
	if errors.Is(err, context.Canceled) {
		result := show.sofar()
		err = fmt.Errorf("interrupted after %d of %d games", result.Games(), m.Total())
	}
	return err
}

// printResult prints what was counted, if there is anything.
func (a *app) printResult(show *arenaShow) {
	show.clear()
	if result := show.sofar(); result.Games() > 0 {
		io.WriteString(a.out, result.String())
	}
}
