package bot_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	crand "crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"math/big"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rs/zerolog"

	"zeitnot/bot"
	"zeitnot/engine"
	"zeitnot/engine/instant"
	"zeitnot/engine/scripted"
	"zeitnot/leaktest"
	"zeitnot/lichess"
	"zeitnot/lichess/sandbox"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(gamesEnv); dir != "" {
		fmt.Fprintln(os.Stderr, endGames(dir))
		os.Exit(1)
	}
	leaktest.Main(m)
}

// house is a sandbox with the daemon in it.
type house struct {
	*sandbox.Server
	t       *testing.T
	ctx     context.Context
	mem     *sandbox.MemListener // in virtual time
	client  lichess.Options
	options bot.Options
	wrap    func(bot.Client) bot.Client // puts something between; nil does not
	closing []func()
	// Of the present daemon.
	daemon *bot.Daemon
	done   chan error // what Run returned
	stop   func() error
}

const rival = "Rival"

// sparring is an opponent with fixed habits.
func sparring(sc sandbox.Script) sandbox.OpponentSpec {
	return sandbox.OpponentSpec{Name: rival, Rating: 1900, Takebacks: true, New: sc.Player}
}

// inSandbox runs a test with a daemon in a sandbox in virtual time.
func inSandbox(t *testing.T, o sandbox.Options, change func(*bot.Options), test func(h *house)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		mem := sandbox.Listen()
		h := newHouse(t, o, mem, change)
		h.mem, h.client.URL, h.client.Dial = mem, "http://sandbox", mem.DialContext
		defer h.close()
		h.start()
		test(h)
	})
}

func newHouse(t *testing.T, o sandbox.Options, l net.Listener, change func(*bot.Options)) *house {
	t.Helper()
	o.Accounts = append(o.Accounts, sandbox.AccountSpec{Name: "Zeitnot", Title: "BOT", Token: "lip_test", Takebacks: true})
	s, err := sandbox.New(o)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- s.Run(ctx, l) }()
	h := &house{Server: s, t: t, ctx: ctx}
	h.closing = append(h.closing, func() {
		cancel()
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Errorf("sandbox ended with %v", err)
		}
	})
	h.options = bot.Options{
		Searchers: []engine.Searcher{scripted.Sleeper{Share: 0.5}}, LastResort: instant.Greedy{},
		Clock:  fixed{Soft: 100 * time.Millisecond, Hard: 200 * time.Millisecond},
		Policy: bot.ChallengePolicy{Human: rules(), Bot: rules()}, StateDir: t.TempDir(), DrainTimeout: time.Hour,
		Random: drawn(o.Seed),
	}
	if change != nil {
		change(&h.options)
	}
	return h
}

// drawn draws the same jitter in every run of a test, as far as the same is asked for in the
// same order.
func drawn(seed uint64) func() float64 {
	var mu sync.Mutex
	random := rand.New(rand.NewPCG(seed, 0x3a17))
	return func() float64 {
		mu.Lock()
		defer mu.Unlock()
		return random.Float64()
	}
}

// start starts a daemon of its own client; there is one at a time.
func (h *house) start() {
	h.t.Helper()
	token, err := lichess.NewSecret("lip_test")
	if err != nil {
		h.t.Fatal(err)
	}
	h.client.Token = token
	client, err := lichess.New(h.client)
	if err != nil {
		h.t.Fatal(err)
	}
	o := h.options
	o.Client = client
	if h.wrap != nil {
		o.Client = h.wrap(client)
	}
	h.stop = func() error { return nil }
	h.daemon = bot.New(o)
	ctx, cancel := context.WithCancel(h.ctx)
	done := make(chan error, 1)
	h.done = done
	daemon := h.daemon
	go func() { done <- daemon.Run(ctx) }()
	h.stop = func() error {
		cancel()
		err := <-done
		client.Close()
		h.stop = func() error { return nil }
		return err
	}
	select {
	case <-daemon.Ready():
	case err := <-done:
		h.t.Fatalf("daemon ended with %v before it was ready", err)
	}
}

