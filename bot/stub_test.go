package bot_test

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"zeitnot/bot"
	"zeitnot/clock"
	"zeitnot/engine"
	"zeitnot/engine/position"
	"zeitnot/lichess"
)

// stub is a server that does what a test says, in virtual time: streams are fed by hand
// and every request is noted with its time.
type stub struct {
	mu     sync.Mutex // guards everything below
	token  *lichess.TokenInfo
	title  string
	events chan any // lichess.Event or error; the reader of the open stream takes them
	opens  int      // event streams opened
	games  map[string]*stubGame
	calls  []call
	// answers by call ("move", "accept", "abort", …), given the call's text and how often
	// its kind was called before; nil plays the move or says yes.
	answers map[string]func(text string, n int) error
	counts  map[string]int
	// writing is how long it takes to write a move to the connection.
	writing time.Duration
	// hang, when set, may keep a move request until its context ends; it says whether it did.
	hang func(context.Context, lichess.MoveRequest) bool
}

// call is one request.
type call struct {
	at   time.Time
	text string
}

// stubGame is a game as the server has it.
type stubGame struct {
	full   lichess.GameFull
	lines  chan any // lichess.GameLine or error, for the open stream
	opens  int
	noEcho bool // moves are played but not shown
	hidden bool // not in the list of running games
	noFull int  // so many streams more lose their first line
}

const me = "zeitnot"

func newStub() *stub {
	return &stub{
		token:   &lichess.TokenInfo{UserID: me, Scopes: "bot:play"},
		title:   lichess.TitleBot,
		events:  make(chan any, 1000),
		games:   map[string]*stubGame{},
		answers: map[string]func(string, int) error{},
		counts:  map[string]int{},
	}
}

// game adds a running game in which we have the colour; moves are those already played.
func (s *stub) game(id string, color lichess.Color, moves string) *stubGame {
	return s.gameAt(id, color, moves, lichess.StatusStarted)
}

// gameAt is game for one that stands so from the instant that the server has it.
func (s *stub) gameAt(id string, color lichess.Color, moves string, status lichess.Status) *stubGame {
	s.mu.Lock()
	defer s.mu.Unlock()
	g := &stubGame{lines: make(chan any, 1000)}
	g.full = lichess.GameFull{
		ID: id, Variant: lichess.VariantOf(lichess.Standard), Speed: lichess.Blitz,
		CreatedAt: time.Now().UnixMilli(), InitialFEN: "startpos",
		Clock: &lichess.GameClock{Initial: 180000, Increment: 2000},
		State: lichess.GameState{Moves: moves, WTime: 180000, BTime: 180000, WInc: 2000, BInc: 2000, Status: status},
	}
	ours := lichess.Player{ID: me, Name: "Zeitnot", Title: lichess.TitleBot, Rating: 2000}
	theirs := lichess.Player{ID: "opp", Name: "Opp", Rating: 1900}
	if color == lichess.White {
		g.full.White, g.full.Black = ours, theirs
	} else {
		g.full.White, g.full.Black = theirs, ours
	}
	s.games[id] = g
	return g
}

// start sends the gameStart of a game.
func (s *stub) start(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	info := s.games[id].info()
	s.events <- lichess.Event{Type: lichess.EventGameStart, Game: &info}
}

func (s *stub) send(e any) { s.events <- e }

func (g *stubGame) info() lichess.GameInfo {
	color, opponent := lichess.White, g.full.Black
	if strings.EqualFold(g.full.Black.ID, me) {
		color, opponent = lichess.Black, g.full.White
	}
	whites := len(g.full.State.MoveList())%2 == 0
	return lichess.GameInfo{
		IsMyTurn: whites == (color == lichess.White), GameID: g.full.ID, ID: g.full.ID, FullID: g.full.ID + "wxyz", Color: color, Source: "friend",
		Status: lichess.GameStatusOf(g.full.State.Status), Variant: g.full.Variant, Speed: g.full.Speed,
		Opponent: lichess.Opponent{ID: opponent.ID, Username: opponent.Name, Rating: opponent.Rating},
		Compat:   &lichess.Compat{Bot: true},
	}
}

// push shows a new state: change edits the present one.
func (s *stub) push(id string, change func(*lichess.GameState)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	g := s.games[id]
	g.full.State.WDraw, g.full.State.BDraw, g.full.State.WTakeback, g.full.State.BTakeback = false, false, false, false
	change(&g.full.State)
	state := g.full.State
	g.lines <- lichess.GameLine{Arrived: time.Now(), State: &state}
}

// moves shows a move list.
func (s *stub) moves(id, list string) {
	s.push(id, func(st *lichess.GameState) { st.Moves = list })
}

