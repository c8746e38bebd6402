package main

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"zeitnot/clock"
	"zeitnot/clock/clocksim"
	"zeitnot/engine"
	"zeitnot/engine/arena"
	"zeitnot/engine/instant"
	"zeitnot/engine/level"
	"zeitnot/engine/mcts"
	"zeitnot/engine/search"
	"zeitnot/engine/uci"
)

// embedded is a searcher within this program that can play in an arena.
type embedded struct {
	// name is what cmd= calls it.
	name string
	// instant: it answers at once, needs no limits and plans no time.
	instant bool
	// countsNodes: its clock is moved by its nodes if the options want so many a millisecond.
	countsNodes bool
	// prepare reads the searcher's own options and gives what makes one for the seed of a
	// game. What is wrong with an option is collected by the options themselves.
	prepare func(o *options) func(seed uint64) engine.Searcher
}

// embeddedSearchers are all there are.
func embeddedSearchers() []embedded {
	return []embedded{
		{name: "search", countsNodes: true, prepare: func(o *options) func(uint64) engine.Searcher {
			so := search.Options{HashMB: o.hash(), Threads: o.threads(), NodesPerMS: o.nodesPerMS}
			limit := o.elo()
			if limit == nil {
				return func(uint64) engine.Searcher { return search.New(so) }
			}
			so.Threads = 1 // its nodes are few
			return func(seed uint64) engine.Searcher {
				s := level.New(level.Options{Full: search.New(so), Seed: seed})
				s.SetParams(limit)
				return ofOneGame{s}
			}
		}},
		{name: "mcts", prepare: func(o *options) func(uint64) engine.Searcher {
			mb := o.hash()
			return func(seed uint64) engine.Searcher {
				return ofOneGame{mcts.New(mcts.Options{HashMB: mb, Seed: seed})}
			}
		}},
		{name: "random", instant: true, prepare: func(*options) func(uint64) engine.Searcher {
			return func(seed uint64) engine.Searcher { return instant.Random{Seed: seed} }
		}},
		{name: "greedy", instant: true, prepare: func(*options) func(uint64) engine.Searcher {
			return func(seed uint64) engine.Searcher { return instant.Greedy{Seed: seed} }
		}},
		{name: "mater", instant: true, prepare: func(*options) func(uint64) engine.Searcher {
			return func(seed uint64) engine.Searcher { return instant.Mater{Seed: seed} }
		}},
		{name: "aggressive", instant: true, prepare: func(*options) func(uint64) engine.Searcher {
			return func(seed uint64) engine.Searcher { return instant.Aggressive{Seed: seed} }
		}},
	}
}

// ofOneGame hides that a searcher could be kept for the next game: a new one draws its lots
// by the seed of that game.
type ofOneGame struct{ engine.Searcher }

// virtualTime is time that is counted in nodes; the zero value is real time.
type virtualTime struct {
	// nodesPerMS nodes are a millisecond; 0: time is real.
	nodesPerMS int
	// latency is what a move costs besides; nil is nothing.
	latency *clocksim.Latency
	seed    uint64 // of what is known about the latency
}

// embeddedNames are what cmd= may call them.
func embeddedNames() string {
	var names []string
	for _, e := range embeddedSearchers() {
		names = append(names, e.name)
	}
	return strings.Join(names, ", ")
}

// arenaPlayer finds an embedded searcher of that name, else takes it for a program.
func arenaPlayer(spec arena.Spec, v virtualTime) (arena.Player, error) {
	all := embeddedSearchers()
	i := slices.IndexFunc(all, func(e embedded) bool { return e.name == spec.Cmd })
	if i >= 0 {
		return all[i].player(spec, v)
	}
	if v.nodesPerMS > 0 {
		return arena.Player{}, fmt.Errorf("%s is a program: nodes as time is for embedded searchers", spec.Cmd)
	}
	return spec.External(uci.Patience{Quit: arenaQuit}), nil
}

// player is the searcher with the options and limits of the spec.
func (e embedded) player(spec arena.Spec, v virtualTime) (arena.Player, error) {
	p := arena.Player{Name: spec.Name, Limits: spec.Limits}
	if len(spec.Args) > 0 || spec.Dir != "" {
		return p, fmt.Errorf("%s is embedded: arg and dir are for programs", e.name)
	}
	if v.nodesPerMS > 0 && !e.countsNodes && !e.instant {
		return p, fmt.Errorf("%s does not count nodes as time", e.name)
	}
	o := &options{of: e.name, given: spec.Options, virtualTime: v}
	searcher := e.prepare(o)
	plan := noPlan
	if e.instant {
		p.Limits.Nodes = max(1, p.Limits.Nodes) // any limit will do
	} else {
		plan = o.plan()
	}
	if err := o.check(); err != nil {
		return p, err
	}
	p.Make = arena.Embedded(func(seed uint64) (engine.Searcher, error) { return searcher(seed), nil }, plan)
	return p, nil
}

// noPlan is for searchers that take no time.
func noPlan() arena.Budget {
	return func(engine.ClockState, *arena.Spent) engine.Limits { return engine.Limits{} }
}