func (h *house) close() {
	_ = h.stop() // games may be left; the test has seen what it wanted
	for _, f := range slices.Backward(h.closing) {
		f()
	}
}

// challenge has the rival challenge us, and returns the game that comes of it.
func (h *house) challenge(c sandbox.Challenge) string {
	h.t.Helper()
	c.From, c.To = rival, "Zeitnot"
	if c.Control == (sandbox.TimeControl{}) {
		c.Control = sandbox.ClockControl(3*time.Minute, 2*time.Second)
	}
	id, err := h.Challenge(c)
	if err != nil {
		h.t.Fatal(err)
	}
	return id
}

// finished waits for the end of a game, so long at most.
func (h *house) finished(id string, within time.Duration) sandbox.GameRecord {
	h.t.Helper()
	ctx, cancel := context.WithTimeout(h.ctx, within)
	defer cancel()
	r, err := h.WaitFinished(ctx, id)
	if err != nil {
		running, _ := h.Game(id)
		h.t.Fatalf("game %s does not end: %v; %d plies, clocks %v %v, health %+v", id, err, len(running.Moves), running.WhiteClock, running.BlackClock, h.daemon.Health())
	}
	return r
}

// wantWon wants the game to have been played to the resignation of the rival.
func (h *house) wantWon(r sandbox.GameRecord) {
	h.t.Helper()
	if r.Status.String() != "resign" || r.Winner != r.Color("Zeitnot") {
		h.t.Errorf("game: got %v, winner %q of %d plies, want the rival's resignation", r.Status, r.Winner, len(r.Moves))
	}
}

// wantIdle wants no slot to be held after a moment, in real time after as long as a busy machine
// may need.
func (h *house) wantIdle() {
	h.t.Helper()
	moments := 1
	if h.mem == nil {
		moments = 60
	}
	var got bot.Health
	for range moments {
		time.Sleep(2 * time.Second)
		if got = h.daemon.Health(); got.SlotsUsed == 0 && len(got.Games) == 0 && got.SearchesInUse == 0 {
			return
		}
	}
	h.t.Errorf("after the game: got %+v, want nothing in use", got)
}

// slowest is our longest move on the server's watch, free first plies not counted.
func slowest(r sandbox.GameRecord) time.Duration {
	var most time.Duration
	for _, m := range r.Moves {
		if m.Color == r.Color("Zeitnot") && m.Ply > 2 {
			most = max(most, m.Took)
		}
	}
	return most
}

