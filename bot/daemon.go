package bot

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"

	"zeitnot/engine/opening"
	"zeitnot/lichess"
)

// Daemon is a bot account at work. One loop owns everything below its inbox; the methods
// that others may call only post to it or read what it published.
type Daemon struct {
	options Options
	client  Client
	log     zerolog.Logger
	thinker *thinker
	network *network
	pgns    *pgnFile
	// openings are asked when a game has ended.
	openings opening.Names
	started  time.Time

	ready     chan struct{} // closed by the event reader at its first stream
	readyOnce sync.Once
	drain     chan struct{} // closed by Drain
	drainOnce sync.Once

	inbox  chan func() // run by the loop, whoever posts it
	wishes chan *proposal
	events chan lichess.Event
	nudge  chan struct{} // asks for a reconciliation soon
	back   chan struct{} // a game's stream has opened: the server is there
	beside sync.WaitGroup

	loopPulse, eventPulse pulse
	streamOpen            atomic.Bool
	finished              atomic.Int64
	lastWords             atomic.Int32 // declines that are not sent yet, own challenges that are not over
	searching             atomic.Bool  // Run has ended, and a search has not
	pgnTrouble            atomic.Value // why games.pgn lacks the last game, as text; "" is not at all
	published             atomic.Pointer[published]

	// Owned by the loop.
	account      lichess.Account
	slots        *slots
	games        map[string]*running
	crashed      map[string]crash
	queue        []waitingChallenge
	settled      recent          // challenges that were decided
	ended        recent          // games that are over
	proposal     *proposal       // our challenge that is under way; nil without any
	withdrawn    recent          // proposals that we took back
	outgoing     map[string]bool // open challenges that the owner made by other means
	declines     chan declineJob
	botsPaused   time.Time // no games with bots before: the daily limit is used up
	draining     bool
	drainBegan   time.Time
	unauthorized bool
	asking       bool // a reconciliation is under way
	askAnother   bool // and another one after it
	nextAsk      time.Time
	unasked      int // times in a row that the list did not come
}

// running is a game that is being played.
type running struct {
	game  *game
	since time.Time
	live  bool // played on a clock: draining waits for it
	stop  context.CancelFunc
}

// crash is a game whose runner panicked: it is taken up again, but not at once.
type crash struct {
	count int
	until time.Time
}

// published is what the loop lets others see.
type published struct {
	health Health
	pulses []*pulse // of the games' streams
}

// ErrGamesLeft means that the daemon was made to leave while games were running. The next
// start takes them up again.
var ErrGamesLeft = errors.New("left with games running")

// New makes a daemon; nothing runs until Run.
func New(o Options) *Daemon {
	o = o.withDefaults()
	way := newNetwork()
	d := &Daemon{
		options:  o,
		client:   measured{o.Client, way},
		network:  way,
		log:      o.Log,
		thinker:  &thinker{pool: newPool(o.Searchers), resort: o.LastResort},
		ready:    make(chan struct{}),
		drain:    make(chan struct{}),
		inbox:    make(chan func(), 64),
		wishes:   make(chan *proposal),
		events:   make(chan lichess.Event, 64),
		nudge:    make(chan struct{}, 1),
		back:     make(chan struct{}, 1),
		slots:    newSlots(o.Concurrency),
		games:    map[string]*running{},
		crashed:  map[string]crash{},
		outgoing: map[string]bool{},
		declines: make(chan declineJob, 64),
		started:  time.Now(),
	}
	d.pgns = newPGNFile(o.StateDir, d.pgnWritten)
	d.loopPulse.beat()
	d.eventPulse.beat()
	d.publish()
	return d
}

// Ready is closed once the token is good and the event stream is open.
func (d *Daemon) Ready() <-chan struct{} { return d.ready }

// Drain makes the daemon accept nothing more and end when its games have ended, or when
// the drain timeout is over. It returns at once and may be called again.
func (d *Daemon) Drain() { d.drainOnce.Do(func() { close(d.drain) }) }

