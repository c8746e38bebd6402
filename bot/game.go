package bot

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"zeitnot/engine/position"
	"zeitnot/lichess"
)

// game plays one game from wherever it stands to its end. Its loop is the only one to
// touch what it knows; streams, searches and requests run beside it and report to it, so
// that nothing the loop does ever waits.
type game struct {
	id      string
	account string // our user id
	options *Options
	client  Client
	thinker *thinker
	way     way
	log     zerolog.Logger

	follow    *follower
	chat      *chat
	items     chan streamItem
	decisions chan decision
	effects   chan func()           // run by the loop: answers to requests
	finish    chan lichess.GameInfo // the event stream says that the game is over
	listed    chan listing          // how the list of running games shows the game
	failed    chan error            // something beside the loop panicked
	ctx       context.Context       // ends with the game
	beside    sync.WaitGroup        // every goroutine of this game

	// What is known, owned by the loop.
	full    *lichess.GameFull // nil until the first line
	us      position.Color
	me      lichess.Color
	root    position.Game     // initial position and all moves
	state   lichess.GameState // the latest
	arrived time.Time         // of the latest state
	over    *ending           // set once; the loop leaves

	turn    *turn        // the search that runs for the present position
	pending *pendingMove // the move that is being sent in it
	refused []position.Move
	// expected is the reply to our latest move, until it is pondered; pondering is the search
	// on the opponent's time.
	expected  position.Move
	pondering *ponder
	book      scoreBook
	began     bool // some search of ours has started in this game
	missing   int  // times the server said that there is no such game
	unlisted  int  // lists of running games in a row that did not have it
	puzzled   int  // times the moves could not be replayed

	notes []plyNote // by ply, for the PGN
	paid  paid

	courtesy courtesy
	absence  absence

	retry  *alarm // send the pending move again
	hedge  *alarm // the pending move should have been answered
	check  *alarm // the stream should have shown what became of the pending move
	finale *alarm // the event stream said it is over, the game stream did not
	// unheard: the list of running games showed our turn, the stream did not.
	unheard *alarm
	told    *lichess.GameInfo
}

// ending is how a game ended.
type ending struct {
	status lichess.Status
	winner lichess.Color
	// lost: we do not know how it ended, the server has no such game for us any more.
	lost bool
}

func newGame(id, account string, o *Options, th *thinker, n *network, log zerolog.Logger) *game {
	g := &game{
		id: id, account: account, options: o, client: o.Client, thinker: th, way: way{network: n}, log: log,
		items:     make(chan streamItem, 32),
		decisions: make(chan decision, 4),
		effects:   make(chan func(), 16),
		finish:    make(chan lichess.GameInfo, 1),
		listed:    make(chan listing, 1),
		failed:    make(chan error, 1),
		retry:     newAlarm(), hedge: newAlarm(), check: newAlarm(), finale: newAlarm(), unheard: newAlarm(),
	}
	g.absence = newAbsence()
	g.courtesy.lastOffer = -drawOfferGap
	stream := func(ctx context.Context, handle func(lichess.GameLine)) error {
		return g.client.StreamGame(ctx, id, handle)
	}
	g.follow = newFollower(stream, g.items, o.Random, log)
	g.chat = newChat(o.Chat, chatWays{
		send: func(ctx context.Context, room, text string) error {
			return g.client.Chat(ctx, id, lichess.Room(room), text)
		},
		spoken: g.spoken,
		failed: func(err error) { log.Debug().Err(err).Msg("chat") },
	})
	return g
}

// run plays until the game is over or the context ends, and leaves nothing running. A
// panic is an error of this game alone.
func (g *game) run(ctx context.Context) (end ending, err error) {
	ctx, cancel := context.WithCancel(ctx)
	g.ctx = ctx
	defer g.beside.Wait()
	defer cancel()
	defer func() {
		if r := recover(); r != nil {
			err = panicked(r)
		}
	}()
	g.spawn(func() { g.follow.run(ctx) })
	g.spawn(func() { g.chat.run(ctx) })
	for g.over == nil {
		select {
		case item := <-g.items:
			g.hear(item)
		case d := <-g.decisions:
			g.decided(d)
		case f := <-g.effects:
			f()
		case <-g.retry.rings():
			g.retry.rang()
			g.attempt()
		case <-g.hedge.rings():
			g.hedge.rang()
			g.late()
		case <-g.check.rings():
			g.check.rang()
			g.unexplained()
		case <-g.absence.abort.rings():
			g.absence.abort.rang()
			g.abortNoShow()
		case <-g.absence.claim.rings():
			g.absence.claim.rang()
			g.claim()
		case <-g.unheard.rings():
			g.unheard.rang()
			g.missed()
		case info := <-g.finish:
			g.told = &info
			g.finale.set(time.Second)
		case <-g.finale.rings():
			g.finale.rang()
			g.finishByEvent()
		case l := <-g.listed:
			g.compare(l)
		case err := <-g.failed:
			return ending{}, err
		case <-ctx.Done():
			return ending{}, ctx.Err()
		}
	}
	return *g.over, nil
}

