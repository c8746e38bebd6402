// Package config reads the settings of the daemon and of the commands around it: from the
// environment, an env file and the places where a token may lie. It reports everything
// that is wrong at once, each fault with the value, what is allowed and an example, and
// it never shows a token. It hands out plain values and does nothing with them.
package config

import "time"

// Prefix starts the name of every setting in the environment.
const Prefix = "ZEITNOT"

// Config is every setting, valid as a whole. The tags are the one place where a setting
// is described: its default, what is allowed (min and max, oneof, each, check), an
// example where the default is none, and its meaning. Names in the environment are the
// fields' names in capitals, their words joined by underscores.
type Config struct {
	URL string `split_words:"true" default:"https://lichess.org" check:"url" example:"https://lichess.org" desc:"Lichess, or a server that behaves like it"`

	Token     Secret `split_words:"true" example:"lip_..." desc:"API token of the bot account, with the scope bot:play. Else TOKEN_FILE, else the systemd credential lichess_token, else LICHESS_BOT_TOKEN"`
	TokenFile string `split_words:"true" example:"/etc/zeitnot/token" allowed:"a readable file" desc:"file that holds the token"`
	// TokenSource says where Token came from; empty without one.
	TokenSource string `ignored:"true"`

	StateDir string `split_words:"true" shown:"$STATE_DIRECTORY, else zeitnot in the user's state folder" check:"path" example:"/var/lib/zeitnot" desc:"folder for all that is kept; created if need be, readable by its owner only"`
	Record   string `split_words:"true" default:"on" oneof:"on,required,off" example:"required" desc:"remember games, moves and the network in zeitnot.db of that folder; when that cannot be opened, on plays without and required does not start"`

	Concurrency int `split_words:"true" default:"1" min:"1" max:"100" example:"2" desc:"games on a clock at the same time (game slots); beside them up to 20 games without one"`
	HashMB      int `split_words:"true" default:"64" min:"1" max:"65536" example:"256" desc:"transposition tables in MiB, shared by all searches that may run at the same time"`
	Threads     int `split_words:"true" default:"1" min:"1" max:"256" example:"2" desc:"threads of one search, no more than there are cores; with more threads fewer searches run at the same time"`

	LimitElo string `split_words:"true" check:"elo" example:"1500" desc:"play that weak, for people to win as well; a rough scale, see docs/levels.md; no tables are asked then, nor the opponent's time used; empty is full strength"`

	ClockPolicy  string        `split_words:"true" default:"adaptive" oneof:"adaptive,strict,softhard,reserve" example:"adaptive" desc:"how thinking time is dealt out"`
	NoClockThink time.Duration `split_words:"true" default:"5s" min:"10ms" max:"10m" example:"5s" desc:"time for a move in unlimited and correspondence games"`

	Book       []string `split_words:"true" default:"embedded" check:"books" example:"/var/lib/zeitnot/own.bin,embedded" desc:"opening books, the first that has a move counts; embedded is the one inside the program; empty is none"`
	BookLearn  bool     `split_words:"true" default:"false" example:"true" desc:"play moves of the books more or less often by how own games with them went, from half to double; needs RECORD. See docs/book.md"`
	SyzygyPath string   `split_words:"true" check:"folders" example:"/srv/syzygy/345:/srv/syzygy/6" desc:"folders with Syzygy tablebases; empty is none"`

	Online             []string      `split_words:"true" each:"tablebase,explorer,cloud" example:"tablebase,explorer" desc:"databases on the network that are asked while the engine searches, in this order; empty is none. See docs/book.md"`
	OnlineTablebaseURL string        `split_words:"true" default:"https://tablebase.lichess.org" check:"url" example:"https://tablebase.lichess.org" desc:"server of the tablebase"`
	OnlineExplorerURL  string        `split_words:"true" default:"https://explorer.lichess.org" check:"url" example:"https://explorer.lichess.org" desc:"server of the opening explorer"`
	OnlineCloudURL     string        `split_words:"true" default:"https://lichess.org" check:"url" example:"https://lichess.org" desc:"server of the cloud evaluations"`
	OnlineToken        Secret        `split_words:"true" example:"lip_..." desc:"API token for the explorer, which wants one; one without any scope will do. The bot's own is sent to none of these servers"`
	OnlineGames        string        `split_words:"true" default:"masters" oneof:"masters,lichess,player" example:"lichess" desc:"games that the explorer counts"`
	OnlinePlayer       string        `split_words:"true" check:"user" example:"alice" desc:"user whose games count when ONLINE_GAMES is player"`
	OnlineMinGames     int           `split_words:"true" default:"10" min:"1" max:"1000000" example:"50" desc:"least number of games with a move of the explorer"`
	OnlineMinDepth     int           `split_words:"true" default:"20" min:"1" max:"245" example:"30" desc:"least depth of a cloud evaluation"`
	OnlineMaxMove      int           `split_words:"true" default:"15" min:"1" max:"300" example:"20" desc:"last move of a game for which explorer and cloud are asked"`
	OnlineMinClock     time.Duration `split_words:"true" default:"20s" min:"0s" max:"3h" example:"1m" desc:"nothing is asked while our clock shows less"`
	OnlineTimeout      time.Duration `split_words:"true" default:"1s" min:"50ms" max:"1s" example:"500ms" desc:"longest lookup in games with a clock; a thirtieth of the clock is the other limit"`

	Engine              string        `split_words:"true" check:"path" example:"/usr/games/stockfish" desc:"another engine to play with, a UCI program; empty is the one inside the program. See docs/engines.md"`
	EngineArgs          []string      `split_words:"true" allowed:"any texts, separated by commas" example:"--backend=blas" desc:"its arguments"`
	EngineDir           string        `split_words:"true" check:"path" example:"/var/lib/zeitnot/engine" desc:"folder that it runs in; empty is ours"`
	EngineOptions       []string      `split_words:"true" check:"options" example:"Contempt=10,EvalFile=/srv/own.nnue" desc:"its UCI options; Hash, Threads, SyzygyPath and a few more are set without being named here"`
	EngineStartTimeout  time.Duration `split_words:"true" default:"30s" min:"1s" max:"10m" example:"2m" desc:"how long it may take until it is ready at the start: some load large files"`
	EngineUnknownOption string        `split_words:"true" default:"warn" oneof:"warn,error" example:"error" desc:"what an option is that it does not have, or whose value it does not take: a warning, or a reason not to start"`

	EngineFor struct {
		Speeds    []string `split_words:"true" each:"bullet,blitz,rapid,classical,correspondence" example:"rapid,classical" desc:"speeds of the games that the other engine plays, the one inside plays the rest; unlimited is correspondence; empty is all"`
		Variants  []string `split_words:"true" each:"standard,chess960,fromPosition" example:"standard" desc:"variants that it plays; empty is all"`
		Colors    []string `split_words:"true" each:"white,black" example:"white" desc:"colours with which it plays; empty is both"`
		Modes     []string `split_words:"true" each:"rated,casual" example:"rated" desc:"modes in which it plays; empty is both"`
		Opponents []string `split_words:"true" each:"human,bot" example:"bot" desc:"whom it plays; empty is both"`
		MinRating int      `split_words:"true" default:"0" min:"0" max:"4000" example:"2000" desc:"lowest rating of those whom it plays"`
		MaxRating int      `split_words:"true" default:"4000" min:"0" max:"4000" example:"2400" desc:"highest rating of those whom it plays"`
	} `split_words:"true"`

	AcceptHuman Acceptance `split_words:"true" who:"people"`
	AcceptBot   Acceptance `split_words:"true" who:"bots"`

	Block     []string `split_words:"true" check:"users" example:"alice,bob" desc:"users whose challenges are declined; case does not matter"`
	BlockFile string   `split_words:"true" allowed:"a readable file" example:"/etc/zeitnot/block" desc:"file with more of them, one a line, # starts a comment"`
	Allow     []string `split_words:"true" check:"users" example:"alice,bob" desc:"the users that ALLOW_ONLY lets in"`
	AllowFile string   `split_words:"true" allowed:"a readable file" example:"/etc/zeitnot/allow" desc:"file with more of them, one a line, # starts a comment"`
	AllowOnly bool     `split_words:"true" default:"false" example:"true" desc:"decline everybody who is not on ALLOW"`

	Draw struct {
		Offer     bool `split_words:"true" default:"true" example:"false" desc:"offer a draw when the game is level"`
		Accept    bool `split_words:"true" default:"true" example:"false" desc:"accept a draw when the game is level"`
		Score     int  `split_words:"true" default:"10" min:"0" max:"1000" example:"15" desc:"level means within so many centipawns of zero,"`
		Moves     int  `split_words:"true" default:"8" min:"1" max:"100" example:"10" desc:"for so many of our moves in a row,"`
		MinMove   int  `split_words:"true" default:"35" min:"1" max:"300" example:"40" desc:"not before this move of the game,"`
		MaxPieces int  `split_words:"true" default:"32" min:"2" max:"32" example:"12" desc:"with at most so many men on the board, kings included"`
	} `split_words:"true"`

	Resign struct {
		Enabled bool `split_words:"true" default:"false" example:"true" desc:"resign lost games"`
		Score   int  `split_words:"true" default:"1000" min:"100" max:"30000" example:"900" desc:"lost means so many centipawns or more behind, or mated by force,"`
		Moves   int  `split_words:"true" default:"5" min:"1" max:"100" example:"4" desc:"for so many of our moves in a row"`
	} `split_words:"true"`

	Takebacks    int    `split_words:"true" default:"1" min:"0" max:"100" example:"3" desc:"takebacks granted per casual game; none in rated games"`
	Greeting     string `split_words:"true" check:"chat" example:"Good luck!" desc:"said to the opponent at the start of a game; empty is nothing"`
	ChatCommands bool   `split_words:"true" default:"true" example:"false" desc:"answer questions such as !help in the game chat"`

	AbortAfter   time.Duration `split_words:"true" default:"30s" min:"5s" max:"10m" example:"1m" desc:"abort a game when the opponent has not made the first move for so long"`
	DrainTimeout time.Duration `split_words:"true" default:"2h" min:"0s" max:"24h" example:"10m" desc:"after the first signal, how long running games may go on"`

	Listen    string `split_words:"true" default:"127.0.0.1:8090" check:"listen" example:"127.0.0.1:8090" desc:"address that answers /healthz; empty is none"`
	LogLevel  string `split_words:"true" default:"info" oneof:"debug,info,warn,error" example:"debug" desc:"the least important messages that are logged"`
	LogFormat string `split_words:"true" default:"auto" oneof:"auto,json,console" example:"json" desc:"auto is console on a terminal, else json"`
}