// reply adds the opponent's move to what is on the board.
func (s *stub) reply(id, uci string) {
	s.push(id, func(st *lichess.GameState) { st.Moves = strings.TrimSpace(st.Moves + " " + uci) })
}

// end ends a game.
func (s *stub) end(id string, status lichess.Status, winner lichess.Color) {
	s.push(id, func(st *lichess.GameState) { st.Status, st.Winner = status, winner })
	s.mu.Lock()
	defer s.mu.Unlock()
	s.games[id].lines <- io.EOF
}

// cut ends the open stream of a game.
func (s *stub) cut(id string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.games[id].lines <- err
}

// line sends any other line.
func (s *stub) line(id string, l lichess.GameLine) {
	s.mu.Lock()
	defer s.mu.Unlock()
	l.Arrived = time.Now()
	s.games[id].lines <- l
}

// streams is how often the stream of a game was opened.
func (s *stub) streams(id string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.games[id].opens
}

// list is the move list of a game now.
func (s *stub) list(id string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.games[id].full.State.Moves
}

// on sets the answer to a kind of call; nil takes it back.
func (s *stub) on(kind string, answer func(text string, n int) error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answers[kind] = answer
}

func (s *stub) note(kind, text string) error {
	s.mu.Lock()
	s.calls = append(s.calls, call{time.Now(), text})
	n := s.counts[kind]
	s.counts[kind]++
	answer := s.answers[kind]
	s.mu.Unlock()
	if answer != nil {
		return answer(text, n)
	}
	return nil
}

// made lists the calls that begin with the prefix, without their times.
func (s *stub) made(prefix string) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var made []string
	for _, c := range s.calls {
		if strings.HasPrefix(c.text, prefix) {
			made = append(made, c.text)
		}
	}
	return made
}

// times lists when calls that begin with the prefix were made, after the given start.
func (s *stub) times(prefix string, start time.Time) []time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	var at []time.Duration
	for _, c := range s.calls {
		if strings.HasPrefix(c.text, prefix) {
			at = append(at, c.at.Sub(start))
		}
	}
	return at
}

func status(code int, after time.Duration) error {
	return &lichess.Error{Op: "stub", Status: code, RetryAfter: after}
}

// bot.Client

func (s *stub) Account(context.Context) (*lichess.Account, error) {
	if err := s.note("account", "account"); err != nil {
		return nil, err
	}
	return &lichess.Account{ID: me, Username: "Zeitnot", Title: s.title}, nil
}

func (s *stub) TestToken(context.Context) (*lichess.TokenInfo, error) {
	return s.token, s.note("token", "token test")
}

func (s *stub) Playing(context.Context) ([]lichess.GameInfo, error) {
	if err := s.note("playing", "playing"); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var list []lichess.GameInfo
	for _, id := range slices.Sorted(maps.Keys(s.games)) {
		if g := s.games[id]; !g.full.State.Status.Over() && !g.hidden {
			list = append(list, g.info())
		}
	}
	return list, nil
}