func TestGameIsFinishedThroughEveryFault(t *testing.T) {
	const think = 50 * time.Millisecond
	for _, c := range []struct {
		name   string
		faults string
		within time.Duration // the longest that one of our moves may take beyond its think
	}{
		{"nothing", "", 10 * time.Millisecond},
		{"clean end of the game stream", "cut game ply=11", 500 * time.Millisecond},
		{"reset of the game stream", "reset game ply=11", 500 * time.Millisecond},
		{"half a line, then a reset", "halfline game ply=11", 500 * time.Millisecond},
		{"silence on the game stream", "silent game ply=11", 16 * time.Second},
		{"429 once on a move", "status move code=429 from=5", 62 * time.Second},
		{"502 three times on a move", "status move code=502 from=5 times=3", time.Second},
		{"reply to a move lost", "lost move from=5", 400 * time.Millisecond},
		{"reply to a move is 504 after a minute", "lost move code=504 for=60s from=5", 400 * time.Millisecond},
		{"connection of a move reset after it was taken", "lost move as=reset from=5", 400 * time.Millisecond},
		{"connection of a move reset before it was taken", "reset move from=5", 400 * time.Millisecond},
		{"move hangs", "hang move from=5", 400 * time.Millisecond},
		{"every line twice", "dup event; dup game", 10 * time.Millisecond},
		{"event stream cut", "cut event after=2s", 10 * time.Millisecond},
		{"event stream silent", "silent event after=2s", 10 * time.Millisecond},
		{"garbage between the lines", "garbage event; garbage game", 10 * time.Millisecond},
		{"unknown events", "unknown event; unknown game", 10 * time.Millisecond},
		{"oversize lines", "oversize game size=2000000", 10 * time.Millisecond},
		{"bytes one at a time", "trickle game gap=10us", 100 * time.Millisecond},
		{"stream refused for a while", "cut game ply=11; status game code=429 from=2", 62 * time.Second},
		{"stream answered 502 for a while", "cut game ply=11; status game code=502 from=2 times=5", 4 * time.Second},
	} {
		for _, color := range []string{"white", "black"} {
			t.Run(c.name+", rival is "+color, func(t *testing.T) {
				o := sandbox.Options{Seed: 1, Opponents: []sandbox.OpponentSpec{sparring(sandbox.Script{Think: 50 * time.Millisecond, ResignAt: 15, Seed: 3})}}
				inSandbox(t, o, nil, func(h *house) {
					if err := h.InjectSpec(c.faults); err != nil {
						t.Fatal(err)
					}
					r := h.finished(h.challenge(sandbox.Challenge{Color: color}), 20*time.Minute)
					h.wantWon(r)
					if got := slowest(r); got > think+c.within {
						t.Errorf("our slowest move took %v, want at most %v", got, think+c.within)
					}
					h.wantIdle()
				})
			})
		}
	}
}

// Four games, and a daemon that is ended fifty times, now in the middle of a search, now of a
// request, and now away for some seconds.
func TestRestartedDaemonResumesItsGames(t *testing.T) {
	const games, restarts = 4, 50
	o := sandbox.Options{Seed: 1, Limits: sandbox.Limits{EventConnects: -1, ChallengesPerMinute: -1}}
	o.Faults = []sandbox.Fault{{Kind: sandbox.Latency, Account: "zeitnot", In: 30 * time.Millisecond, Out: 30 * time.Millisecond}}
	for i := range games {
		spec := sparring(sandbox.Script{Think: 6 * time.Second, Spread: 5 * time.Second, FirstMove: time.Second, ResignAt: 28, Seed: uint64(i)})
		spec.Name = fmt.Sprintf("Rival%d", i)
		o.Opponents = append(o.Opponents, spec)
	}
	inSandbox(t, o, func(o *bot.Options) {
		o.Concurrency, o.Chat.Greeting = games, "Hello!"
		o.Searchers = []engine.Searcher{scripted.Sleeper{Share: 1}, scripted.Sleeper{Share: 1}}
	}, func(h *house) {
		var ids []string
		for i := range games {
			id, err := h.Challenge(sandbox.Challenge{From: fmt.Sprintf("Rival%d", i), To: "Zeitnot", Control: sandbox.ClockControl(10*time.Minute, 0), Rated: true})
			if err != nil {
				t.Fatal(err)
			}
			ids = append(ids, id)
		}
		random := rand.New(rand.NewPCG(1, 2))
		time.Sleep(5 * time.Second) // the first moves
		for i := range restarts {
			time.Sleep(time.Duration(random.Int64N(int64(1500 * time.Millisecond))))
			if err := h.stop(); !errors.Is(err, bot.ErrGamesLeft) {
				t.Fatalf("stop %d: got %v, want ErrGamesLeft", i, err)
			}
			time.Sleep(time.Duration(random.Int64N(int64(2 * time.Second))))
			h.start()
			time.Sleep(2 * time.Second) // an action within two seconds of the start
			for _, id := range ids {
				r, known := h.Game(id)
				ours := (len(r.Moves)%2 == 0) == (r.Color("Zeitnot") == "white")
				if !known || ours && time.Since(r.Moves[len(r.Moves)-1].At) > 2*time.Second {
					t.Errorf("start %d, game %s: no move of ours after two seconds", i, id)
				}
			}
		}
		for _, id := range ids {
			r := h.finished(id, 20*time.Minute)
			if s := r.Status.String(); s != "resign" && s != "mate" || s == "resign" && r.Winner != r.Color("Zeitnot") {
				t.Errorf("game: got %v, winner %q of %d plies, want it played out", s, r.Winner, len(r.Moves))
			}
			if n := len(slices.DeleteFunc(r.Chat, func(l string) bool { return !strings.HasPrefix(l, "Zeitnot") })); n != 1 {
				t.Errorf("greetings: got %d, want 1", n)
			}
		}
		if n := len(h.Requests(func(q sandbox.Request) bool { return q.Endpoint == sandbox.EndpointMove && q.Status == 400 })); n > restarts {
			t.Errorf("moves refused: got %d, want at most one a restart", n)
		}
		h.wantIdle()
	})
}