// Acceptance says which challenges of one kind of challenger are accepted.
type Acceptance struct {
	Speeds           []string      `split_words:"true" default:"bullet,blitz" each:"ultraBullet,bullet,blitz,rapid,classical,correspondence,unlimited" example:"bullet,blitz,rapid" desc:"speeds accepted from {who}; empty is none at all"`
	TimeControls     []TimeControl `split_words:"true" allowed:"time controls such as 3+2 or 1/2+0, separated by commas" example:"1+0,3+2" desc:"time controls accepted from {who}; empty is every one of the speeds"`
	Variants         []string      `split_words:"true" default:"standard,chess960" each:"standard,chess960,fromPosition" example:"standard" desc:"variants accepted from {who}"`
	Modes            []string      `split_words:"true" default:"rated,casual" each:"rated,casual" example:"rated" desc:"modes accepted from {who}"`
	MinInitial       time.Duration `split_words:"true" default:"0s" min:"0s" max:"3h" example:"1m" desc:"shortest initial time accepted from {who}"`
	MaxInitial       time.Duration `split_words:"true" default:"3h" min:"0s" max:"3h" example:"10m" desc:"longest initial time accepted from {who}"`
	MinIncrement     time.Duration `split_words:"true" default:"0s" min:"0s" max:"3m" example:"1s" desc:"least increment accepted from {who}"`
	MaxIncrement     time.Duration `split_words:"true" default:"3m" min:"0s" max:"3m" example:"10s" desc:"largest increment accepted from {who}"`
	MinRating        int           `split_words:"true" default:"0" min:"0" max:"4000" example:"1500" desc:"lowest rating accepted from {who}"`
	MaxRating        int           `split_words:"true" default:"4000" min:"0" max:"4000" example:"2800" desc:"highest rating accepted from {who}"`
	RatingDifference int           `split_words:"true" default:"0" min:"0" max:"4000" example:"300" desc:"largest difference between our rating and that of {who}; 0 is any"`
}