// Run plays until it is drained, which is no error, or the context ends: then it leaves
// at once, with ErrGamesLeft if games were running. An AccessError means that there is
// nothing to play with.
func (d *Daemon) Run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	d.resumePrior()
	account, err := d.gainAccess(ctx)
	if err != nil {
		return err
	}
	if account == nil {
		return nil // drained, or told to leave, before there was anything to do
	}
	d.account = *account
	d.log.Info().Str("account", account.Username).Int("slots", d.options.Concurrency).
		Int("searches", len(d.options.Searchers)).Str("clock", d.options.Clock.Name()).Msg("ready to play")

	// The file outlives the games, so that every game that ended is written.
	writing, stopWriting := context.WithCancel(context.WithoutCancel(ctx))
	var writer sync.WaitGroup
	writer.Go(func() { d.pgns.run(writing) })
	defer writer.Wait()
	defer stopWriting()

	defer d.awaitSearches()
	defer d.savePrior()
	defer d.beside.Wait()
	defer cancel()
	d.beside.Go(func() { d.readEvents(ctx) })
	d.beside.Go(func() { d.sendDeclines(ctx) })
	return d.loop(ctx)
}

// gainAccess checks token and account, for as long as the site does not answer. There is
// no account when the daemon was told to end meanwhile.
func (d *Daemon) gainAccess(ctx context.Context) (*lichess.Account, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var watcher sync.WaitGroup
	defer watcher.Wait()
	defer cancel()
	watcher.Go(func() {
		select {
		case <-d.drain:
			cancel()
		case <-ctx.Done():
		}
	})
	wait := lichess.ReconnectBackoff(d.options.Random)
	for {
		d.loopPulse.beat()
		account, err := CheckAccess(ctx, d.client)
		switch {
		case err == nil:
			return account, nil
		case ctx.Err() != nil:
			return nil, nil
		case isFinal(err):
			return nil, err
		}
		pause := wait.Next(err)
		d.log.Warn().Err(err).Dur("pause", pause).Msg("server does not answer yet")
		d.loopPulse.rest(pause)
		d.eventPulse.rest(pause)
		if lichess.Sleep(ctx, pause) != nil {
			return nil, nil
		}
	}
}

func isFinal(err error) bool {
	_, ok := errors.AsType[*AccessError](err)
	return ok
}

// loop is the owner of the daemon's state.
func (d *Daemon) loop(ctx context.Context) error {
	second := time.NewTicker(time.Second)
	defer second.Stop()
	drain := d.drain
	d.ask(ctx)
	for {
		d.loopPulse.beat()
		d.publish()
		if d.draining && d.drained() {
			return nil
		}
		select {
		case <-ctx.Done():
			return d.leave()
		case f := <-d.inbox:
			f()
		case e := <-d.events:
			d.handle(ctx, e)
		case p := <-d.wishes:
			d.propose(ctx, p)
		case <-d.proposal.left():
			d.withdraw(ctx, d.proposal, ProposalEnd{Outcome: Withdrawn, Why: "whoever asked has left"})
		case <-d.nudge:
			d.ask(ctx)
		case <-second.C:
			d.everySecond(ctx)
		case <-drain:
			drain = nil
			d.beginDrain(ctx)
		}
	}
}

