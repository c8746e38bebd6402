package sandbox

import (
	"context"
	"time"
)

// GameInfo is what a player knows when a game begins.
type GameInfo struct {
	GameID     string
	Color      string // "white" or "black"
	InitialFEN string // "" = the usual start
	Variant    Variant
	Control    TimeControl
	Seed       uint64 // drawn from the server's seed, for this seat of this game
}

// View is a game as a player sees it at one moment.
type View struct {
	GameInfo
	Moves        []string // from the initial position; castling as the stream writes it
	FEN          string   // of the current position
	MyTurn       bool
	Mine, Theirs time.Duration // clocks at this moment; 0 without clocks
	MyDraw       bool          // my own draw offer stands
	TheirDraw    bool          // the other offers a draw
	MyTakeback   bool
	TheirTake    bool // the other proposes a takeback
	TheyAreGone  bool // the other's absence has been announced
	Chat         []string
	Calls        int // how often Act has been called in this game before
	Over         bool
	Status       string
	Winner       string
}

// Action is what a player does. The zero value does nothing until the game changes. Its
// parts happen in the order of the fields.
type Action struct {
	After    time.Duration // waits first; a move, an offer or the end of the game cancels the action
	Leave    bool          // leaves the game, as by closing the page
	Drop     bool          // leaves by losing the connection
	Return   bool          // comes back
	Chat     string        // says this to the players
	Takeback Answer        // proposes or accepts; cancels or declines
	Draw     Answer        // offers or accepts; withdraws or declines
	Abort    bool
	Resign   bool
	Claim    Answer // Yes claims the win against an absent opponent, No claims the draw
	Move     string // UCI; an illegal one makes the player resign, one out of turn is dropped
	// OfferDraw goes with Move.
	OfferDraw bool
	Wake      time.Duration // calls Act again after so long even if nothing changed; 0 = does not
}

// Answer is yes, no, or nothing said.
type Answer int8

// The answers.
const (
	Unsaid Answer = iota
	Yes
	No
)

// Opponent plays one side of one game for the server. Act is called at the start and
// after each change of the game (a move, an offer, a chat line, the end), one call at a
// time; ctx ends when the moves change or the game ends. It may take its time: a clock runs.
// An error makes the player resign.
type Opponent interface {
	Act(ctx context.Context, v View) (Action, error)
}

// Closer is an Opponent that wants to know when it is not needed any more.
type Closer interface{ Close() error }

// OpponentFunc makes an Opponent of a function.
type OpponentFunc func(ctx context.Context, v View) (Action, error)

// Act calls f.
func (f OpponentFunc) Act(ctx context.Context, v View) (Action, error) { return f(ctx, v) }

// OpponentSpec is an account that the server plays.
type OpponentSpec struct {
	Name      string
	Title     string // "BOT" or ""
	Rating    int    // 0 = 1500, or 2000 for a bot
	Deviation int
	Takebacks bool // allows takebacks

	// New makes the player of one game. It is called with a lock of the game held and must not call
	// the Server.
	New func(GameInfo) Opponent
	// Answer decides on a challenge to this account: "" accepts, anything else declines with that
	// reason. nil accepts. The record is of the challenge as made.
	Answer func(ChallengeRecord) (declineReason string)
	// AnswerDelay is the time until a challenge is answered.
	AnswerDelay time.Duration
	// Plans are challenges that this account makes, side by side.
	Plans []Plan
	// FlagsOthers lets a player without the title BOT claim the other's flag as a web page
	// does: as soon as the grace is over, rather than at the next tick.
	FlagsOthers bool
}

func (o OpponentSpec) account() AccountSpec {
	return AccountSpec{
		Name: o.Name, Title: o.Title, Rating: o.Rating, Deviation: o.Deviation, Takebacks: o.Takebacks,
		Token: "lip_sandbox_own_" + accountID(o.Name),
	}
}

// Do acts for any seat of a game, as its player's Opponent would; After and Wake are not
// looked at. It returns the server's refusal, if it refused.
func (s *Server) Do(gameID, account string, a Action) error {
	g, acc := s.game(gameID), s.account(account)
	if g == nil || acc == nil || g.seatOf(acc) == nil {
		return refuse(404, "No such game")
	}
	st := g.seatOf(acc)
	if refused := s.doFor(g, st, a); refused != nil {
		return refused
	}
	return nil
}

func (s *Server) doFor(g *game, st *seat, a Action) *apiError {
	if a.Leave || a.Drop || a.Return {
		g.mu.Lock()
		switch {
		case a.Return && st.present == 0:
			g.join(st)
		case a.Leave || a.Drop:
			g.leave(st, a.Leave)
		}
		g.mu.Unlock()
	}
	if a.Chat != "" {
		if refused := g.speak(st, roomPlayer, a.Chat); refused != nil {
			return refused
		}
	}
	if a.Takeback != Unsaid {
		g.answerTakeback(st, a.Takeback == Yes)
	}
	if a.Draw != Unsaid {
		g.answerDraw(st, a.Draw == Yes)
	}
	switch {
	case a.Abort:
		return g.abort(st)
	case a.Resign:
		return g.resign(st)
	case a.Claim == Yes:
		return g.claim(st, "victory", true)
	case a.Claim == No:
		return g.claim(st, "draw", false)
	case a.Move != "":
		return g.move(st, a.Move, a.OfferDraw)
	}
	return nil
}
