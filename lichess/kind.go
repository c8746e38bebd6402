package lichess

import "time"

// Kind is a kind of request: what is limited, paused and given priority together.
type Kind uint8

// The kinds of request.
const (
	KindMove        Kind = iota
	KindGameStream       // opening the stream of a running game
	KindGame             // abort, resign, claims
	KindAnswer           // answers to draw offers and takebacks
	KindEventStream      // opening the event stream
	KindAccept
	KindDecline // declining and cancelling
	KindChat
	KindLookup   // account, running games, users, records
	KindDatabase // tablebase, opening explorer, cloud evaluations
	KindTournament
	KindMatchmaking // creating challenges

	kindCount
)

// kindRule is how a kind of request is treated.
type kindRule struct {
	name string
	// urgent requests take a token but never wait for one.
	urgent bool
	// priority orders the waiting ones, lowest first.
	priority int
	// soon is how long it waits for a token at most; 0 is until the largest debt is paid.
	soon time.Duration
	// perGame pauses concern one game only.
	perGame bool
	// patient kinds pause together with any other.
	patient bool
	// unpaused kinds are sent even during a pause: the caller alone knows how much time a
	// move has.
	unpaused bool
}

// askedFor bounds the wait of answers that somebody waits for: a challenge lives for 20 s, as
// long as it takes to pay the debt of a few fast games.
const askedFor = 2 * time.Second

func (k Kind) rule() kindRule {
	switch k {
	case KindMove:
		return kindRule{name: "move", urgent: true, perGame: true, unpaused: true}
	case KindGameStream:
		return kindRule{name: "game stream", urgent: true, perGame: true}
	case KindGame:
		return kindRule{name: "game command", urgent: true, perGame: true}
	case KindAnswer:
		return kindRule{name: "game answer", priority: 0, soon: askedFor, perGame: true}
	case KindEventStream:
		// It has a budget of its own, and without it the bot is deaf.
		return kindRule{name: "event stream", urgent: true}
	case KindAccept:
		return kindRule{name: "accept", priority: 1, soon: askedFor}
	case KindDecline:
		return kindRule{name: "decline", priority: 2}
	case KindChat:
		return kindRule{name: "chat", priority: 3, patient: true}
	case KindLookup:
		return kindRule{name: "lookup", priority: 4, patient: true}
	case KindDatabase:
		// Its limit, of a day perhaps, must not keep us from our own games.
		return kindRule{name: "database", priority: 5, patient: true}
	case KindTournament:
		return kindRule{name: "tournament", priority: 5, patient: true}
	case KindMatchmaking:
		return kindRule{name: "matchmaking", priority: 5, patient: true}
	}
	return kindRule{name: "unknown kind", priority: 9}
}

// String names the kind for logs.
func (k Kind) String() string { return k.rule().name }
