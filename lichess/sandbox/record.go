package sandbox

import (
	"context"
	"slices"
	"time"

	"zeitnot/engine/position"
)

// MoveRecord is a move that was played.
type MoveRecord struct {
	GameID       string
	Ply          int    // from 1
	Color        string // who moved
	UCI, SAN     string
	At           time.Time
	Took         time.Duration // since the other's move, on the server's watch
	Charged      time.Duration // taken off the mover's clock, increment not counted
	White, Black time.Duration // clocks after the move; 0 without clocks
}

// GameRecord is a game as it stands or ended.
type GameRecord struct {
	ID                         string
	White, Black               string // names
	WhiteTitle, BlackTitle     string
	WhiteRating, BlackRating   int // at the start
	WhiteDiff, BlackDiff       int // rating changes; 0 before the end and in casual games
	Variant                    Variant
	InitialFEN                 string // "" = the usual start
	Control                    TimeControl
	Speed                      string
	Rated                      bool
	Source                     string
	Created, Ended             time.Time // Ended is zero while it runs
	Status                     Status
	Winner                     string // "white", "black" or ""
	FEN                        string // of the current position
	Moves                      []MoveRecord
	Chat                       []string // "name: text"
	WhiteClock, BlackClock     time.Duration
	RematchOf, Tournament      string
	WhiteStreams, BlackStreams int // open game streams
}

// Over tells whether the game has ended.
func (r GameRecord) Over() bool { return r.Status.Over() }

// Color is the side of a name, "" when it is not in the game.
func (r GameRecord) Color(name string) string {
	switch accountID(name) {
	case accountID(r.White):
		return "white"
	case accountID(r.Black):
		return "black"
	}
	return ""
}

// FlagFallen is the name of who lost on time, "" when nobody did.
func (r GameRecord) FlagFallen() string {
	switch {
	case r.Status != OutOfTime:
		return ""
	case r.Winner == "white" || r.Winner == "" && r.WhiteClock > r.BlackClock:
		return r.Black
	}
	return r.White
}

// record copies the game. The caller holds mu.
func (g *game) record() GameRecord {
	white, black := g.seats[0], g.seats[1]
	now := time.Now()
	r := GameRecord{
		ID: g.id, White: white.name(), Black: black.name(), WhiteTitle: white.title, BlackTitle: black.title,
		WhiteRating: white.rating, BlackRating: black.rating, Variant: g.variant, InitialFEN: g.initialFEN,
		Control: g.control, Speed: g.speed, Rated: g.rated, Source: g.source, Created: g.created, Ended: g.endedAt,
		Status: g.status, Winner: g.winner, FEN: g.play.Position().FEN(), Moves: slices.Clone(g.records),
		WhiteClock: g.left(position.White, now), BlackClock: g.left(position.Black, now),
		RematchOf: g.rematchOf, Tournament: g.tournament,
	}
	for _, l := range g.chat {
		r.Chat = append(r.Chat, l.user+": "+l.text)
	}
	if white.diff != nil && black.diff != nil {
		r.WhiteDiff, r.BlackDiff = *white.diff, *black.diff
	}
	for _, st := range g.streams {
		if st.seat == white {
			r.WhiteStreams++
		} else {
			r.BlackStreams++
		}
	}
	return r
}

// Games lists all games in order of their start.
func (s *Server) Games() []GameRecord {
	s.mu.Lock()
	list := slices.Clone(s.gameList)
	s.mu.Unlock()
	records := make([]GameRecord, len(list))
	for i, g := range list {
		g.mu.Lock()
		records[i] = g.record()
		g.mu.Unlock()
	}
	return records
}

// Game is one game; ok is false for an unknown id.
func (s *Server) Game(id string) (r GameRecord, ok bool) {
	g := s.game(id)
	if g == nil {
		return GameRecord{}, false
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.record(), true
}

// WaitGame waits until the game exists and fits, and returns it as it then is. It looks at
// the game at each of its changes.
func (s *Server) WaitGame(ctx context.Context, id string, fits func(GameRecord) bool) (GameRecord, error) {
	for {
		s.mu.Lock()
		changed := s.changed
		g := s.games[id]
		s.mu.Unlock()
		if g != nil {
			g.mu.Lock()
			r := g.record()
			changed = g.changed
			g.mu.Unlock()
			if fits(r) {
				return r, nil
			}
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return GameRecord{}, ctx.Err()
		}
	}
}

// WaitFinished waits until the game exists and has ended.
func (s *Server) WaitFinished(ctx context.Context, id string) (GameRecord, error) {
	return s.WaitGame(ctx, id, GameRecord.Over)
}

// WaitGames waits until n games have ended, and returns all games.
func (s *Server) WaitGames(ctx context.Context, n int) ([]GameRecord, error) {
	err := s.wait(ctx, func() bool { return s.finished >= n })
	return s.Games(), err
}

// WaitOnline waits until an account has an event stream open.
func (s *Server) WaitOnline(ctx context.Context, account string) error {
	return s.wait(ctx, func() bool {
		a := s.accounts[accountID(account)]
		return a != nil && len(a.events) > 0
	})
}

// wait waits for something that notify announces; done is called with the server's mutex
// held.
func (s *Server) wait(ctx context.Context, done func() bool) error {
	for {
		s.mu.Lock()
		ok, changed := done(), s.changed
		s.mu.Unlock()
		if ok {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