// options are those of an embedded searcher. Each method below that reads one makes its
// name known; check tells all that was wrong.
type options struct {
	of     string // the searcher
	given  []arena.Setting
	known  []string
	faults []error
	virtualTime
}

// find is the value given last for the name, in any case.
func (o *options) find(name string) (value string, ok bool) {
	o.known = append(o.known, name)
	for _, s := range o.given {
		if strings.EqualFold(s.Name, name) {
			value, ok = s.Value, true
		}
	}
	return value, ok
}

func (o *options) wrong(name, value, want string) {
	o.faults = append(o.faults, fmt.Errorf("option %s %q: want %s", name, value, want))
}

// integer is a number from low to high.
func (o *options) integer(name string, preset, low, high int, unit string) int {
	value, ok := o.find(name)
	if !ok {
		return preset
	}
	n, err := strconv.Atoi(value)
	if err != nil || n < low || n > high {
		o.wrong(name, value, fmt.Sprintf("%s from %d to %d", unit, low, high))
		return preset
	}
	return n
}

// duration is a time that is not negative, or the preset.
func (o *options) duration(name string, preset time.Duration) time.Duration {
	value, ok := o.find(name)
	if !ok {
		return preset
	}
	d, err := time.ParseDuration(value)
	if err != nil || d < 0 {
		o.wrong(name, value, "a time such as 10ms")
		return preset
	}
	return d
}

// text is any value.
func (o *options) text(name, preset string) string {
	if value, ok := o.find(name); ok {
		return value
	}
	return preset
}

// hash is the option Hash in MiB, no more than the machine has.
func (o *options) hash() int {
	mb := o.integer("Hash", uciHashMB, 1, 1<<20, "MiB")
	if err := hashFits(mb); err != nil {
		o.faults = append(o.faults, err)
	}
	return mb
}

// threads is the option Threads, of one search. A clock that nodes move allows only one.
func (o *options) threads() int {
	most := search.MaxThreads
	if o.nodesPerMS > 0 {
		most = 1
	}
	return o.integer("Threads", 1, 1, most, "a number")
}

// elo is the option Elo; nil is full strength.
func (o *options) elo() *level.Params {
	least, most := level.EloRange()
	elo := o.integer("Elo", 0, least, most, "Elo")
	if elo == 0 {
		return nil
	}
	p, err := level.ForElo(elo)
	if err != nil {
		o.faults = append(o.faults, err)
	}
	return &p
}

// feedback is what the options of the policy adaptive leave of its feedback.
func (o *options) feedback() clock.FeedbackElements {
	e := clock.AllFeedback()
	for _, element := range feedbackOptions(&e) {
		value, ok := o.find(element.name)
		if !ok {
			continue
		}
		switch strings.ToLower(value) {
		case "true", "false":
			*element.on = strings.EqualFold(value, "true")
		default:
			o.wrong(element.name, value, "true or false")
		}
	}
	return e
}

// plan is what the options Policy and Overhead make of the clock of a game. Where there is
// a latency and no word about the overhead, the policies are those of `zeitnot clock sim`,
// and what the moves cost is measured as in a game on the server.
func (o *options) plan() func() arena.Budget {
	name := o.text("Policy", clock.DefaultPolicy)
	overhead := o.duration("Overhead", -1)
	feedback := clock.AllFeedback()
	if name == "adaptive" {
		feedback = o.feedback()
	}
	if o.latency != nil && overhead < 0 {
		policy, err := clocksim.PolicyByName(name)
		if err != nil {
			o.faults = append(o.faults, fmt.Errorf("option Policy: %w", err))
			return nil
		}
		return measuring(clock.WithFeedback(policy, feedback), o.latency.Prior(o.seed))
	}
	if overhead < 0 {
		overhead = arenaOverhead
	}
	b, err := newBudgeter(name, overhead)
	if err != nil {
		o.faults = append(o.faults, fmt.Errorf("option Policy: %w", err))
		return nil
	}
	b.policy = clock.WithFeedback(b.policy, feedback)
	return func() arena.Budget {
		return func(s engine.ClockState, _ *arena.Spent) engine.Limits { return b.limits(s) }
	}
}

// measuring plans with the overhead of the moves so far; every game begins with what is
// known before.
func measuring(p clock.Policy, known clock.Prior) func() arena.Budget {
	return func() arena.Budget {
		e := clock.NewEstimator(known)
		return func(s engine.ClockState, last *arena.Spent) engine.Limits {
			if last != nil {
				// In an arena the first move is charged like any other, so that none counts as
				// number 0.
				e.Observe(clock.Sample{Charged: last.Charged, Own: last.Own, Remaining: s.Remaining, OwnMoves: s.MoveNumber})
			}
			return limitsOf(p, s, e.Overhead(s.Remaining))
		}
	}
}

// check tells all that is wrong with the options.
func (o *options) check() error {
	for _, s := range o.given {
		named := func(known string) bool { return strings.EqualFold(known, s.Name) }
		switch {
		case len(o.known) == 0:
			return fmt.Errorf("%s has no options", o.of)
		case !slices.ContainsFunc(o.known, named):
			o.faults = append(o.faults, fmt.Errorf("option %s: there are %s", s.Name, strings.Join(o.known, ", ")))
		}
	}
	return errors.Join(o.faults...)
}