func TestDeadEventStreamIsReplacedWithinAMinuteAndTheGameGoesOn(t *testing.T) {
	for _, fault := range []string{"silent event after=7s", "halfclose event after=7s", "cut event after=7s", "blackhole after=7s"} {
		t.Run(fault, func(t *testing.T) {
			o := sandbox.Options{Seed: 1, Opponents: []sandbox.OpponentSpec{
				sparring(sandbox.Script{Think: 2500 * time.Millisecond, ResignAt: 30, Seed: 3}),
				{Name: "Second", New: sandbox.Script{Think: time.Second, ResignAt: 5}.Player},
			}}
			var log lines
			inSandbox(t, o, func(o *bot.Options) { o.Concurrency, o.Log = 2, log.logger() }, func(h *house) {
				id := h.challenge(sandbox.Challenge{})
				if err := h.InjectSpec(fault); err != nil {
					t.Fatal(err)
				}
				time.Sleep(7*time.Second + time.Minute)
				streams := h.Requests(func(q sandbox.Request) bool { return q.Endpoint == sandbox.EndpointEvents })
				if len(streams) != 2 {
					t.Fatalf("event streams in a minute: got %d, want 2", len(streams))
				}
				if n := log.count(`"level":"warn"`); n != 1 {
					t.Errorf("warnings: got %d, want 1:\n%s", n, log.String())
				}
				second, err := h.Challenge(sandbox.Challenge{From: "Second", To: "Zeitnot", Control: sandbox.ClockControl(time.Minute, 0)})
				if err != nil {
					t.Fatal(err)
				}
				h.wantWon(h.finished(second, 5*time.Minute))
				h.wantWon(h.finished(id, 20*time.Minute))
				if n := h.CountRequests(sandbox.EndpointGame, "zeitnot"); n != 2 && fault[:9] != "blackhole" {
					t.Errorf("game streams: got %d for two games, want 2", n)
				}
				h.wantIdle()
			})
		})
	}
}

func TestServerRestartIsSurvivedWithoutHammering(t *testing.T) {
	const down = 2 * time.Minute
	o := sandbox.Options{Seed: 1, Opponents: []sandbox.OpponentSpec{sparring(sandbox.Script{Think: 50 * time.Millisecond, ResignAt: 30, Seed: 3})}}
	var log lines
	inSandbox(t, o, func(o *bot.Options) { o.Log = log.logger() }, func(h *house) {
		id := h.challenge(sandbox.Challenge{Control: sandbox.ClockControl(5*time.Minute, 0)})
		time.Sleep(2 * time.Second)
		began := time.Now()
		h.Restart(down)
		time.Sleep(down)
		// A game's stream and a move that was on its way are asked for side by side.
		tries := map[sandbox.Endpoint]int{}
		for _, q := range h.Requests(func(q sandbox.Request) bool { return q.At.After(began) }) {
			tries[q.Endpoint]++
		}
		for endpoint, n := range tries {
			// A few more at first, when it may be a matter of a second.
			if most := 5 + 12*int(down/time.Minute); n > most {
				t.Errorf("%s: got %d requests in %v, want %d at most", endpoint, n, down, most)
			}
		}
		if len(tries) < 2 {
			t.Errorf("nothing was tried while the server was down: %v", tries)
		}
		h.wantWon(h.finished(id, 20*time.Minute))
		h.wantIdle()
	})
	if log.count("502") == 0 || log.count("<") > 0 {
		t.Errorf("log: got %d lines with 502 and %d with a page, want some and none", log.count("502"), log.count("<"))
	}
}

