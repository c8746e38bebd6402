package bot_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"zeitnot/bot"
	"zeitnot/clock"
	"zeitnot/engine"
	"zeitnot/engine/position"
	"zeitnot/engine/scripted"
	"zeitnot/lichess"
	"zeitnot/lichess/sandbox"
)

var (
	chaosGames = flag.Int("chaos.games", 60, "games that are played in chaos")
	chaosSeed  = flag.Uint64("chaos.seed", 1, "number of the first world of chaos")
	chaosLog   = flag.Bool("chaos.log", false, "show the daemons' logs")
)

// Chaos is many small worlds, each with its own players, faults and accidents, all drawn
// from the world's number. Whatever happens, every game ends, none by a flag of ours that a
// move could have saved, no illegal move and no move twice goes out, and nothing is left
// behind.
func TestChaos(t *testing.T) {
	var sum tally
	for seed := *chaosSeed; sum.games < *chaosGames && !t.Failed(); seed++ {
		t.Run(fmt.Sprint(seed), func(t *testing.T) { playChaos(t, seed, &sum) })
	}
	t.Logf("%d games, %d moves of ours in %v of play; %d daemons killed; %d requests, of which %d were hit by a fault; game streams opened: %d",
		sum.games, sum.moves, sum.played.Round(time.Minute), sum.kills, sum.requests, sum.hit, sum.streams)
	t.Logf("endings: %v; our flag fell: %v", sum.endings, sum.flags)
}

// tally is what was seen in all worlds.
type tally struct {
	games, moves, kills, requests, hit, streams int
	played                                      time.Duration
	endings                                     map[string]int
	flags                                       map[string]int // ours, by the reason
}

func playChaos(t *testing.T, seed uint64, sum *tally) {
	rng := rand.New(rand.NewPCG(seed, 0xc4a05))
	faults := chaosFaults(rng)
	policy, err := clock.ByName([]string{"softhard", "adaptive"}[rng.IntN(2)], clock.Tuning{})
	if err != nil {
		t.Fatal(err)
	}
	o := sandbox.Options{Seed: seed, Opponents: chaosRivals(rng), DoubleAbort: rng.IntN(2) == 0, RookCastling: rng.IntN(2) == 0}
	o.Limits = sandbox.Limits{ChallengesPerMinute: -1, ChallengesPerDay: -1, BotGamesPerDay: -1}
	saw := &witness{games: map[string]*sight{}}
	inSandbox(t, o, func(o *bot.Options) {
		o.Concurrency, o.PerUser, o.QueueSize = 1+rng.IntN(3), 2, 4
		o.Clock, o.Ponder = policy, rng.IntN(2) == 0
		o.Takeback.Casual = rng.IntN(2)
		o.Draw = bot.DrawRule{Accept: true, Offer: true, Score: 10, Moves: 10, MinMove: 20}
		o.Chat = bot.ChatOptions{Greeting: "hello", Commands: true}
		if *chaosLog {
			o.Log = zerolog.New(zerolog.ConsoleWriter{Out: t.Output(), NoColor: true, TimeFormat: "04:05.000"}).With().Timestamp().Logger()
		}
		o.Searchers = nil
		for range 1 + rng.IntN(2) {
			o.Searchers = append(o.Searchers, &lunatic{Sleeper: scripted.Sleeper{Share: 0.3 + rng.Float64()/2, Seed: seed}, rng: rand.New(rand.NewPCG(seed, rng.Uint64()))})
		}
	}, func(h *house) {
		h.wrap = saw.watch
		_ = h.stop()
		h.start()
		if err := h.InjectSpec(strings.Join(faults, ";")); err != nil {
			t.Fatal(err)
		}
		for range 20 {
			time.Sleep(time.Minute + time.Duration(rng.Int64N(int64(time.Minute))))
			if rng.IntN(3) == 0 {
				saw.dead(time.Now())
				_ = h.stop()
				saw.forget()
				time.Sleep(time.Duration(rng.IntN(5000)) * time.Millisecond)
				h.start()
				saw.alive(time.Now())
				sum.kills++
			}
		}
		h.daemon.Drain()
		time.Sleep(40 * time.Minute)
		select {
		case err := <-h.done:
			if h.done <- err; err != nil {
				t.Errorf("Run of a daemon that drained: %v", err)
			}
		default:
			t.Errorf("the daemon does not end: %+v", h.daemon.Health())
		}
		saw.judge(t, h, sum)
	})
	if t.Failed() {
		t.Logf("go test ./bot -run Chaos -chaos.seed=%d -chaos.games=1\nfaults:\n%s", seed, strings.Join(faults, "\n"))
	}
}