func (s *stub) StreamEvents(ctx context.Context, handle func(lichess.EventLine)) error {
	if err := s.note("events", "event stream"); err != nil {
		return err
	}
	s.mu.Lock()
	s.opens++
	s.mu.Unlock()
	handle(lichess.EventLine{Arrived: time.Now()})
	alive := time.NewTicker(7 * time.Second)
	defer alive.Stop()
	for {
		select {
		case e := <-s.events:
			switch e := e.(type) {
			case lichess.Event:
				handle(lichess.EventLine{Arrived: time.Now(), Event: &e})
			case error:
				return e
			}
		case <-alive.C:
			handle(lichess.EventLine{Arrived: time.Now()})
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (s *stub) StreamGame(ctx context.Context, id string, handle func(lichess.GameLine)) error {
	if err := s.note("game stream", "game stream "+id); err != nil {
		return err
	}
	s.mu.Lock()
	g := s.games[id]
	if g == nil {
		s.mu.Unlock()
		return status(404, 0)
	}
	g.opens++
	g.lines = make(chan any, 1000) // a new stream misses what the old one did not read
	full, lines, first := g.full, g.lines, g.noFull == 0
	if !first {
		g.noFull--
	}
	s.mu.Unlock()
	handle(lichess.GameLine{Arrived: time.Now()})
	if first {
		handle(lichess.GameLine{Arrived: time.Now(), Full: &full})
	}
	if full.State.Status.Over() {
		return io.EOF
	}
	alive := time.NewTicker(7 * time.Second)
	defer alive.Stop()
	for {
		select {
		case l := <-lines:
			switch l := l.(type) {
			case lichess.GameLine:
				handle(l)
			case error:
				return l
			}
		case <-alive.C:
			handle(lichess.GameLine{Arrived: time.Now()})
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (s *stub) PrepareMove()        {}
func (s *stub) Debt() time.Duration { return 0 }

func (s *stub) SendMove(ctx context.Context, m lichess.MoveRequest) (lichess.MoveTimes, error) {
	text := "move " + m.GameID + " " + m.UCI
	if m.OfferDraw {
		text += " draw"
	}
	if m.Hedge {
		text += " hedge"
	}
	time.Sleep(s.writing)
	times := lichess.MoveTimes{Written: time.Now()}
	if m.OnWritten != nil {
		m.OnWritten(times.Written)
	}
	if s.hang != nil && s.hang(ctx, m) {
		return times, ctx.Err()
	}
	if err := s.note("move", text); err != nil {
		return times, err
	}
	s.play(m.GameID, m.UCI)
	return times, nil
}

// play plays a move of ours as the server does, and shows it.
func (s *stub) play(id, uci string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	g := s.games[id]
	g.full.State.Moves = strings.TrimSpace(g.full.State.Moves + " " + uci)
	if !g.noEcho {
		state := g.full.State
		g.lines <- lichess.GameLine{Arrived: time.Now(), State: &state}
	}
}

func (s *stub) AcceptChallenge(_ context.Context, id string) error {
	return s.note("accept", "accept "+id)
}

func (s *stub) DeclineChallenge(_ context.Context, id string, r lichess.DeclineReason) error {
	return s.note("decline", "decline "+id+" "+string(r))
}

// CreateChallenge makes o1, o2 and so on.
func (s *stub) CreateChallenge(_ context.Context, user string, _ lichess.ChallengeRequest) (*lichess.Challenge, error) {
	s.mu.Lock()
	id := fmt.Sprintf("o%d", s.counts["create"]+1)
	s.mu.Unlock()
	if err := s.note("create", "create "+user); err != nil {
		return nil, err
	}
	return ownChallenge(id, user), nil
}

func (s *stub) CancelChallenge(_ context.Context, id string) error {
	return s.note("cancel", "cancel "+id)
}

func (s *stub) Abort(_ context.Context, id string) error  { return s.note("abort", "abort "+id) }
func (s *stub) Resign(_ context.Context, id string) error { return s.note("resign", "resign "+id) }
func (s *stub) Draw(_ context.Context, id string, yes bool) error {
	return s.note("draw", fmt.Sprintf("draw %s %v", id, yes))
}

func (s *stub) Takeback(_ context.Context, id string, yes bool) error {
	return s.note("takeback", fmt.Sprintf("takeback %s %v", id, yes))
}

func (s *stub) ClaimVictory(_ context.Context, id string) error {
	return s.note("claim", "claim victory "+id)
}

func (s *stub) ClaimDraw(_ context.Context, id string) error {
	return s.note("claim", "claim draw "+id)
}

func (s *stub) Chat(_ context.Context, id string, room lichess.Room, text string) error {
	return s.note("chat", "chat "+id+" "+string(room)+" "+text)
}

// ReadChat has the lines of ours that were sent.
func (s *stub) ReadChat(_ context.Context, id string) ([]lichess.ChatMessage, error) {
	var said []lichess.ChatMessage
	for _, line := range s.made("chat " + id + " player ") {
		said = append(said, lichess.ChatMessage{User: "Zeitnot", Text: line})
	}
	return said, s.note("read chat", "read chat "+id)
}

// thinks is a searcher that does what a test says.
type thinks struct {
	mu       sync.Mutex // guards what follows
	searched []string   // the positions asked about, as lists of moves
	running  int
	most     int // searches at a time
	// answer finds the move; nil plays the first legal move after a tenth of a second.
	answer func(ctx context.Context, g position.Game, l engine.Limits, onInfo func(engine.Info)) (engine.Result, error)
}

func (s *thinks) Search(ctx context.Context, g position.Game, l engine.Limits, onInfo func(engine.Info)) (engine.Result, error) {
	s.mu.Lock()
	s.searched = append(s.searched, uciList(g))
	s.running++
	s.most = max(s.most, s.running)
	answer := s.answer
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		s.running--
		s.mu.Unlock()
	}()
	if answer != nil {
		return answer(ctx, g, l, onInfo)
	}
	return pause(ctx, g, l, 100*time.Millisecond)
}

func (s *thinks) asked() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.searched)
}

// pause thinks for so long, unless told to stop, and plays the first legal move.
func pause(ctx context.Context, g position.Game, l engine.Limits, d time.Duration) (engine.Result, error) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
	r := engine.FirstLegal(g, l.SearchMoves)
	r.Source, r.Depth = "search", 1
	return r, nil
}

// plays answers with the moves given, by the length of the game.
func plays(moves map[int]string, d time.Duration) func(context.Context, position.Game, engine.Limits, func(engine.Info)) (engine.Result, error) {
	return func(ctx context.Context, g position.Game, l engine.Limits, _ func(engine.Info)) (engine.Result, error) {
		r, err := pause(ctx, g, l, d)
		if uci := moves[g.Len()]; uci != "" {
			if r.Best, err = g.Position().ParseUCI(uci); err != nil {
				return r, err
			}
		}
		return r, err
	}
}

func uciList(g position.Game) string {
	p, list := *g.Initial(), []string{}
	for _, m := range g.Moves() {
		list = append(list, p.UCI(m, false))
		var next position.Position
		p.Make(m, &next)
		p = next
	}
	return strings.Join(list, " ")
}

// fixed is a policy that gives every move the same.
type fixed clock.Budget

func (fixed) Name() string                      { return "fixed" }
func (f fixed) Budget(clock.State) clock.Budget { return clock.Budget(f) }

// rules accept everything that we can play.
func rules() bot.Rules {
	return bot.Rules{
		Speeds:   []string{"bullet", "blitz", "rapid"},
		Variants: []lichess.VariantKey{lichess.Standard, lichess.Chess960, lichess.FromPosition},
		Rated:    true, Casual: true,
	}
}

// rig is a daemon at a stub.
type rig struct {
	*stub
	t      *testing.T
	daemon *bot.Daemon
	think  *thinks
	start0 time.Time
	leave  context.CancelFunc
	done   chan error
}

// inVirtualTime runs a test with a daemon in a bubble; change edits its options first.
func inVirtualTime(t *testing.T, change func(*stub, *bot.Options), test func(r *rig)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := newStub()
		r := &rig{stub: s, t: t, think: &thinks{}, start0: time.Now(), done: make(chan error, 1)}
		o := bot.Options{
			Client: s, Searchers: []engine.Searcher{r.think}, Clock: fixed{Soft: time.Second, Hard: 2 * time.Second},
			Policy: bot.ChallengePolicy{Human: rules(), Bot: rules()}, DrainTimeout: time.Hour,
			Random: drawn(1),
		}
		if change != nil {
			change(s, &o)
		}
		r.daemon = bot.New(o)
		ctx, cancel := context.WithCancel(t.Context())
		r.leave = cancel
		go func() { r.done <- r.daemon.Run(ctx) }()
		synctest.Wait()
		test(r)
		cancel()
		<-r.done
	})
}