// leave is the end that waits for nobody.
func (d *Daemon) leave() error {
	if len(d.games) == 0 {
		return nil
	}
	var ids []string
	for id := range d.games {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return fmt.Errorf("%w: %s", ErrGamesLeft, strings.Join(ids, " "))
}

// everySecond does what only time makes due.
func (d *Daemon) everySecond(ctx context.Context) {
	now := time.Now()
	for _, id := range d.slots.expire(now) {
		d.log.Warn().Str("challenge", id).Msg("challenge never became a game, slot freed")
	}
	d.expireQueue(now)
	d.watchProposal(ctx, now)
	d.pump(ctx)
	if now.After(d.nextAsk) {
		d.ask(ctx)
	}
	for _, c := range d.crashed {
		if now.After(c.until) && now.Before(c.until.Add(2*time.Second)) {
			d.ask(ctx)
		}
	}
}

// post hands f to the loop from a goroutine of the daemon.
func (d *Daemon) post(ctx context.Context, f func()) {
	select {
	case d.inbox <- f:
	case <-ctx.Done():
	}
}

// handle takes one event. Unknown types are none of ours.
func (d *Daemon) handle(ctx context.Context, e lichess.Event) {
	switch {
	case e.Type == lichess.EventGameStart && e.Game != nil:
		d.startGame(ctx, e.Game)
	case e.Type == lichess.EventGameFinish && e.Game != nil:
		d.gameFinish(ctx, e.Game)
	case e.Type == lichess.EventChallenge && e.Challenge != nil:
		d.challenged(ctx, e.Challenge)
	case e.Type == lichess.EventChallengeCanceled && e.Challenge != nil:
		d.challengeGone(ctx, e.Challenge.ID)
	case e.Type == lichess.EventChallengeDeclined && e.Challenge != nil:
		d.challengeDeclined(ctx, e.Challenge)
	case e.Type != "":
		d.log.Debug().Str("type", string(e.Type)).Msg("event of no use")
	}
}

// gameID is the id of a game in an event; older and newer fields hold the same.
func gameID(info *lichess.GameInfo) string {
	if info.GameID != "" {
		return info.GameID
	}
	return info.ID
}

// startGame plays a game that exists, slots or no slots. A game that is being played
// already is left alone.
func (d *Daemon) startGame(ctx context.Context, info *lichess.GameInfo) {
	id := gameID(info)
	switch {
	case id == "" || d.games[id] != nil || d.ended.has(id):
		return
	case info.Compat != nil && !info.Compat.Bot:
		d.log.Warn().Str("game", id).Str("speed", string(info.Speed)).Msg("game cannot be played by bots, ignored")
		return
	case time.Now().Before(d.crashed[id].until):
		return
	}
	delete(d.outgoing, id)
	d.dequeue(id)
	h := holder{user: strings.ToLower(info.Opponent.ID), days: info.Speed == lichess.Correspondence}
	if !h.days && !d.slots.reserved(id) && !d.slots.free(h.days) {
		d.log.Warn().Str("game", id).Int("slots", d.slots.capacity).Int("used", d.slots.used()+1).Msg("more games than slots, playing it all the same")
	}
	d.slots.own(id, h)
	d.proposalStarted(ctx, id)
	d.thinker.prepare(id)
	playing, stop := context.WithCancel(ctx)
	g := newGame(id, d.account.ID, &d.options, d.thinker, d.network, d.log.With().Str("game", id).Logger())
	g.follow.opened = d.serverAnswers
	_, crashed := d.crashed[id]
	g.courtesy.again = crashed || !d.settled.has(id)
	if left := info.SecondsLeft; left != nil {
		g.follow.hurry(time.Duration(*left) * time.Second)
	}
	d.games[id] = &running{game: g, since: time.Now(), live: !h.days, stop: stop}
	d.beside.Go(func() {
		defer stop()
		end, err := g.run(playing)
		if err == nil {
			d.keep(g, end)
		}
		d.post(ctx, func() { d.gameEnded(ctx, id, end, err) })
	})
}

// keep hands a finished game to what remembers games. A panic there is that game's, too.
func (d *Daemon) keep(g *game, end ending) {
	defer func() {
		if r := recover(); r != nil {
			d.log.Error().Err(panicked(r)).Str("game", g.id).Msg("game not kept")
		}
	}()
	d.keepPGN(g, end)
	g.recordEnd(end)
	d.savePrior()
}

// gameFinish is the event stream's word that a game is over. The game's own stream says
// it too and says more; the game waits a moment for it.
func (d *Daemon) gameFinish(ctx context.Context, info *lichess.GameInfo) {
	id := gameID(info)
	if r := d.games[id]; r != nil {
		r.game.tellFinished(*info)
		return
	}
	d.proposalOver(ctx, id, ProposalEnd{Outcome: Accepted, Game: d.options.SiteURL + "/" + id, Why: "it is over already"})
	d.slots.giveUp(id)
	d.pump(ctx)
}

// gameEnded frees the slot of a game whose runner is gone.
func (d *Daemon) gameEnded(ctx context.Context, id string, end ending, err error) {
	delete(d.games, id)
	d.slots.release(id)
	if err != nil && ctx.Err() == nil {
		// A fault of ours in one game. The game goes on at the server: supervision takes it up
		// again, ever more slowly if it keeps failing.
		c := d.crashed[id]
		c.count++
		c.until = time.Now().Add(min(time.Minute, time.Second<<min(c.count-1, 6)))
		d.crashed[id] = c
		d.log.Error().Err(err).Str("game", id).Int("times", c.count).Msg("game runner failed")
	} else {
		delete(d.crashed, id)
		if err == nil && !end.lost {
			d.ended.add(id)
		}
		d.finished.Add(1)
		d.log.Info().Str("game", id).Str("status", string(end.status)).Str("winner", string(end.winner)).
			Int("slots_used", d.slots.used()).Msg("game over")
	}
	d.pump(ctx)
}

// beginDrain stops all new work.
func (d *Daemon) beginDrain(ctx context.Context) {
	d.draining, d.drainBegan = true, time.Now()
	d.log.Info().Int("games", len(d.games)).Dur("at_most", d.options.DrainTimeout).Msg("draining: nothing new is accepted")
	for _, w := range d.queue {
		d.decline(w.challenge.ID, lichess.DeclineLater)
	}
	d.queue = nil
	d.drainProposal(ctx)
	for id := range d.outgoing {
		d.cancelOwn(ctx, id)
	}
	d.ask(ctx) // games that the server has forgotten are not waited for
}

// drained tells whether nothing is left to wait for. Games without a clock go on for
// days; the next start takes them up again.
func (d *Daemon) drained() bool {
	passed := time.Since(d.drainBegan)
	if len(d.games) > 0 && passed >= d.options.DrainTimeout {
		d.log.Warn().Int("games", len(d.games)).Msg("drain timeout is over, leaving")
		return true
	}
	for _, r := range d.games {
		if r.live {
			return false
		}
	}
	for id := range d.slots.held {
		if d.slots.reserved(id) {
			return false
		}
	}
	// A word to those who wait, and a look at the list of games, in which a challenge that could
	// not be withdrawn may be one; unless the site does not answer anyway.
	return d.lastWords.Load() == 0 && !d.asking || passed > lastWordsTime
}

// lastWordsTime is how long a daemon that drains waits for its last requests to be answered.
const lastWordsTime = 3 * time.Second

// awaitSearches waits for searches that were told to stop. One that does not listen is
// left behind: the process ends.
func (d *Daemon) awaitSearches() {
	done := make(chan struct{})
	go func() { // ends with the last search
		d.thinker.searches.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(2 * time.Second):
		d.searching.Store(true)
		d.log.Error().Msg("a search does not stop")
	}
}

// SearchLeft tells, once Run has returned, that a search has not ended: what it may be using
// must stay open.
func (d *Daemon) SearchLeft() bool { return d.searching.Load() }

// publish lets others see how the daemon stands.
func (d *Daemon) publish() {
	p := &published{health: Health{
		Account:       d.account.Username,
		Games:         []string{},
		SlotsUsed:     d.slots.used(),
		SlotsTotal:    d.slots.capacity,
		Queued:        len(d.queue),
		Draining:      d.draining,
		Unauthorized:  d.unauthorized,
		SearchesInUse: d.thinker.pool.inUse(),
	}}
	for id, r := range d.games {
		p.health.Games = append(p.health.Games, id)
		p.pulses = append(p.pulses, &r.game.follow.pulse)
	}
	slices.Sort(p.health.Games)
	d.published.Store(p)
}

// Health says how the daemon is; it may be called from anywhere and never waits.
func (d *Daemon) Health() Health {
	p, now := d.published.Load(), time.Now()
	h := p.health
	h.GamesFinished = d.finished.Load()
	h.UptimeSeconds = int64(time.Since(d.started) / time.Second)
	h.Goroutines = runtime.NumGoroutine()
	switch {
	case d.streamOpen.Load():
		h.Stream = "open"
	case d.eventPulse.resting(now):
		h.Stream = "waiting"
	default:
		h.Stream = "opening"
	}
	h.Healthy = d.loopPulse.alive(now, loopLimit) && d.eventPulse.alive(now, streamLimit)
	for _, s := range p.pulses {
		h.Healthy = h.Healthy && s.alive(now, streamLimit)
	}
	return h
}