// chaosRivals are players of all kinds, each with a series of challenges.
func chaosRivals(rng *rand.Rand) []sandbox.OpponentSpec {
	controls := []sandbox.TimeControl{
		sandbox.ClockControl(time.Minute, 0), sandbox.ClockControl(time.Minute, time.Second), sandbox.ClockControl(2*time.Minute, time.Second),
		sandbox.ClockControl(3*time.Minute, 0), sandbox.ClockControl(3*time.Minute, 2*time.Second), sandbox.ClockControl(5*time.Minute, 0),
	}
	var rivals []sandbox.OpponentSpec
	for i := range 4 {
		sc := sandbox.Script{Seed: rng.Uint64(), Think: time.Duration(rng.IntN(800)) * time.Millisecond, Spread: time.Second, ResignAt: 10 + rng.IntN(40)}
		switch rng.IntN(8) {
		case 0:
			sc.NoShow = true
		case 1:
			sc.LeaveAt = 3 + rng.IntN(10)
		case 2:
			sc.LeaveAt, sc.LeaveFor = 3+rng.IntN(10), 12*time.Second
		case 3:
			sc.Takebacks, sc.Echo, sc.Greeting = 2+rng.IntN(5), true, "hi"
		case 4:
			sc.OfferDraws, sc.AcceptDraws = 3, true
		}
		variant := sandbox.Standard
		if rng.IntN(4) == 0 {
			variant = sandbox.Chess960
		}
		rivals = append(rivals, sandbox.OpponentSpec{
			Name: fmt.Sprintf("Rival%d", i), Title: []string{"", "BOT"}[rng.IntN(2)], Takebacks: true, FlagsOthers: true, New: sc.Player,
			Plans: []sandbox.Plan{{
				Challenge: sandbox.Challenge{To: "Zeitnot", Control: controls[rng.IntN(len(controls))], Rated: rng.IntN(2) == 0, Variant: variant, Color: []string{"white", "black"}[rng.IntN(2)]},
				Count:     4, Start: time.Duration(rng.IntN(20)) * time.Second, Every: time.Duration(1+rng.IntN(60)) * time.Second, Swap: true, Overlap: rng.IntN(4) == 0,
			}},
		})
	}
	return rivals
}