// spawn runs f beside the loop; run waits for it. A panic in it ends this game's runner
// and nothing else.
func (g *game) spawn(f func()) {
	g.beside.Go(func() {
		defer func() {
			if r := recover(); r != nil {
				select {
				case g.failed <- panicked(r):
				default: // one is enough
				}
			}
		}()
		f()
	})
}

func panicked(r any) error { return fmt.Errorf("panic: %v\n%s", r, debug.Stack()) }

// tellFinished passes on that the event stream says the game is over.
func (g *game) tellFinished(info lichess.GameInfo) {
	select {
	case g.finish <- info:
	default:
	}
}

// listing is how the server's list of running games shows a game.
type listing struct {
	asked  time.Time // when the list was asked for
	absent bool      // it is not among them
	ours   bool      // it is our turn
}

// tellListed passes on how the server's list shows the game.
func (g *game) tellListed(l listing) {
	select {
	case g.listed <- l:
	default: // the next list comes
	}
}

// enoughLists is how many lists in a row have to leave a game out before it is given up,
// although its stream has neither ended it nor been refused.
const enoughLists = 3

// listedMargin is how long the stream may be behind the list of running games.
const listedMargin = 2 * time.Second

// compare has the stream opened anew when the server's list does not fit what we know: the
// game is not in it, or it is our turn, and we have not heard of it in a while.
func (g *game) compare(l listing) {
	if !l.absent {
		g.unlisted = 0
	}
	switch {
	case l.absent && g.arrived.Before(l.asked):
		if g.unlisted++; g.unlisted >= enoughLists {
			g.log.Warn().Int("lists", g.unlisted).Msg("the server does not list the game and its stream says nothing, giving it up")
			g.endUntold()
			return
		}
		g.log.Debug().Msg("not among the running games, looking at it")
		g.follow.reopen()
	case l.ours && g.waits() && g.arrived.Before(l.asked):
		g.unheard.setOnce(listedMargin)
	}
}

// waits tells whether it is not our turn as far as we know.
func (g *game) waits() bool { return g.full == nil || g.root.Position().SideToMove() != g.us }

// missed reopens a stream that has not told in time what the list of running games has.
func (g *game) missed() {
	if g.waits() && time.Since(g.arrived) > listedMargin {
		g.log.Info().Msg("the list of running games shows our turn, the stream does not: reopening it")
		g.follow.reopen()
	}
}

// hear takes one item of the stream.
func (g *game) hear(item streamItem) {
	switch line := item.line; {
	case item.err != nil:
		g.noStream(item.err)
	case line.Full != nil:
		g.missing, g.unlisted = 0, 0
		g.begin(line.Full, line.Arrived)
	case line.State != nil:
		if g.full == nil {
			g.follow.reopen() // its first line did not come
			return
		}
		g.update(line.State, line.Arrived, false)
	case line.Chat != nil:
		g.heardChat(line.Chat)
	case line.Gone != nil:
		g.opponentGone(line.Gone)
	}
}

// noStream counts the times the server knows of no such game for us. A new game may not
// be everywhere at once; one that stays unknown, or is not among the running games either, is
// over.
func (g *game) noStream(err error) {
	g.log.Info().Err(err).Msg("no stream for this game")
	const enough = 4
	if g.missing++; g.missing >= enough || g.told != nil || g.unlisted > 0 && lichess.IsNotFound(err) {
		g.endUntold()
	}
}

// finishByEvent acts on a gameFinish that the game stream has not confirmed: first a new
// look at the stream, then the event's own word.
func (g *game) finishByEvent() {
	if !g.courtesy.looked {
		g.courtesy.looked = true
		g.follow.reopen()
		g.finale.set(3 * time.Second)
		return
	}
	g.endUntold()
}

// endUntold ends the game without a final line of its stream.
func (g *game) endUntold() {
	if g.told != nil {
		g.over = &ending{status: g.told.Status.Name, winner: g.told.Winner}
		return
	}
	g.over = &ending{lost: true}
}

// post hands f to the loop; callers are goroutines of this game.
func (g *game) post(f func()) {
	select {
	case g.effects <- f:
	case <-g.ctx.Done():
	}
}

// requestDeadline bounds every request that is no move, waits for the limiter included.
const requestDeadline = 30 * time.Second

// request runs a request beside the loop and then, in the loop, what follows from its
// answer.
func (g *game) request(do func(ctx context.Context) error, then func(error)) {
	g.spawn(func() {
		ctx, cancel := context.WithTimeout(g.ctx, requestDeadline)
		defer cancel()
		err := persist(ctx, g.options.Random, do)
		g.post(func() { then(err) })
	})
}

// persist repeats a request a few times while the network or the server fails. A pause
// that the server asks for is too long for what is left to be said.
func persist(ctx context.Context, random func() float64, do func(ctx context.Context) error) error {
	wait := lichess.NewBackoff(300*time.Millisecond, 5*time.Second, random)
	const tries = 4
	for n := 1; ; n++ {
		err := do(ctx)
		if err == nil || n == tries || !lichess.Retryable(err) || lichess.IsRateLimited(err) || lichess.Sleep(ctx, wait.Next(err)) != nil {
			return err
		}
	}
}
