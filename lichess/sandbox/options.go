package sandbox

import (
	"time"
)

// Options of a Server. The zero value is a server without accounts that behaves as
// Lichess does; for numbers, zero means Lichess's own value.
type Options struct {
	// Seed decides ids, drawn colours and every random fault.
	Seed uint64
	// URL stands before game and challenge ids in answers; empty is "https://lichess.org".
	URL string

	Accounts  []AccountSpec  // who can log in
	Opponents []OpponentSpec // who is played by the server itself
	Faults    []Fault        // what goes wrong from the start

	KeepAlive          time.Duration // between two blank lines of a stream; 0 = 7 s
	ChallengeKeepAlive time.Duration // same on a keepAliveStream challenge; 0 = 50 s
	QueueSlots         int           // lines that a stream's queue holds; 0 = 32, negative = no bound
	IdleTimeout        time.Duration // kept-alive connections without a request; 0 = 75 s

	// RookCastling writes castling in standard games as e1h1 instead of e1g1; other
	// variants always are written so.
	RookCastling bool
	// StartDelay is how long after the answer to accept the game starts; 0 = at once,
	// and its gameStart is queued before the answer is written.
	StartDelay time.Duration
	// DoubleAbort sends the final line of a game aborted by a player twice.
	DoubleAbort bool
	// AI makes the player of /api/challenge/ai games; nil = a random mover.
	AI func(level int) Opponent

	Limits Limits

	// LogSize is how many requests the log keeps; 0 = 100 000.
	LogSize int
	// Hooks, nil = none. OnMove and OnFinish are called in the order of events with the
	// game's lock held: they must be quick and must not call the Server. OnRequest is called
	// when a request is dealt with, a stream's at its end.
	OnMove    func(MoveRecord)
	OnFinish  func(GameRecord)
	OnRequest func(Request)
	// OnState is called after a line with the moves of a game was written to a stream.
	OnState func(StateSent)
}

// Limits are the budgets of the rate limits that the server counts; 0 is Lichess's own
// number, a negative one means no limit.
type Limits struct {
	EventConnects       int // event streams opened per token in 10 minutes (30)
	ChallengesPerMinute int // cost units per account: 1 for a bot, 5 for a human (25)
	ChallengesPerDay    int // cost units per account (200)
	BotGamesPerDay      int // games of a bot against bots in 24 hours (100)
	AIGamesPerDay       int // AI games of a bot in 24 hours (20)
	AccountReads        int // GET /api/account per account in 5 minutes (30)
	Joins               int // tournament joins per account in 10 minutes (30)
}

// AccountSpec describes an account at the start.
type AccountSpec struct {
	Name   string   // as displayed; its id is the lower case of it
	Title  string   // "BOT" for a bot, "" for an ordinary account
	Token  string   // bearer token; "" = "lip_" + id
	Scopes []string // of the token; nil = everything that a bot needs
	Rating int      // in every perf; 0 = 1500, or 2000 for a bot
	// Deviation of that rating; 0 = 150 for an ordinary account, 500 for a bot.
	Deviation int
	Takebacks bool     // allows takebacks; the upgrade to BOT switches this off
	Kid       bool     // gets no player chat
	Follows   []string // challenges from these accounts cost them nothing
	Played    int      // games played before the sandbox began
	Refuses   string   // text with which challenges to this account are refused; "" = takes them
}

// botScopes are the scopes that a new token has unless told otherwise.
func botScopes() []string {
	return []string{"bot:play", "challenge:read", "challenge:write", "tournament:write"}
}

func (o Options) filled() Options {
	def := func(v *time.Duration, d time.Duration) {
		if *v == 0 {
			*v = d
		}
	}
	def(&o.KeepAlive, 7*time.Second)
	def(&o.ChallengeKeepAlive, 50*time.Second)
	def(&o.IdleTimeout, 75*time.Second)
	if o.QueueSlots == 0 {
		o.QueueSlots = queueSlots
	}
	o.QueueSlots = max(o.QueueSlots, 0)
	if o.URL == "" {
		o.URL = "https://lichess.org"
	}
	if o.LogSize == 0 {
		o.LogSize = 100_000
	}
	o.Limits = o.Limits.filled()
	return o
}

func (l Limits) filled() Limits {
	def := func(v *int, d int) {
		if *v == 0 {
			*v = d
		}
	}
	def(&l.EventConnects, 30)
	def(&l.ChallengesPerMinute, 25)
	def(&l.ChallengesPerDay, 200)
	def(&l.BotGamesPerDay, 100)
	def(&l.AIGamesPerDay, 20)
	def(&l.AccountReads, 30)
	def(&l.Joins, 30)
	return l
}