// chaosFaults draws about half of everything that can go wrong, and how badly. What can
// eat a whole bullet clock comes a few times only.
func chaosFaults(rng *rand.Rand) []string {
	ms := func(most int) string { return fmt.Sprintf("%dms", 1+rng.IntN(most)) }
	pick := func(of ...string) string { return of[rng.IntN(len(of))] }
	n := func(most int) int { return 1 + rng.IntN(most) }
	chance := func(most float64) string { return fmt.Sprintf("chance=%.3f", min(1, most/10+rng.Float64()*most*1.5)) }
	body := func() string { return "body=" + pick("json", "html", "empty") }
	all := []string{
		fmt.Sprintf("charge account=zeitnot per=%s jitter=%s %s", ms(50), ms(200), chance(0.3)),
		fmt.Sprintf("status move code=429 %s %s times=%d", body(), chance(0.05), n(2)),
		fmt.Sprintf("status move code=429 limit=move seconds=%d %s times=%d", n(10), chance(0.05), n(3)),
		fmt.Sprintf("status move code=%s %s %s times=%d", pick("500", "502", "503", "504"), body(), chance(0.05), n(9)),
		fmt.Sprintf("status move code=400 %s %s times=%d", body(), chance(0.02), n(3)),
		fmt.Sprintf("status game code=%s %s %s times=%d", pick("429", "502", "404", "500"), body(), chance(0.3), n(2)),
		fmt.Sprintf("status event code=%s %s times=%d", pick("429", "502", "500"), body(), n(3)),
		fmt.Sprintf("status accept code=%s %s %s times=always", pick("429", "404", "400", "502"), body(), chance(0.3)),
		fmt.Sprintf("status playing code=%s %s %s times=always", pick("429", "502"), body(), chance(0.5)),
		fmt.Sprintf("status chat code=%s %s times=always", pick("429", "400", "502"), body()),
		fmt.Sprintf("lost move as=reset %s times=always", chance(0.05)),
		fmt.Sprintf("lost move %s times=%d", chance(0.05), n(5)),
		fmt.Sprintf("lost move code=%s for=%s %s times=%d", pick("502", "504"), ms(6000), chance(0.05), n(5)),
		fmt.Sprintf("lost accept as=reset %s times=always", chance(0.5)),
		fmt.Sprintf("hang move %s times=%d", chance(0.05), n(4)),
		fmt.Sprintf("hang %s for=%s %s times=%d", pick("accept", "playing", "abort", "chat", "decline"), ms(60000), chance(0.5), n(5)),
		fmt.Sprintf("hang game for=%s %s times=%d", ms(20000), chance(0.2), n(2)),
		fmt.Sprintf("reset %s %s times=%d", pick("move", "accept", "abort", "draw", "takeback"), chance(0.1), n(9)),
		fmt.Sprintf("%s game ply=%d %s times=always", pick("cut", "halfclose"), n(40), chance(0.6)),
		fmt.Sprintf("%s game ply=%d %s times=%d", pick("reset", "halfline"), n(40), chance(0.5), n(6)), // before the line is read
		fmt.Sprintf("%s game after=%s %s times=always", pick("cut", "reset", "halfclose"), ms(60000), chance(0.5)),
		fmt.Sprintf("silent game ply=%d %s times=%d", n(40), chance(0.5), n(3)),
		fmt.Sprintf("%s event after=%s times=%d", pick("cut", "reset", "silent", "halfclose", "halfline"), ms(200000), n(5)),
		fmt.Sprintf("nofinal game %s times=always", chance(0.5)),
		fmt.Sprintf("dup %s count=%d %s", pick("game", "event", ""), 1+n(4), chance(1)),
		fmt.Sprintf("garbage %s %s", pick("game", "event", ""), chance(0.5)),
		fmt.Sprintf("unknown %s %s", pick("game", "event", ""), chance(0.5)),
		fmt.Sprintf("oversize %s size=1500000 %s times=%d", pick("game", "event"), chance(0.1), n(3)),
		fmt.Sprintf("trickle game gap=%dus %s", n(50), chance(0.2)),
		fmt.Sprintf("reorder %s %s times=%d", pick("game", "event"), chance(0.1), n(9)),
		fmt.Sprintf("drop game %s times=%d", chance(0.05), n(4)),
		fmt.Sprintf("drop event %s times=%d", chance(0.3), n(9)),
		fmt.Sprintf("stall %s for=%s slots=%d %s times=%d", pick("game", "event"), ms(5000), n(3), chance(0.05), n(4)),
		fmt.Sprintf("withdraw after=%s %s times=always", ms(2000), chance(0.3)),
		fmt.Sprintf("startlate for=%s %s times=always", ms(20000), chance(0.3)),
		fmt.Sprintf("burst after=%s count=%d gap=%s", ms(900000), n(9), ms(100)),
		fmt.Sprintf("surplus after=%s count=%d", ms(900000), n(3)),
		fmt.Sprintf("restart after=%s every=%dm times=3 down=%s", ms(300000), 2+n(9), ms(20000)),
		fmt.Sprintf("blackhole after=%s every=%dm times=3", ms(300000), 1+n(9)),
		fmt.Sprintf("offline after=%s every=%dm times=3 down=%s", ms(300000), 1+n(9), ms(15000)),
		fmt.Sprintf("slowaccept for=%s %s times=always", ms(1500), chance(0.3)),
	}
	faults := []string{fmt.Sprintf("latency account=zeitnot in=%s out=%s jitter=%s", ms(60), ms(60), ms(40))}
	for _, f := range all {
		if rng.IntN(2) == 0 {
			faults = append(faults, f)
		}
	}
	return faults
}

