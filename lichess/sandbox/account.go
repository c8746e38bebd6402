package sandbox

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// account is a user. The server's mutex guards everything that changes.
type account struct {
	id, name  string
	title     string
	created   time.Time
	seen      time.Time
	perfs     map[string]*perf
	base      perf // what a perf that was never played starts as
	counts    gameCounts
	takebacks bool
	kid       bool
	closed    bool
	follows   []string
	refuses   string
	tokens    []*token
	limits    limits
	events    map[*token]*stream // open event streams
	games     int                // open game streams
	online    time.Time          // when the last stream closed
	opponent  *OpponentSpec      // set when the server plays it
}

type gameCounts struct{ all, rated, win, draw, loss int }

// token is a bearer token of an account.
type token struct {
	value    string
	account  *account
	scopes   []string
	revoked  bool
	connects window // event streams opened
}

func accountID(name string) string { return strings.ToLower(name) }

func newAccount(spec AccountSpec, now time.Time) (*account, error) {
	if len(spec.Name) < 2 || len(spec.Name) > 30 || strings.IndexFunc(spec.Name, notInName) >= 0 {
		return nil, fmt.Errorf("account %q: a name has 2-30 letters, digits, _ or -", spec.Name)
	}
	a := &account{
		id: accountID(spec.Name), name: spec.Name, title: spec.Title, created: now, seen: now,
		perfs: map[string]*perf{}, takebacks: spec.Takebacks, kid: spec.Kid, refuses: spec.Refuses,
		events: map[*token]*stream{}, counts: gameCounts{all: spec.Played, draw: spec.Played},
	}
	for _, f := range spec.Follows {
		a.follows = append(a.follows, accountID(f))
	}
	a.base = perf{rating: float64(spec.Rating), rd: float64(spec.Deviation)}
	if spec.Rating == 0 {
		a.base.rating = 1500
		if a.bot() {
			a.base.rating = 2000
		}
	}
	if spec.Deviation == 0 {
		a.base.rd = 150
		if a.bot() {
			a.base.rd = 500
		}
	}
	t := &token{value: spec.Token, account: a, scopes: spec.Scopes}
	if t.value == "" {
		t.value = "lip_" + a.id
	}
	if t.scopes == nil {
		t.scopes = botScopes()
	}
	a.tokens = []*token{t}
	return a, nil
}

func notInName(r rune) bool {
	return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-')
}

func (a *account) bot() bool { return a.title == "BOT" }

// perf is the account's standing in a kind of game.
func (a *account) perf(key string) *perf {
	p := a.perfs[key]
	if p == nil {
		started := a.base
		p = &started
		a.perfs[key] = p
	}
	return p
}

// isOnline tells whether a stream is open, or was within the last ten seconds; accounts
// played by the server always are.
func (a *account) isOnline(now time.Time) bool {
	return a.opponent != nil || len(a.events) > 0 || a.games > 0 || (!a.online.IsZero() && now.Sub(a.online) < 10*time.Second)
}

// mayUse tells whether the token has one of the scopes; none asked means any token will do.
func (t *token) mayUse(scopes []string) bool {
	return len(scopes) == 0 || slices.ContainsFunc(scopes, func(s string) bool { return slices.Contains(t.scopes, s) })
}

// mainPerfs are shown in a profile even when they were never played.
var mainPerfs = [...]string{"bullet", "blitz", "rapid", "classical", "correspondence"}

type perfJSON struct {
	Games  int  `json:"games"`
	Rating int  `json:"rating"`
	RD     int  `json:"rd"`
	Prog   int  `json:"prog"`
	Prov   bool `json:"prov,omitempty"`
}

// userJSON is the short form of an account; the full one adds the pointers.
type userJSON struct {
	ID        string              `json:"id"`
	Username  string              `json:"username"`
	Perfs     map[string]perfJSON `json:"perfs"`
	Title     string              `json:"title,omitempty"`
	Disabled  bool                `json:"disabled,omitempty"`
	CreatedAt int64               `json:"createdAt"`
	SeenAt    int64               `json:"seenAt"`
	PlayTime  playTimeJSON        `json:"playTime"`
	URL       string              `json:"url,omitempty"`
	Playing   string              `json:"playing,omitempty"`
	Count     *countJSON          `json:"count,omitempty"`
	Follow    *bool               `json:"followable,omitempty"`
	Following *bool               `json:"following,omitempty"`
	Blocking  *bool               `json:"blocking,omitempty"`
}