// lines is a log that is looked at.
type lines struct {
	mu   sync.Mutex // guards text
	text strings.Builder
}

func (l *lines) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

func (l *lines) logger() zerolog.Logger { return zerolog.New(l) }

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// count counts the lines with the text.
func (l *lines) count(text string) (n int) {
	for line := range strings.Lines(l.String()) {
		if strings.Contains(line, text) {
			n++
		}
	}
	return n
}

// A lost NAT entry: no error, no byte. A server that offers HTTP/2 must not tempt us to share
// one connection.
func TestSwallowedConnectionsAreReplaced(t *testing.T) {
	for name, secure := range map[string]bool{"plain": false, "TLS, HTTP/2 offered": true} {
		t.Run(name, func(t *testing.T) {
			o := sandbox.Options{Seed: 1, Opponents: []sandbox.OpponentSpec{sparring(sandbox.Script{Think: 50 * time.Millisecond, ResignAt: 30, Seed: 3})}}
			synctest.Test(t, func(t *testing.T) {
				mem := sandbox.Listen()
				var l net.Listener = mem
				if secure {
					l = tls.NewListener(mem, serverTLS(t))
				}
				h := newHouse(t, o, l, nil)
				h.mem, h.client.URL, h.client.Dial = mem, "http://sandbox", mem.DialContext
				if secure {
					h.client.URL, h.client.TLS = "https://sandbox", &tls.Config{InsecureSkipVerify: true}
				}
				defer h.close()
				h.start()
				id := h.challenge(sandbox.Challenge{})
				time.Sleep(2 * time.Second)
				h.mem.Blackhole()
				began := time.Now()
				r := h.finished(id, 20*time.Minute)
				h.wantWon(r)
				if got := slowest(r); got > 20*time.Second {
					t.Errorf("our slowest move took %v, want at most 20 s", got)
				}
				streams := h.Requests(func(q sandbox.Request) bool { return q.Endpoint == sandbox.EndpointGame })
				if len(streams) < 2 || streams[1].At.Sub(began) > 20*time.Second {
					t.Errorf("game streams: got %d, want a second one within 20 s", len(streams))
				}
			})
		})
	}
}

// serverTLS is a server that has a certificate of its own and offers HTTP/2. Who takes that
// fails the test.
func serverTLS(t *testing.T) *tls.Config {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), crand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), DNSNames: []string{"sandbox"}, NotAfter: time.Now().Add(time.Hour)}
	certificate, err := x509.CreateCertificate(crand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	return &tls.Config{
		Certificates: []tls.Certificate{{Certificate: [][]byte{certificate}, PrivateKey: key}},
		NextProtos:   []string{"h2", "http/1.1"},
		VerifyConnection: func(c tls.ConnectionState) error {
			if c.NegotiatedProtocol == "h2" {
				t.Error("a connection was made with HTTP/2")
			}
			return nil
		},
	}
}

