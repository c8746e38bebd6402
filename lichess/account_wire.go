package lichess

import (
	"slices"
	"strings"
)

// Account is a user object, with more or fewer fields by endpoint.
type Account struct {
	ID       string          `json:"id"`
	Username string          `json:"username"`
	Perfs    map[string]Perf `json:"perfs,omitempty"`
	Title    string          `json:"title,omitempty"` // TitleBot for a bot; "" without one
	Flair    string          `json:"flair,omitempty"`
	// CreatedAt and SeenAt are ms since 1970.
	CreatedAt    int64       `json:"createdAt,omitempty"`
	SeenAt       int64       `json:"seenAt,omitempty"`
	Profile      *Profile    `json:"profile,omitempty"`
	PlayTime     *PlayTime   `json:"playTime,omitempty"`
	Patron       bool        `json:"patron,omitempty"`
	PatronColor  int         `json:"patronColor,omitempty"`
	Disabled     bool        `json:"disabled,omitempty"`
	TosViolation bool        `json:"tosViolation,omitempty"`
	Verified     bool        `json:"verified,omitempty"`
	URL          string      `json:"url,omitempty"`
	Playing      string      `json:"playing,omitempty"` // URL of the game being played
	Count        *GameCounts `json:"count,omitempty"`
}

// IsBot reports whether the account is a bot account.
func (a *Account) IsBot() bool { return a.Title == TitleBot }

// Perf is a rating in one category.
type Perf struct {
	Games  int `json:"games"`
	Rating int `json:"rating"`
	RD     int `json:"rd"`   // rating deviation
	Prog   int `json:"prog"` // progress over the last games
	// Prov marks a provisional rating.
	Prov bool `json:"prov,omitempty"`
}

// Profile is what an account says of itself.
type Profile struct {
	Flag     string `json:"flag,omitempty"`
	Location string `json:"location,omitempty"`
	Bio      string `json:"bio,omitempty"`
	Links    string `json:"links,omitempty"`
}

// PlayTime is the time spent in games, in seconds.
type PlayTime struct {
	Total int `json:"total"`
	TV    int `json:"tv"`
	Human int `json:"human,omitempty"`
}

// GameCounts counts the games of an account.
type GameCounts struct {
	All      int `json:"all"`
	Rated    int `json:"rated"`
	Draw     int `json:"draw"`
	Loss     int `json:"loss"`
	Win      int `json:"win"`
	Bookmark int `json:"bookmark"`
	Playing  int `json:"playing"`
	Import   int `json:"import"`
	Me       int `json:"me"`
}

// UserStatus tells whether a user is there. False flags are absent on the wire.
type UserStatus struct {
	ID          string `json:"id"`
	Name        string `json:"name"`
	Title       string `json:"title,omitempty"`
	Flair       string `json:"flair,omitempty"`
	Patron      bool   `json:"patron,omitempty"`
	PatronColor int    `json:"patronColor,omitempty"`
	Online      bool   `json:"online,omitempty"`
	Playing     bool   `json:"playing,omitempty"`
	Streaming   bool   `json:"streaming,omitempty"`
	Signal      int    `json:"signal,omitempty"`    // 1-4; 0 not told
	PlayingID   string `json:"playingId,omitempty"` // only when asked for
}

// TokenInfo is what the server knows of a token.
type TokenInfo struct {
	UserID string `json:"userId"`
	Scopes string `json:"scopes"`  // separated by commas, may be empty
	Expiry *int64 `json:"expires"` // ms since 1970; nil (null): never
}

// HasScope reports whether the token may do what the scope allows.
func (t *TokenInfo) HasScope(scope string) bool { return slices.Contains(t.ScopeList(), scope) }

// ScopeList lists the token's scopes, without the blanks that may surround them.
func (t *TokenInfo) ScopeList() []string {
	var list []string
	for s := range strings.SplitSeq(t.Scopes, ",") {
		if s = strings.TrimSpace(s); s != "" {
			list = append(list, s)
		}
	}
	return list
}

// TokenTest is the answer of the token test: by token, nil (null) for one that is unknown.
type TokenTest map[string]*TokenInfo

// ScopeBotPlay is the scope that a bot cannot do without.
const ScopeBotPlay = "bot:play"

// RateLimit says which limit was hit and for how long.
type RateLimit struct {
	Key     string `json:"key"`
	Seconds int    `json:"seconds"`
}
