package sandbox

import (
	"net/http"
	"net/url"
	"strings"
)

// Endpoint names one call of the API, as faults and the request log know it.
type Endpoint string

// The endpoints.
const (
	EndpointAccount      Endpoint = "account"
	EndpointPlaying      Endpoint = "playing"
	EndpointTokenTest    Endpoint = "tokenTest"
	EndpointUpgrade      Endpoint = "upgrade"
	EndpointUsersStatus  Endpoint = "usersStatus"
	EndpointUser         Endpoint = "user"
	EndpointBotsOnline   Endpoint = "botsOnline"
	EndpointEvents       Endpoint = "eventStream"
	EndpointGame         Endpoint = "gameStream"
	EndpointMove         Endpoint = "move"
	EndpointAbort        Endpoint = "abort"
	EndpointResign       Endpoint = "resign"
	EndpointDraw         Endpoint = "draw"
	EndpointTakeback     Endpoint = "takeback"
	EndpointClaimVictory Endpoint = "claimVictory"
	EndpointClaimDraw    Endpoint = "claimDraw"
	EndpointBerserk      Endpoint = "berserk"
	EndpointChat         Endpoint = "chat"
	EndpointChatHistory  Endpoint = "chatHistory"
	EndpointChallenge    Endpoint = "challenge"
	EndpointChallengeAI  Endpoint = "challengeAI"
	EndpointAccept       Endpoint = "accept"
	EndpointDecline      Endpoint = "decline"
	EndpointCancel       Endpoint = "cancel"
	EndpointChallenges   Endpoint = "challenges"
	EndpointShow         Endpoint = "challengeShow"
	EndpointStartClocks  Endpoint = "startClocks"
	EndpointAddTime      Endpoint = "addTime"
	EndpointExport       Endpoint = "export"
	EndpointTournaments  Endpoint = "tournaments"
	EndpointTournament   Endpoint = "tournament"
	EndpointJoin         Endpoint = "tournamentJoin"
	EndpointWithdraw     Endpoint = "tournamentWithdraw"
)

// route is one line of the API: method, path, who may call it, what answers.
type route struct {
	method, path string
	endpoint     Endpoint
	open         bool     // needs no token
	scopes       []string // any of these; none = any token
	handle       func(*call) reply
}

// routes is the API; the first line that fits answers, so fixed words come before names.
func routes() []route {
	bot := []string{"bot:play"}
	events := []string{"bot:play", "board:play", "challenge:read"}
	write := []string{"challenge:write", "bot:play", "board:play"}
	read := []string{"challenge:read"}
	arena := []string{"tournament:write", "bot:play"}
	return append([]route{
		{"GET", "/api/account", EndpointAccount, false, nil, (*call).getAccount},
		{"GET", "/api/account/playing", EndpointPlaying, false, nil, (*call).getPlaying},
		{"POST", "/api/token/test", EndpointTokenTest, true, nil, (*call).testTokens},
		{"POST", "/api/bot/account/upgrade", EndpointUpgrade, false, bot, (*call).upgrade},
		{"GET", "/api/users/status", EndpointUsersStatus, true, nil, (*call).usersStatus},
		{"GET", "/api/user/{name}", EndpointUser, true, nil, (*call).getUser},
		{"GET", "/api/bot/online", EndpointBotsOnline, true, nil, (*call).botsOnline},

		{"GET", "/api/stream/event", EndpointEvents, false, events, (*call).eventStream},
		{"GET", "/api/bot/game/stream/{id}", EndpointGame, false, bot, (*call).gameStream},
		{"POST", "/api/bot/game/{id}/move/{uci}", EndpointMove, false, bot, (*call).move},
		{"POST", "/api/bot/game/{id}/abort", EndpointAbort, false, bot, (*call).abort},
		{"POST", "/api/bot/game/{id}/resign", EndpointResign, false, bot, (*call).resign},
		{"POST", "/api/bot/game/{id}/draw/{accept}", EndpointDraw, false, bot, (*call).draw},
		{"POST", "/api/bot/game/{id}/takeback/{accept}", EndpointTakeback, false, bot, (*call).takeback},
		{"POST", "/api/bot/game/{id}/claim-victory", EndpointClaimVictory, false, bot, (*call).claimVictory},
		{"POST", "/api/bot/game/{id}/claim-draw", EndpointClaimDraw, false, bot, (*call).claimDraw},
		{"POST", "/api/bot/game/{id}/berserk", EndpointBerserk, false, bot, (*call).berserk},
		{"POST", "/api/bot/game/{id}/chat", EndpointChat, false, bot, (*call).chat},
		{"GET", "/api/bot/game/{id}/chat", EndpointChatHistory, false, bot, (*call).chatHistory},
		{"POST", "/api/bot/game/{id}/{command}", "", false, bot, (*call).unknownCommand},

		{"GET", "/api/challenge", EndpointChallenges, false, read, (*call).listChallenges},
		{"POST", "/api/challenge/ai", EndpointChallengeAI, false, write, (*call).challengeAI},
		{"GET", "/api/challenge/{id}/show", EndpointShow, true, nil, (*call).showChallenge},
		{"POST", "/api/challenge/{id}/accept", EndpointAccept, false, write, (*call).acceptChallenge},
		{"POST", "/api/challenge/{id}/decline", EndpointDecline, false, write, (*call).declineChallenge},
		{"POST", "/api/challenge/{id}/cancel", EndpointCancel, false, write, (*call).cancelChallenge},
		{"POST", "/api/challenge/{id}/start-clocks", EndpointStartClocks, true, nil, (*call).startClocks},
		{"POST", "/api/challenge/{name}", EndpointChallenge, false, write, (*call).challenge},
		{"POST", "/api/round/{id}/add-time/{seconds}", EndpointAddTime, false, []string{"challenge:write"}, (*call).addTime},

		{"GET", "/game/export/{id}", EndpointExport, true, nil, (*call).export},
		{"GET", "/api/tournament", EndpointTournaments, true, nil, (*call).listTournaments},
		{"GET", "/api/tournament/{id}", EndpointTournament, true, nil, (*call).getTournament},
		{"POST", "/api/tournament/{id}/join", EndpointJoin, false, arena, (*call).joinTournament},
		{"POST", "/api/tournament/{id}/withdraw", EndpointWithdraw, false, arena, (*call).withdrawTournament},
	}, databaseRoutes()...)
}

// findRoute finds the line for a request and the values of its {names}.
func findRoute(table []route, method, path string) (*route, map[string]string) {
	for i := range table {
		if method != table[i].method && !(method == http.MethodHead && table[i].method == http.MethodGet) {
			continue
		}
		if params, ok := matchPath(table[i].path, path); ok {
			return &table[i], params
		}
	}
	return nil, nil
}

func matchPath(pattern, path string) (map[string]string, bool) {
	params := map[string]string{}
	for pattern != "" {
		var want, got string
		want, pattern, _ = strings.Cut(strings.TrimPrefix(pattern, "/"), "/")
		if !strings.HasPrefix(path, "/") {
			return nil, false
		}
		got, path = path[1:], ""
		if i := strings.IndexByte(got, '/'); i >= 0 {
			got, path = got[:i], got[i:]
		}
		name, isName := strings.CutPrefix(want, "{")
		if !isName {
			if want != got {
				return nil, false
			}
			continue
		}
		value, err := url.PathUnescape(got)
		if err != nil || value == "" {
			return nil, false
		}
		params[strings.TrimSuffix(name, "}")] = value
	}
	return params, path == ""
}