// lunatic is a searcher that fails in every way now and then.
type lunatic struct {
	scripted.Sleeper
	mu  sync.Mutex // guards rng
	rng *rand.Rand
}

func (s *lunatic) Search(ctx context.Context, g position.Game, l engine.Limits, onInfo func(engine.Info)) (engine.Result, error) {
	s.mu.Lock()
	what := s.rng.IntN(100)
	s.mu.Unlock()
	switch what {
	case 0:
		return engine.Result{}, errors.New("engine is gone")
	case 1:
		panic("engine panics")
	case 2:
		return hangs(ctx, g)
	case 3:
		return playsNonsense(ctx, g)
	case 4:
		if l.Hard != nil {
			time.Sleep(2 * *l.Hard) // does not listen
		}
	}
	return s.Sleeper.Search(ctx, g, l, onInfo)
}

// witness notes what the daemons learn and send.
type witness struct {
	mu     sync.Mutex // guards everything below
	games  map[string]*sight
	absent [][2]time.Time // when no daemon was there
}

// sight is what is known of one game.
type sight struct {
	known bool    // the present daemon has seen its gameFull
	plies []shown // in order
	sent  []sentMove
}

type shown struct {
	plies int
	at    time.Time
}

type sentMove struct {
	uci          string
	shown        int // how many states had been shown by then
	began, ended time.Time
	err          error
}

// meant tells whether the move was sent for a board with so many plies.
func (s *sight) meant(q sentMove, plies int) bool {
	return slices.ContainsFunc(s.plies[:q.shown], func(p shown) bool { return p.plies == plies })
}

func (w *witness) of(id string) *sight {
	if w.games[id] == nil {
		w.games[id] = &sight{}
	}
	return w.games[id]
}

// dead and alive note that the daemon is killed and that the next one is ready.
func (w *witness) dead(at time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.absent = append(w.absent, [2]time.Time{at, at})
}

// forget takes from all games what only the daemon that is gone knew.
func (w *witness) forget() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, s := range w.games {
		s.known = false
	}
}

func (w *witness) alive(at time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.absent[len(w.absent)-1][1] = at
}

// watch puts the witness between a daemon and its client.
func (w *witness) watch(c bot.Client) bot.Client { return watched{c, w} }

type watched struct {
	bot.Client
	w *witness
}

func (c watched) StreamGame(ctx context.Context, id string, handle func(lichess.GameLine)) error {
	return c.Client.StreamGame(ctx, id, func(l lichess.GameLine) {
		state := l.State
		if l.Full != nil {
			state = &l.Full.State
		}
		if state != nil {
			c.w.mu.Lock()
			s := c.w.of(id)
			s.known = s.known || l.Full != nil
			if s.known { // without it nobody knows what game this is
				s.plies = append(s.plies, shown{len(state.MoveList()), l.Arrived})
			}
			c.w.mu.Unlock()
		}
		handle(l)
	})
}

func (c watched) SendMove(ctx context.Context, m lichess.MoveRequest) (lichess.MoveTimes, error) {
	c.w.mu.Lock()
	s := c.w.of(m.GameID)
	i := len(s.sent)
	s.sent = append(s.sent, sentMove{uci: m.UCI, shown: len(s.plies), began: time.Now()})
	c.w.mu.Unlock()
	times, err := c.Client.SendMove(ctx, m)
	c.w.mu.Lock()
	s.sent[i].ended, s.sent[i].err = time.Now(), err
	c.w.mu.Unlock()
	return times, err
}