// after lets virtual time pass and everything settle.
func (r *rig) after(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

func (r *rig) want(what string, got, want any) {
	r.t.Helper()
	if g, w := fmt.Sprint(got), fmt.Sprint(want); g != w {
		r.t.Errorf("%s: got %s, want %s", what, g, w)
	}
}

// wantEnded wants Run to have returned by then, without an error.
func (r *rig) wantEnded(when string) {
	r.t.Helper()
	select {
	case err := <-r.done:
		r.want("Run", err, error(nil))
		r.done <- nil
	default:
		r.t.Errorf("Run goes on %s", when)
	}
}

// slotsUsed is what the daemon says of itself.
func (r *rig) slotsUsed() int {
	r.after(time.Second) // its loop publishes at least every second
	return r.daemon.Health().SlotsUsed
}

// challenge is an acceptable challenge.
func challenge(id, user string) *lichess.Challenge {
	return &lichess.Challenge{
		ID: id, Status: lichess.ChallengeCreated,
		Challenger: &lichess.ChallengeUser{ID: user, Name: user, Rating: 1900},
		DestUser:   &lichess.ChallengeUser{ID: me, Name: "Zeitnot", Rating: 2000, Title: lichess.TitleBot},
		Variant:    lichess.VariantOf(lichess.Standard), Speed: lichess.Blitz,
		TimeControl: lichess.ClockControl(180, 2), Color: lichess.ColorRandom, FinalColor: lichess.White,
	}
}

// ownChallenge is a challenge that we made.
func ownChallenge(id, user string) *lichess.Challenge {
	c := challenge(id, me)
	c.DestUser = &lichess.ChallengeUser{ID: strings.ToLower(user), Name: user}
	return c
}

func challenged(c *lichess.Challenge) lichess.Event {
	return lichess.Event{Type: lichess.EventChallenge, Challenge: c}
}
