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
	network *network
	log     zerolog.Logger

	follow    *follower
	chat      *chat
	items     chan streamItem
	decisions chan decision
	effects   chan func()           // run by the loop: answers to requests
	finish    chan lichess.GameInfo // the event stream says that the game is over
	doubt     chan struct{}         // supervision asks for a look at the game
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
	puzzled   int  // times the moves could not be replayed

	notes []plyNote // by ply, for the record
	paid  paid

	courtesy courtesy
	absence  absence

	retry  *alarm // send the pending move again
	hedge  *alarm // the pending move should have been answered
	check  *alarm // the stream should have shown what became of the pending move
	finale *alarm // the event stream said it is over, the game stream did not
	told   *lichess.GameInfo
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
		id: id, account: account, options: o, client: o.Client, thinker: th, network: n, log: log,
		items:     make(chan streamItem, 32),
		decisions: make(chan decision, 4),
		effects:   make(chan func(), 16),
		finish:    make(chan lichess.GameInfo, 1),
		doubt:     make(chan struct{}, 1),
		failed:    make(chan error, 1),
		retry:     newAlarm(), hedge: newAlarm(), check: newAlarm(), finale: newAlarm(),
	}
	g.absence = newAbsence()
	g.courtesy.lastOffer = -drawOfferGap
	stream := func(ctx context.Context, handle func(lichess.GameLine)) error {
		return g.client.StreamGame(ctx, id, handle)
	}
	g.follow = newFollower(stream, g.items, log)
	g.chat = newChat(o.Chat,
		func(ctx context.Context, room, text string) error {
			return g.client.Chat(ctx, id, lichess.Room(room), text)
		},
		func(err error) { log.Debug().Err(err).Msg("chat") })
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
		case info := <-g.finish:
			g.told = &info
			g.finale.set(time.Second)
		case <-g.finale.rings():
			g.finale.rang()
			g.finishByEvent()
		case <-g.doubt:
			g.follow.reopen()
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

// lookAgain asks the game to compare itself with the server.
func (g *game) lookAgain() {
	select {
	case g.doubt <- struct{}{}:
	default:
	}
}

// hear takes one item of the stream.
func (g *game) hear(item streamItem) {
	switch line := item.line; {
	case item.err != nil:
		g.noStream(item.err)
	case line.Full != nil:
		g.missing = 0
		g.begin(line.Full, line.Arrived)
	case line.State != nil:
		if g.full != nil {
			g.update(line.State, line.Arrived, false)
		}
	case line.Chat != nil:
		g.heardChat(line.Chat)
	case line.Gone != nil:
		g.opponentGone(line.Gone)
	}
}

// noStream counts the times the server knows of no such game for us. A new game may not
// be everywhere at once; one that stays unknown is over.
func (g *game) noStream(err error) {
	g.log.Info().Err(err).Msg("no stream for this game")
	const enough = 4
	if g.missing++; g.missing >= enough || g.told != nil {
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
		err := persist(ctx, do)
		g.post(func() { then(err) })
	})
}

// persist repeats a request a few times while the network or the server fails. A pause
// that the server asks for is too long for what is left to be said.
func persist(ctx context.Context, do func(ctx context.Context) error) error {
	wait := lichess.NewBackoff(300*time.Millisecond, 5*time.Second)
	const tries = 4
	for n := 1; ; n++ {
		err := do(ctx)
		if err == nil || n == tries || !lichess.Retryable(err) || lichess.IsRateLimited(err) || lichess.Sleep(ctx, wait.Next(err)) != nil {
			return err
		}
	}
}