func TestChess960GamesInEveryShape(t *testing.T) {
	for _, c := range []struct {
		name string
		sandbox.Challenge
		rook bool
	}{
		{"chess960", sandbox.Challenge{Variant: sandbox.Chess960}, false},
		{"from position with X-FEN rights", sandbox.Challenge{FEN: "1r1k1r2/pppppppp/8/8/8/8/PPPPPPPP/1R1K1R2 w KQkq - 0 1"}, false},
		{"from position with Shredder rights", sandbox.Challenge{FEN: "4kr2/pppppppp/8/8/8/8/PPPPPPPP/4KR2 w Ff - 0 1"}, false},
		{"standard, castling as e1g1", sandbox.Challenge{FEN: "r3k2r/pppppppp/8/8/8/8/PPPPPPPP/R3K2R w KQkq - 0 1"}, false},
		{"standard, castling as e1h1", sandbox.Challenge{}, true},
	} {
		for _, color := range []string{"white", "black"} {
			t.Run(c.name+", rival is "+color, func(t *testing.T) {
				o := sandbox.Options{Seed: 2, RookCastling: c.rook, Opponents: []sandbox.OpponentSpec{sparring(sandbox.Script{ResignAt: 40, Seed: 3})}}
				inSandbox(t, o, func(o *bot.Options) { o.Searchers = []engine.Searcher{castles{}} }, func(h *house) {
					challenge := c.Challenge
					challenge.Color = color
					r := h.finished(h.challenge(challenge), 20*time.Minute)
					if s := r.Status.String(); s == "outoftime" || s == "aborted" || s == "resign" && r.Winner != r.Color("Zeitnot") {
						t.Errorf("game: got %v, winner %q of %d plies", r.Status, r.Winner, len(r.Moves))
					}
					if n := len(h.Requests(func(q sandbox.Request) bool { return q.Endpoint == sandbox.EndpointMove && q.Status == 400 })); n > 0 {
						t.Errorf("moves refused: got %d, want none", n)
					}
					castled := slices.ContainsFunc(r.Moves, func(m sandbox.MoveRecord) bool {
						return m.Color == r.Color("Zeitnot") && strings.HasPrefix(m.SAN, "O-O")
					})
					if c.FEN != "" && !castled {
						t.Error("we never castled")
					}
				})
			})
		}
	}
}

func TestDrawOfferIsAnsweredInAGame(t *testing.T) {
	o := sandbox.Options{Seed: 1, Opponents: []sandbox.OpponentSpec{sparring(sandbox.Script{Think: 10 * time.Millisecond, OfferDraws: 12, ResignAt: 60, Seed: 3})}}
	inSandbox(t, o, func(o *bot.Options) {
		o.Draw = bot.DrawRule{Accept: true, Score: 10, Moves: 10}
		o.Searchers = []engine.Searcher{&thinks{answer: scores(func(int) engine.Score { return 5 })}}
	}, func(h *house) {
		r := h.finished(h.challenge(sandbox.Challenge{}), time.Hour)
		if r.Status.String() != "draw" || len(r.Moves) < 20 || len(r.Moves) > 30 {
			t.Errorf("game: got %v of %d plies, want a draw by the twelfth move", r.Status, len(r.Moves))
		}
		h.wantIdle()
	})
}

func TestTakebackIsPlayedOnFrom(t *testing.T) {
	for _, granted := range []int{0, 1} {
		o := sandbox.Options{Seed: 1, Opponents: []sandbox.OpponentSpec{sparring(sandbox.Script{Think: 10 * time.Millisecond, Takebacks: 5, ResignAt: 20, Seed: 3})}}
		inSandbox(t, o, func(o *bot.Options) { o.Takeback.Casual = granted }, func(h *house) {
			r := h.finished(h.challenge(sandbox.Challenge{}), time.Hour)
			h.wantWon(r)
			if n := h.CountRequests(sandbox.EndpointTakeback, "zeitnot"); n != 1 {
				t.Errorf("granted %d: answers to one proposal: got %d, want 1", granted, n)
			}
			h.wantIdle()
		})
	}
}

func TestVictoryIsClaimedOverAnOpponentWhoLeft(t *testing.T) {
	o := sandbox.Options{Seed: 1, Opponents: []sandbox.OpponentSpec{sparring(sandbox.Script{Think: 10 * time.Millisecond, LeaveAt: 8, Seed: 3})}}
	inSandbox(t, o, nil, func(h *house) {
		r := h.finished(h.challenge(sandbox.Challenge{}), time.Hour)
		if r.Status.String() != "timeout" || r.Winner != r.Color("Zeitnot") {
			t.Errorf("game: got %v, winner %q, want the claimed win", r.Status, r.Winner)
		}
		if d := r.Ended.Sub(r.Created); d > 2*time.Minute {
			t.Errorf("claimed after %v, want within two minutes", d)
		}
		h.wantIdle()
	})
}

