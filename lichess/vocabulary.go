package lichess

// Color is a side as the wire spells it.
type Color string

// The colors; ColorRandom only occurs as a challenger's wish.
const (
	White       Color = "white"
	Black       Color = "black"
	ColorRandom Color = "random"
)

// Other is the opposite side; of anything but black it is black.
func (c Color) Other() Color {
	if c == Black {
		return White
	}
	return Black
}

// VariantKey names a variant's rules.
type VariantKey string

// The variants of Lichess.
const (
	Standard      VariantKey = "standard"
	Chess960      VariantKey = "chess960"
	Crazyhouse    VariantKey = "crazyhouse"
	Antichess     VariantKey = "antichess"
	Atomic        VariantKey = "atomic"
	Horde         VariantKey = "horde"
	KingOfTheHill VariantKey = "kingOfTheHill"
	RacingKings   VariantKey = "racingKings"
	ThreeCheck    VariantKey = "threeCheck"
	FromPosition  VariantKey = "fromPosition"
)

// Variant is a variant as objects carry it.
type Variant struct {
	Key  VariantKey `json:"key"`
	Name string     `json:"name"`
	// Short is absent in game events and in the list of running games.
	Short string `json:"short,omitempty"`
}

// variantNames holds long and short name of each variant, in the server's spelling.
func variantNames(k VariantKey) (name, short string) {
	switch k {
	case Standard:
		return "Standard", "Std"
	case Chess960:
		return "Chess960", "960"
	case Crazyhouse:
		return "Crazyhouse", "Crazy"
	case Antichess:
		return "Antichess", "Anti"
	case Atomic:
		return "Atomic", "Atom"
	case Horde:
		return "Horde", "Horde"
	case KingOfTheHill:
		return "King of the Hill", "KotH"
	case RacingKings:
		return "Racing Kings", "Racing"
	case ThreeCheck:
		return "Three-check", "3check"
	case FromPosition:
		return "From Position", "FEN"
	}
	return string(k), string(k)
}

// VariantOf gives the whole variant object of a key; unknown keys name themselves.
func VariantOf(k VariantKey) Variant {
	name, short := variantNames(k)
	return Variant{Key: k, Name: name, Short: short}
}

// Speed is a class of time controls.
type Speed string

// The speeds, fastest first.
const (
	UltraBullet    Speed = "ultraBullet"
	Bullet         Speed = "bullet"
	Blitz          Speed = "blitz"
	Rapid          Speed = "rapid"
	Classical      Speed = "classical"
	Correspondence Speed = "correspondence"
)

// SpeedOf is the speed of a clock with limit and increment in seconds, by the server's
// estimate of 40 moves a game. A clock of six hours or more counts as correspondence.
func SpeedOf(limit, increment int) Speed {
	switch estimate := limit + 40*increment; {
	case estimate < 30:
		return UltraBullet
	case estimate < 180:
		return Bullet
	case estimate < 480:
		return Blitz
	case estimate < 1500:
		return Rapid
	case estimate < 21600:
		return Classical
	}
	return Correspondence
}

// Status is the state of a game by name.
type Status string

// The statuses. Created and started are running games, aborted has no result.
const (
	StatusCreated                   Status = "created"
	StatusStarted                   Status = "started"
	StatusAborted                   Status = "aborted"
	StatusMate                      Status = "mate"
	StatusResign                    Status = "resign"
	StatusStalemate                 Status = "stalemate"
	StatusTimeout                   Status = "timeout" // a player left and the other claimed
	StatusDraw                      Status = "draw"
	StatusOutOfTime                 Status = "outoftime" // a draw when there is no winner
	StatusCheat                     Status = "cheat"
	StatusNoStart                   Status = "noStart" // first move not made in a tournament game
	StatusUnknownFinish             Status = "unknownFinish"
	StatusInsufficientMaterialClaim Status = "insufficientMaterialClaim"
	StatusVariantEnd                Status = "variantEnd"
)

// ID is the server's number of the status; 0 for a name that we do not know.
func (s Status) ID() int {
	switch s {
	case StatusCreated:
		return 10
	case StatusStarted:
		return 20
	case StatusAborted:
		return 25
	case StatusMate:
		return 30
	case StatusResign:
		return 31
	case StatusStalemate:
		return 32
	case StatusTimeout:
		return 33
	case StatusDraw:
		return 34
	case StatusOutOfTime:
		return 35
	case StatusCheat:
		return 36
	case StatusNoStart:
		return 37
	case StatusUnknownFinish:
		return 38
	case StatusInsufficientMaterialClaim:
		return 39
	case StatusVariantEnd:
		return 60
	}
	return 0
}

// Over reports whether a game of this status has ended. A name that we do not know counts
// as an end: only created and started are running. No name at all says nothing: not over.
func (s Status) Over() bool {
	return s != "" && s != StatusCreated && s != StatusStarted
}

// GameStatus is the status as game events carry it (the game stream has the bare name).
type GameStatus struct {
	ID   int    `json:"id"`
	Name Status `json:"name"`
}

// GameStatusOf gives both halves of a status.
func GameStatusOf(s Status) GameStatus { return GameStatus{ID: s.ID(), Name: s} }

// Over reports whether the game has ended, by the number when there is one.
func (s GameStatus) Over() bool {
	if s.ID != 0 {
		return s.ID >= 25
	}
	return s.Name.Over()
}

// DeclineReason is what a decline tells the challenger.
type DeclineReason string

// The decline reasons as the form field spells them. Events carry them in lower case.
const (
	DeclineGeneric     DeclineReason = "generic"
	DeclineLater       DeclineReason = "later"
	DeclineTooFast     DeclineReason = "tooFast"
	DeclineTooSlow     DeclineReason = "tooSlow"
	DeclineTimeControl DeclineReason = "timeControl"
	DeclineRated       DeclineReason = "rated"
	DeclineCasual      DeclineReason = "casual"
	DeclineStandard    DeclineReason = "standard"
	DeclineVariant     DeclineReason = "variant"
	DeclineNoBot       DeclineReason = "noBot"
	DeclineOnlyBot     DeclineReason = "onlyBot"
)

// Room is a chat room of a game.
type Room string

// The two rooms.
const (
	RoomPlayer    Room = "player"
	RoomSpectator Room = "spectator"
)

// BotVsBotKey is the rate-limit key of the daily number of games between bots.
const BotVsBotKey = "bot.vsBot.day"

// TitleBot is the title of a bot account.
const TitleBot = "BOT"
