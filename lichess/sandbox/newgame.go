package sandbox

import (
	"fmt"
	"time"

	"zeitnot/engine/position"
)

// gameSpec is a game to be made from things that exist.
type gameSpec struct {
	id           string // "" = a new one
	white, black *account
	ai           int // level of the side without an account
	variant      Variant
	fen          string
	control      TimeControl
	rated        bool
	source       string
	rules        []string
	rematchOf    string
	tournament   string
	moves        []string
	clocks       *[2]time.Duration
}

// newGame makes a game, tells its players and sets the server's own players on it.
func (s *Server) newGame(spec gameSpec) (*game, error) {
	now := time.Now()
	g := &game{
		s: s, variant: spec.variant, control: spec.control, speed: spec.control.speed(), rated: spec.rated,
		source: spec.source, created: now, moved: now, tournament: spec.tournament, rematchOf: spec.rematchOf,
		rules: spec.rules, initialFEN: spec.fen, status: Started, over: make(chan struct{}), changed: make(chan struct{}),
	}
	g.perfKey = perfKey(g.variant, g.speed)
	s.prepareStart(g)
	var err error
	if g.play, err = position.ParseGame(g.initialFEN, g.variant == Chess960, nil); err != nil {
		return nil, fmt.Errorf("make game: %w", err)
	}
	if spec.control.Clock {
		g.clock = newClock(spec.control)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	s.mu.Lock()
	if g.id = spec.id; g.id == "" {
		g.id = s.newID(8)
	}
	g.seats[0] = s.newSeat(position.White, spec.white, spec.ai, g)
	g.seats[1] = s.newSeat(position.Black, spec.black, spec.ai, g)
	if spec.white != nil && spec.black != nil && spec.white.bot() && spec.black.bot() {
		spec.white.limits.botGames.take(now, 1)
		spec.black.limits.botGames.take(now, 1)
	}
	seeds := [2]uint64{s.rng.Uint64(), s.rng.Uint64()}
	s.mu.Unlock()
	g.engage(seeds)
	for _, uci := range spec.moves {
		m, refused := g.parseMove(uci)
		if refused != nil {
			return nil, fmt.Errorf("make game: move %s: %w", uci, refused)
		}
		g.preplay(m, now)
	}
	if g.clock != nil && spec.clocks != nil {
		for side, left := range spec.clocks {
			g.clock.remaining[side] = toCentis(left)
		}
	}
	s.mu.Lock()
	s.games[g.id] = g
	s.live[g] = true
	s.gameList = append(s.gameList, g)
	old := s.games[spec.rematchOf]
	s.notify()
	s.mu.Unlock()
	if old != nil {
		old.mu.Lock() // another game's mutex: the old game is over and never takes ours
		old.rematchID = g.id
		old.mu.Unlock()
	}
	s.announce(g, "gameStart")
	for _, st := range g.seats {
		if st.opponent != nil {
			s.drive(g, st)
		}
	}
	return g, nil
}

// prepareStart gives a Chess960 game its start: a drawn one, or for the first rematch that
// of the game before.
func (s *Server) prepareStart(g *game) {
	if g.variant != Chess960 || g.initialFEN != "" {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if old := s.games[g.rematchOf]; old != nil && old.variant == Chess960 && old.rematchOf == "" {
		g.initialFEN = old.initialFEN
		return
	}
	g.initialFEN = chess960Start(s.rng.IntN(960))
}

// newSeat sits an account, or the AI when there is none, down. The caller holds mu.
func (s *Server) newSeat(c position.Color, a *account, ai int, g *game) *seat {
	st := &seat{color: c, account: a, id: s.newID(4), lastOffer: -1, leftAt: g.created}
	if a == nil {
		st.ai = ai
		st.present = 1
		return st
	}
	p := a.perf(g.perfKey)
	st.rating, st.provisional, st.title, st.takebacks, st.kid = p.shown(), p.provisional(), a.title, a.takebacks, a.kid
	if a.opponent != nil {
		st.present = 1
	}
	return st
}

// engage gets the players of the seats that the server plays.
func (g *game) engage(seeds [2]uint64) {
	for i, st := range g.seats {
		info := GameInfo{
			GameID: g.id, Color: st.color.String(), InitialFEN: g.initialFEN, Variant: g.variant, Control: g.control, Seed: seeds[i],
		}
		switch {
		case st.account != nil && st.account.opponent != nil:
			st.opponent = st.account.opponent.New(info)
		case st.account == nil && g.s.opts.AI != nil:
			st.opponent = g.s.opts.AI(st.ai)
		case st.account == nil:
			st.opponent = RandomMover(info.Seed)
		}
	}
}

// preplay plays a move of a game that begins in its middle: no clock, no lines.
func (g *game) preplay(m position.Move, now time.Time) {
	before := g.play.Position()
	sent := before.UCI(m, g.variant != Standard || g.s.opts.RookCastling)
	g.records = append(g.records, MoveRecord{
		GameID: g.id, Ply: g.ply() + 1, Color: before.SideToMove().String(), UCI: sent, SAN: before.SAN(m), At: now,
		White: g.left(position.White, now), Black: g.left(position.Black, now),
	})
	g.play = g.play.Play(m)
	g.uci = append(g.uci, sent)
	if g.clock != nil && g.ply() >= 2 {
		g.clock.start(g.turn(), now)
	}
}

// GameSpec is a game to be started without a challenge.
type GameSpec struct {
	White, Black string // account names
	Variant      Variant
	FEN          string // start position; Standard becomes FromPosition by it
	Control      TimeControl
	Rated        bool
	Source       string   // "" = "friend"; "arena" games expire when the first moves do not come
	Moves        []string // played already
	Tournament   string
	// Clocks replace the time that both sides start with; zero values leave it.
	WhiteClock, BlackClock time.Duration
}

// StartGame starts a game at once and tells its players by gameStart.
func (s *Server) StartGame(spec GameSpec) (id string, err error) {
	c := Challenge{Variant: spec.Variant, FEN: spec.FEN, Control: spec.Control, Rated: spec.Rated}
	if refused := c.shape(); refused != nil {
		return "", fmt.Errorf("start game: %w", refused)
	}
	white, black := s.account(spec.White), s.account(spec.Black)
	if white == nil || black == nil || white == black || !c.Variant.playable() {
		return "", fmt.Errorf("start game %s - %s: needs two accounts and a variant that is played here", spec.White, spec.Black)
	}
	gs := gameSpec{
		white: white, black: black, variant: c.Variant, fen: c.FEN, control: c.Control, rated: c.Rated,
		source: spec.Source, moves: spec.Moves, tournament: spec.Tournament,
	}
	if gs.source == "" {
		gs.source = "friend"
	}
	if c.Control.Clock {
		fresh := newClock(c.Control)
		gs.clocks = &[2]time.Duration{fresh.remaining[0].duration(), fresh.remaining[1].duration()}
		if spec.WhiteClock > 0 {
			gs.clocks[0] = spec.WhiteClock
		}
		if spec.BlackClock > 0 {
			gs.clocks[1] = spec.BlackClock
		}
	}
	g, err := s.newGame(gs)
	if err != nil {
		return "", err
	}
	return g.id, nil
}
