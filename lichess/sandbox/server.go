package sandbox

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"maps"
	"math/rand/v2"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"
)

// Server is the whole stand-in. New makes it, Handler serves it, Run brings it to life:
// opponents, presence checks, the clean-up of flags and scheduled faults need Run.
//
// Locks: a game's mutex may be held while the server's is taken, never the other way.
type Server struct {
	opts   Options
	faults *faultList
	log    requestLog
	routes []route
	databases

	mu          sync.Mutex // guards everything below
	rng         *rand.Rand
	accounts    map[string]*account // by id
	tokens      map[string]*token
	challenges  map[string]*challenge
	challengeIn []*challenge // in order of creation
	games       map[string]*game
	live        map[*game]bool // those that have not ended
	gameList    []*game        // in order of creation
	finished    int
	changed     chan struct{} // closed and replaced when a game starts or ends or a challenge changes
	tournaments []*tournament
	streams     map[*stream]bool
	wires       wires
	strangers   int // accounts made for Burst and Surplus
	downUntil   time.Time
	booted      time.Time // last restart, zero before the first

	active  int             // requests being handled
	idle    chan struct{}   // set by end, closed when active is 0
	running context.Context // of Run; nil before it and after it
	jobs    sync.WaitGroup  // everything that spawn started
	pending []func(context.Context)
}

// New makes a server with its accounts. In a synctest bubble call it inside the bubble.
func New(o Options) (*Server, error) {
	o = o.filled()
	s := &Server{
		opts: o, rng: rand.New(rand.NewPCG(o.Seed, 0x5a17)), accounts: map[string]*account{},
		tokens: map[string]*token{}, challenges: map[string]*challenge{}, games: map[string]*game{}, live: map[*game]bool{},
		changed: make(chan struct{}), streams: map[*stream]bool{},
	}
	s.log.size = o.LogSize
	s.routes = routes()
	s.faults = newFaultList(o.Seed)
	for _, spec := range o.Accounts {
		if err := s.addAccount(spec, nil); err != nil {
			return nil, fmt.Errorf("make sandbox: %w", err)
		}
	}
	for i := range o.Opponents {
		spec := o.Opponents[i]
		if spec.New == nil {
			return nil, fmt.Errorf("make sandbox: opponent %s has no player", spec.Name)
		}
		if err := s.addAccount(spec.account(), &spec); err != nil {
			return nil, fmt.Errorf("make sandbox: %w", err)
		}
	}
	for _, f := range o.Faults {
		if _, err := s.Inject(f); err != nil {
			return nil, fmt.Errorf("make sandbox: %w", err)
		}
	}
	return s, nil
}

func (s *Server) addAccount(spec AccountSpec, opponent *OpponentSpec) error {
	a, err := newAccount(spec, time.Now())
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.accounts[a.id] != nil {
		return fmt.Errorf("account %s exists twice", a.name)
	}
	if s.tokens[a.tokens[0].value] != nil {
		return fmt.Errorf("account %s: its token belongs to somebody else", a.name)
	}
	a.opponent = opponent
	s.accounts[a.id] = a
	s.tokens[a.tokens[0].value] = a.tokens[0]
	if opponent != nil {
		s.spawnLocked(func(context.Context) { s.runPlans(a) })
	}
	return nil
}

// Run lives until ctx ends and then returns ctx.Err(), with everything it started ended
// and every listener closed. It serves HTTP on the listeners given; there may be none.
func (s *Server) Run(ctx context.Context, listeners ...net.Listener) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if err := s.begin(ctx); err != nil {
		return err
	}
	server := &http.Server{
		Handler:           s.Handler(),
		IdleTimeout:       s.opts.IdleTimeout,
		ReadHeaderTimeout: min(30*time.Second, s.opts.IdleTimeout), // also of a connection that nothing has come on yet
		// Broken connections are our trade; net/http would print each.
		ErrorLog: log.New(io.Discard, "", 0),
	}
	errs := make(chan error, len(listeners)) // holds every listener's end, so no sender waits
	var serving sync.WaitGroup
	for _, l := range listeners {
		serving.Go(func() {
			if err := server.Serve(s.wire(ctx, l)); !errors.Is(err, http.ErrServerClosed) {
				errs <- fmt.Errorf("serve %s: %w", l.Addr(), err)
			}
		})
	}
	s.spawn(s.watch)
	var err error
	select {
	case <-ctx.Done():
		err = ctx.Err()
	case err = <-errs:
	}
	cancel()
	server.Close() // closes the listeners and every connection, hijacked ones are closed already
	serving.Wait()
	s.end()
	return err
}

func (s *Server) begin(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running != nil {
		return errors.New("run sandbox: it is running already")
	}
	s.running = ctx
	s.faults.begin()
	for _, job := range s.pending {
		s.jobs.Go(func() { job(ctx) })
	}
	s.pending = nil
	return nil
}

// whileRunning has f called when Run ends; the function it returns takes that back.
func (s *Server) whileRunning(f func()) (cancel func()) {
	s.mu.Lock()
	ctx := s.running
	s.mu.Unlock()
	if ctx == nil {
		return func() {}
	}
	stop := context.AfterFunc(ctx, f)
	return func() { stop() }
}

func (s *Server) end() {
	idle := make(chan struct{})
	s.mu.Lock()
	s.running = nil
	if s.active == 0 {
		close(idle)
	} else {
		s.idle = idle
	}
	s.mu.Unlock()
	<-idle
	s.jobs.Wait()
}

// enter and leave count the requests being handled, so that end can wait for them:
// http.Server.Close does not.
func (s *Server) enter() {
	s.mu.Lock()
	s.active++
	s.mu.Unlock()
}

func (s *Server) leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.active--
	if s.active == 0 && s.idle != nil {
		close(s.idle)
		s.idle = nil
	}
}

// spawn runs a job under Run; before Run it waits for it.
func (s *Server) spawn(job func(context.Context)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.spawnLocked(job)
}

func (s *Server) spawnLocked(job func(context.Context)) {
	ctx := s.running
	if ctx == nil {
		s.pending = append(s.pending, job)
		return
	}
	if ctx.Err() == nil {
		s.jobs.Go(func() { job(ctx) })
	}
}

// watch is the server's own clock work: first-move expiry each second, presence and
// unwatched flags every five.
func (s *Server) watch(ctx context.Context) {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for n := 1; ; n++ {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if s.isDown(time.Now()) {
			continue
		}
		for _, g := range s.runningGames() {
			g.checkExpiry()
			if n%5 == 0 {
				g.checkPresence()
				g.checkUnwatched()
			}
		}
	}
}

func (s *Server) runningGames() []*game {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := slices.Collect(maps.Keys(s.live))
	sortGames(list)
	return list
}

func (s *Server) game(id string) *game {
	if len(id) == 12 {
		id = id[:8]
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.games[id]
}

func (s *Server) account(name string) *account {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.accounts[accountID(name)]
}

// notify wakes everybody who waits for games or challenges. The caller holds mu.
func (s *Server) notify() {
	close(s.changed)
	s.changed = make(chan struct{})
}

const idLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

// newID draws an id of n characters; the caller holds mu.
func (s *Server) newID(n int) string {
	for {
		b := make([]byte, n)
		for i := range b {
			b[i] = idLetters[s.rng.IntN(len(idLetters))]
		}
		if id := string(b); s.games[id] == nil && s.challenges[id] == nil {
			return id
		}
	}
}

// sleep waits for d or the end of ctx, whichever is first; false when ctx ended.
func sleep(ctx context.Context, d time.Duration) bool {
	if d <= 0 {
		return ctx.Err() == nil
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}