// judge looks back at a world whose daemon has ended.
func (w *witness) judge(t *testing.T, h *house, sum *tally) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if sum.endings == nil {
		sum.endings, sum.flags = map[string]int{}, map[string]int{}
	}
	for _, r := range h.Games() {
		sum.games++
		sum.endings[r.Status.String()]++
		sum.played += r.Ended.Sub(r.Created)
		if !r.Over() {
			t.Errorf("game %s does not end: %d plies", r.ID, len(r.Moves))
			continue
		}
		s := w.of(r.ID)
		if r.FlagFallen() == "Zeitnot" {
			why, avoidable := w.lostOnTime(r, s)
			sum.flags[why]++
			if avoidable {
				t.Errorf("game %s (%v+%v), ply %d: our flag fell: %s", r.ID, r.Control.Limit, r.Control.Increment, len(r.Moves)+1, why)
			}
		}
		for _, m := range r.Moves {
			if m.Color != r.Color("Zeitnot") {
				continue
			}
			sum.moves++
			if !slices.ContainsFunc(s.sent, func(q sentMove) bool { return sameMove(q.uci, m.UCI) && s.meant(q, m.Ply-1) }) {
				t.Errorf("game %s, ply %d: %s was not meant for this position", r.ID, m.Ply, m.UCI)
			}
		}
		for _, q := range s.sent {
			if e, ok := errors.AsType[*lichess.Error](q.err); ok && illegal(e) && !s.second(q, r) {
				t.Errorf("game %s: illegal move %s: %s", r.ID, q.uci, e.Message)
			}
		}
	}
	for _, q := range h.Requests(nil) {
		sum.requests++
		if q.Fault != "" && q.Fault != "gone" {
			sum.hit++
		}
		if q.Endpoint == sandbox.EndpointGame {
			sum.streams++
		}
	}
}

// illegal tells whether the server refused a move as such, not because it came too late.
func illegal(e *lichess.Error) bool {
	return e.Status == 400 && (strings.Contains(e.Message, "iece on") || strings.Contains(e.Message, "Invalid UCI"))
}

// second tells whether the request repeats a move that was played: the answer to the first
// did not come, and the opponent has replied in the meantime. The piece is not where it was
// then, so such a move is never legal.
func (s *sight) second(q sentMove, r sandbox.GameRecord) bool {
	return slices.ContainsFunc(r.Moves, func(m sandbox.MoveRecord) bool {
		return m.Color == r.Color("Zeitnot") && sameMove(m.UCI, q.uci) && s.meant(q, m.Ply-1)
	})
}

// sameMove compares moves in either notation of castling.
func sameMove(a, b string) bool {
	return a == b || len(a) == 4 && len(b) == 4 && a[0] == 'e' && a[:2] == b[:2] && (a[2] > a[0]) == (b[2] > b[0])
}

// lostOnTime says why our flag ended a game, and whether a move could have saved it: it could
// not when we did not know in time that it was our turn, or tried all the time.
func (w *witness) lostOnTime(r sandbox.GameRecord, s *sight) (why string, avoidable bool) {
	if len(r.Moves) == 0 {
		return "before the first move", true
	}
	last := r.Moves[len(r.Moves)-1]
	left := last.White
	if r.Color("Zeitnot") == "black" {
		left = last.Black
	}
	flag := last.At.Add(left)
	if left < 2*time.Second {
		return "less than 2 s were left", false
	}
	since := last.At // the daemon that was there at the end has been there since
	for _, a := range w.absent {
		if a[1].After(since) && a[0].Before(flag) {
			since = a[1]
		}
	}
	if since.After(flag.Add(-2 * time.Second)) {
		return "no daemon was there", false
	}
	i := slices.IndexFunc(s.plies, func(p shown) bool { return p.plies == len(r.Moves) && !p.at.Before(since) })
	if i < 0 || s.plies[i].at.After(flag.Add(-2*time.Second)) {
		return "no stream told of our turn", false
	}
	idle := s.plies[i].at // since when nothing was tried
	limited := false
	for _, q := range s.sent {
		if q.ended.Before(idle) && !q.ended.IsZero() || q.began.After(flag) {
			continue
		}
		if gap := q.began.Sub(idle); gap > 6*time.Second && !limited {
			return fmt.Sprintf("nothing was sent for %v before %s", gap, q.uci), true
		}
		idle, limited = q.ended, lichess.IsRateLimited(q.err)
		if idle.IsZero() {
			return "no attempt was answered", false
		}
	}
	if gap := flag.Sub(idle); gap > 6*time.Second && !limited {
		return fmt.Sprintf("nothing was sent for the last %v of %v", gap, left), true
	}
	return "no attempt was answered well", false
}
