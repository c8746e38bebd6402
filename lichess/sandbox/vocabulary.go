package sandbox

import (
	"strconv"
	"time"
)

// Status is how a game stands, by Lichess's number and name.
type Status int

// The statuses of a game; from Aborted on it is over.
const (
	Created                   Status = 10
	Started                   Status = 20
	Aborted                   Status = 25
	Mate                      Status = 30
	Resign                    Status = 31
	Stalemate                 Status = 32
	Timeout                   Status = 33
	Draw                      Status = 34
	OutOfTime                 Status = 35
	Cheat                     Status = 36
	NoStart                   Status = 37
	UnknownFinish             Status = 38
	InsufficientMaterialClaim Status = 39
	VariantEnd                Status = 60
)

var statusNames = map[Status]string{
	Created: "created", Started: "started", Aborted: "aborted", Mate: "mate", Resign: "resign",
	Stalemate: "stalemate", Timeout: "timeout", Draw: "draw", OutOfTime: "outoftime", Cheat: "cheat",
	NoStart: "noStart", UnknownFinish: "unknownFinish",
	InsufficientMaterialClaim: "insufficientMaterialClaim", VariantEnd: "variantEnd",
}

// String is the name that the protocol uses.
func (s Status) String() string {
	if name, ok := statusNames[s]; ok {
		return name
	}
	return "status" + strconv.Itoa(int(s))
}

// Over tells whether a game of this status has ended.
func (s Status) Over() bool { return s >= Aborted }

// Variant is a variant's key. The sandbox plays three; the others can only be proposed,
// so that a bot's refusal can be seen.
type Variant string

// The variants that can be played here.
const (
	Standard     Variant = "standard"
	Chess960     Variant = "chess960"
	FromPosition Variant = "fromPosition"
)

var variantNames = map[Variant][2]string{
	Standard: {"Standard", "Std"}, Chess960: {"Chess960", "960"}, FromPosition: {"From Position", "FEN"},
	"crazyhouse": {"Crazyhouse", "Crazy"}, "antichess": {"Antichess", "Anti"}, "atomic": {"Atomic", "Atom"},
	"horde": {"Horde", "Horde"}, "kingOfTheHill": {"King of the Hill", "KotH"},
	"racingKings": {"Racing Kings", "Racing"}, "threeCheck": {"Three-check", "3check"},
}

func (v Variant) known() bool    { _, ok := variantNames[v]; return ok }
func (v Variant) playable() bool { return v == Standard || v == Chess960 || v == FromPosition }

// TimeControl of a game: a clock, days per move, or neither (unlimited).
type TimeControl struct {
	Clock     bool          // Limit and Increment count
	Limit     time.Duration // whole seconds; 0 with an increment starts at max(increment, 3 s)
	Increment time.Duration // whole seconds
	Days      int           // per move; only without a clock
}

// ClockControl is the time control of so many seconds plus so many per move.
func ClockControl(limit, increment time.Duration) TimeControl {
	return TimeControl{Clock: true, Limit: limit, Increment: increment}
}

// estimate is the length by which Lichess classes a clock: seconds + 40 x increment.
func (t TimeControl) estimate() int {
	return int(t.Limit/time.Second) + 40*int(t.Increment/time.Second)
}

// speed is the class of a time control.
func (t TimeControl) speed() string {
	if !t.Clock {
		return "correspondence"
	}
	switch e := t.estimate(); {
	case e < 30:
		return "ultraBullet"
	case e < 180:
		return "bullet"
	case e < 480:
		return "blitz"
	case e < 1500:
		return "rapid"
	case e < 21600:
		return "classical"
	}
	return "correspondence"
}

// show is the short form like "3+2"; limits below a minute as ¼ ½ ¾ or a decimal.
func (t TimeControl) show() string {
	limit := int(t.Limit / time.Second)
	var base string
	switch limit {
	case 15:
		base = "¼"
	case 30:
		base = "½"
	case 45:
		base = "¾"
	default:
		base = strconv.FormatFloat(float64(limit)/60, 'f', -1, 64)
		if limit == 90 {
			base = "1.5"
		}
	}
	return base + "+" + strconv.Itoa(int(t.Increment/time.Second))
}

// perfKey is what a game is rated as: the variant, or the speed for standard chess.
func perfKey(v Variant, speed string) string {
	if v == Standard || v == FromPosition {
		return speed
	}
	return string(v)
}

var perfNames = map[string][2]string{
	"ultraBullet": {"UltraBullet", "\ue032"}, "bullet": {"Bullet", "\ue032"}, "blitz": {"Blitz", "\ue01d"},
	"rapid": {"Rapid", "\ue017"}, "classical": {"Classical", "\ue00a"}, "correspondence": {"Correspondence", "\ue019"},
	"chess960": {"Chess960", "\ue006"}, "crazyhouse": {"Crazyhouse", "\ue00b"}, "antichess": {"Antichess", "@"},
	"atomic": {"Atomic", ">"}, "horde": {"Horde", "_"}, "kingOfTheHill": {"King of the Hill", "("},
	"racingKings": {"Racing Kings", "\ue00a"}, "threeCheck": {"Three-check", "."},
}

// ratable tells whether the server lets such a game be rated; others are made casual.
func ratable(v Variant, t TimeControl) bool {
	switch {
	case v == FromPosition:
		return false
	case v == Standard:
		return t.Clock || t.Days > 0
	case !t.Clock:
		return t.Days > 0
	}
	return (t.estimate() >= 30 && t.Limit > 0) || t.Increment > time.Second
}