type playTimeJSON struct {
	Total int `json:"total"`
	TV    int `json:"tv"`
}

type countJSON struct {
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

// profile is the account as the API shows it. The caller holds the server's mutex.
func (a *account) profile() userJSON {
	u := userJSON{
		ID: a.id, Username: a.name, Title: a.title, Disabled: a.closed,
		CreatedAt: a.created.UnixMilli(), SeenAt: a.seen.UnixMilli(), Perfs: map[string]perfJSON{},
	}
	show := func(key string, p *perf) {
		u.Perfs[key] = perfJSON{Games: p.games, Rating: p.shown(), RD: int(p.rd), Prog: p.progress, Prov: p.provisional()}
	}
	for _, key := range mainPerfs {
		base := a.base
		show(key, &base)
	}
	for key, p := range a.perfs {
		if p.games > 0 || slices.Contains(mainPerfs[:], key) {
			show(key, p)
		}
	}
	return u
}

// fullProfile adds what the account and user endpoints show beyond the list of bots.
func (a *account) fullProfile(url string, playing []string) userJSON {
	u := a.profile()
	yes, no := true, false
	u.URL = url + "/@/" + a.name
	u.Count = &countJSON{
		All: a.counts.all, Rated: a.counts.rated, Draw: a.counts.draw, Loss: a.counts.loss,
		Win: a.counts.win, Playing: len(playing),
	}
	if len(playing) > 0 {
		u.Playing = url + "/" + playing[0]
	}
	u.Follow, u.Following, u.Blocking = &yes, &no, &no
	return u
}

// upgrade makes the account a bot, as /api/bot/account/upgrade does.
func (a *account) upgrade() {
	a.title = "BOT"
	a.takebacks = false
	a.base = perf{rating: 2000, rd: maxDeviation}
	a.perfs = map[string]*perf{}
}

// AccountInfo is an account as its owner may know it.
type AccountInfo struct {
	Name, Title string
	Token       string         // "" when the server plays the account itself
	Scopes      []string       // of the token
	Ratings     map[string]int // per perf that was looked at
	Online      bool
}

// Accounts lists every account, those with a token first, by name.
func (s *Server) Accounts() []AccountInfo {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	list := make([]AccountInfo, 0, len(s.accounts))
	for _, a := range s.accounts {
		info := AccountInfo{Name: a.name, Title: a.title, Ratings: map[string]int{}, Online: a.isOnline(now)}
		if a.opponent == nil {
			info.Token, info.Scopes = a.tokens[0].value, slices.Clone(a.tokens[0].scopes)
		}
		for key, p := range a.perfs {
			info.Ratings[key] = p.shown()
		}
		list = append(list, info)
	}
	slices.SortFunc(list, func(x, y AccountInfo) int {
		if (x.Token == "") != (y.Token == "") {
			if x.Token != "" {
				return -1
			}
			return 1
		}
		return strings.Compare(x.Name, y.Name)
	})
	return list
}

// AddToken gives an account a further token. It fails when the account is unknown or the
// token is taken.
func (s *Server) AddToken(name, value string, scopes ...string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	a := s.accounts[accountID(name)]
	if a == nil {
		return fmt.Errorf("add token: no account %q", name)
	}
	if s.tokens[value] != nil {
		return fmt.Errorf("add token to %s: the token exists", name)
	}
	if scopes == nil {
		scopes = botScopes()
	}
	t := &token{value: value, account: a, scopes: scopes}
	a.tokens = append(a.tokens, t)
	s.tokens[value] = t
	return nil
}

// RevokeToken makes a token unknown from now on; open streams go on, as on the server.
func (s *Server) RevokeToken(value string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if t := s.tokens[value]; t != nil {
		t.revoked = true
	}
}

// CloseAccount closes an account: its tokens name no user any more.
func (s *Server) CloseAccount(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if a := s.accounts[accountID(name)]; a != nil {
		a.closed = true
	}
}