func TestOpponentWhoNeverMovesIsAborted(t *testing.T) {
	for _, color := range []string{"white", "black"} {
		o := sandbox.Options{Seed: 1, DoubleAbort: true, Opponents: []sandbox.OpponentSpec{sparring(sandbox.Script{NoShow: true})}}
		inSandbox(t, o, nil, func(h *house) {
			r := h.finished(h.challenge(sandbox.Challenge{Color: color}), time.Hour)
			if r.Status.String() != "aborted" {
				t.Errorf("game: got %v, want aborted", r.Status)
			}
			if n := h.CountRequests(sandbox.EndpointAbort, "zeitnot"); n != 1 {
				t.Errorf("aborts: got %d, want 1", n)
			}
			h.wantIdle()
		})
	}
}

func TestDrainFinishesTheGameAndDeclinesTheNext(t *testing.T) {
	o := sandbox.Options{Seed: 1, Opponents: []sandbox.OpponentSpec{sparring(sandbox.Script{Think: 50 * time.Millisecond, ResignAt: 30, Seed: 3})}}
	inSandbox(t, o, nil, func(h *house) {
		id := h.challenge(sandbox.Challenge{})
		time.Sleep(time.Second)
		h.daemon.Drain()
		later, err := h.WaitChallenge(h.ctx, h.challenge(sandbox.Challenge{}))
		if err != nil || later.State != "declined" || later.Reason != "later" {
			t.Errorf("challenge while draining: got %+v (%v), want declined: later", later, err)
		}
		h.wantWon(h.finished(id, time.Hour))
		time.Sleep(2 * time.Second)
		if err := h.stop(); err != nil {
			t.Errorf("Run: got %v, want nil", err)
		}
	})
}

func TestFinishedGamesAreInThePGNOnce(t *testing.T) {
	o := sandbox.Options{Seed: 1, Opponents: []sandbox.OpponentSpec{
		{Name: rival, New: sandbox.Script{Think: 10 * time.Millisecond, ResignAt: 5, Seed: 3}.Player},
	}}
	inSandbox(t, o, nil, func(h *house) {
		ids := []string{}
		for _, c := range []sandbox.Challenge{{Rated: true}, {Variant: sandbox.Chess960}, {FEN: "4k3/4p3/8/8/8/8/4P3/4K3 w - - 0 1"}} {
			id := h.challenge(c)
			h.finished(id, time.Hour)
			time.Sleep(2 * time.Second)
			ids = append(ids, id)
		}
		h.stop()
		text, err := os.ReadFile(filepath.Join(h.options.StateDir, "games.pgn"))
		if err != nil {
			t.Fatal(err)
		}
		games := readPGN(t, string(text))
		var got []string
		for _, g := range games {
			got = append(got, g.Tags.Get("GameId"))
			if r := g.Tags.Get("Result"); r != "1-0" && r != "0-1" || len(g.Moves) < 8 {
				t.Errorf("game %s: result %q with %d moves", g.Tags.Get("GameId"), r, len(g.Moves))
			}
		}
		if diff := cmp.Diff(ids, got); diff != "" {
			t.Errorf("games in the PGN (-want +got):\n%s", diff)
		}
		if v := games[1].Tags.Get("Variant"); v != "Chess960" {
			t.Errorf("variant: got %q, want Chess960", v)
		}
		if games[2].Tags.Get("FEN") == "" {
			t.Error("game from a position has no FEN")
		}
		if games[0].Moves[3].Clock == nil {
			t.Error("moves carry no clock")
		}
	})
}
