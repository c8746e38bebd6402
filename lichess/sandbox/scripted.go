package sandbox

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"zeitnot/engine/position"
)

// Script is a player with fixed habits. The zero value plays random legal moves at once.
type Script struct {
	Seed uint64
	// Line is played move by move, as far as it is legal; then random moves follow.
	Line []string
	// Silent sends no move at all once the line is over, instead of a random one.
	Silent bool
	// Think is the time for a move; Spread is added to it evenly at random.
	Think, Spread time.Duration
	// FirstMove is the time for the first move instead; NoShow never makes it.
	FirstMove time.Duration
	NoShow    bool

	AcceptDraws bool          // else they are not answered
	DeclineDraw bool          // declines instead
	OfferDraws  int           // offers a draw with every n-th own move; 0 = never
	Takebacks   int           // proposes a takeback after its n-th own move, once; 0 = never
	AcceptTakes bool          // accepts takebacks, else declines them
	ResignAt    int           // resigns instead of its n-th own move; 0 = never
	LeaveAt     int           // leaves instead of its n-th own move; 0 = never
	LeaveFor    time.Duration // and comes back after that; 0 = never
	LosesLine   bool          // leaves by a lost connection, not by closing the page
	Claims      bool          // claims the win when the other is gone
	Greeting    string        // said at the start
	Farewell    string        // said at the end
	Echo        bool          // answers each chat line of the other by repeating it
}

// Player makes the script's Opponent for one game.
func (sc Script) Player(info GameInfo) Opponent {
	return &scripted{Script: sc, rng: rand.New(rand.NewPCG(sc.Seed, info.Seed)), color: info.Color}
}

// RandomMover plays random legal moves at once.
func RandomMover(seed uint64) Opponent { return Script{Seed: seed}.Player(GameInfo{}) }

// LinePlayer plays the moves given, as far as they are legal, then random ones.
func LinePlayer(moves ...string) func(GameInfo) Opponent { return Script{Line: moves}.Player }

type scripted struct {
	Script
	rng      *rand.Rand
	color    string
	greeted  bool
	heard    int  // chat lines seen
	proposed bool // the takeback
	left     bool
	away     time.Time // until when, when it will come back
	lastSaid string    // the last line echoed
}

// Act follows the script.
func (p *scripted) Act(_ context.Context, v View) (Action, error) {
	if p.color == "" {
		p.color = v.Color
	}
	var a Action
	p.talk(v, &a)
	if v.Over {
		return a, nil
	}
	own := ownMoves(v)
	if p.left {
		return p.stayAway(a)
	}
	switch {
	case v.TheirDraw && p.AcceptDraws:
		a.Draw = Yes
		return a, nil
	case v.TheirDraw && p.DeclineDraw:
		a.Draw = No
	}
	if v.TheirTake {
		a.Takeback = No
		if p.AcceptTakes {
			a.Takeback = Yes
			return a, nil
		}
	}
	if v.TheyAreGone && p.Claims && !v.MyTurn {
		a.Claim, a.Wake = Yes, time.Second
		return a, nil
	}
	if p.Takebacks > 0 && own == p.Takebacks && !p.proposed && !v.MyTurn {
		p.proposed = true
		a.Takeback = Yes
		return a, nil
	}
	if !v.MyTurn {
		return a, nil
	}
	return p.turn(v, own+1, a)
}

// turn is the n-th own move, or what comes instead.
func (p *scripted) turn(v View, n int, a Action) (Action, error) {
	switch {
	case n == p.ResignAt:
		a.Resign = true
		return a, nil
	case n == p.LeaveAt && !p.left:
		p.left = true
		a.Leave, a.Drop, a.Wake = !p.LosesLine, p.LosesLine, p.LeaveFor
		if p.LeaveFor > 0 {
			p.away = time.Now().Add(p.LeaveFor)
		}
		return a, nil
	case n == 1 && p.NoShow:
		return a, nil
	}
	move, err := p.choose(v, n)
	if err != nil || move == "" {
		return a, err
	}
	a.Move = move
	a.OfferDraw = p.OfferDraws > 0 && n%p.OfferDraws == 0
	a.After = p.Think
	if p.Spread > 0 {
		a.After += time.Duration(p.rng.Int64N(int64(p.Spread)))
	}
	if n == 1 && p.FirstMove > 0 {
		a.After = p.FirstMove
	}
	return a, nil
}

func (p *scripted) stayAway(a Action) (Action, error) {
	if p.away.IsZero() {
		return a, nil
	}
	if wait := time.Until(p.away); wait > 0 {
		a.Wake = wait
		return a, nil
	}
	p.left, p.LeaveAt = false, 0
	a.Return, a.Wake = true, time.Millisecond
	return a, nil
}

// talk adds what the script says to an action.
func (p *scripted) talk(v View, a *Action) {
	switch {
	case !p.greeted && p.Greeting != "" && !v.Over:
		a.Chat = p.Greeting
	case v.Over && p.Farewell != "":
		a.Chat = p.Farewell
	case p.Echo && len(v.Chat) > p.heard:
		name, text, _ := strings.Cut(v.Chat[len(v.Chat)-1], ": ")
		if name != "lichess" && p.lastSaid != text {
			a.Chat, p.lastSaid = text, text
		}
	}
	p.greeted = true
	p.heard = len(v.Chat)
}

// ownMoves counts the moves that this side has made.
func ownMoves(v View) int {
	_, blackFirst := startNumber(v.InitialFEN)
	first := (v.Color == "white") != blackFirst
	if first {
		return (len(v.Moves) + 1) / 2
	}
	return len(v.Moves) / 2
}

// choose is the line's move, or a random one; "" when it stays silent.
func (p *scripted) choose(v View, n int) (string, error) {
	pos, err := position.ParseFEN(v.FEN)
	if err != nil {
		return "", fmt.Errorf("read game %s: %w", v.GameID, err)
	}
	if v.Variant == Chess960 {
		pos = pos.WithChess960(true)
	}
	if n <= len(p.Line) {
		if _, err := pos.ParseUCI(p.Line[n-1]); err == nil {
			return p.Line[n-1], nil
		}
	}
	if p.Silent {
		return "", nil
	}
	var list position.MoveList
	pos.Legal(&list)
	if list.Len() == 0 {
		return "", nil
	}
	return pos.UCI(list.At(p.rng.IntN(list.Len())), v.Variant != Standard), nil
}
