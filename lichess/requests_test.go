package lichess_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"zeitnot/lichess"
)

// Every request: what goes out, and that a plausible answer is understood.
func TestRequests(t *testing.T) {
	const ok = `{"ok":true}`
	one := strings.TrimSuffix(strings.TrimPrefix(challenge, `{"type":"challenge","challenge":`), `,"compat":{"bot":true,"board":true}}`)
	type call = func(context.Context, *lichess.Client) (any, error)
	only := func(f func(context.Context, *lichess.Client) error) call {
		return func(ctx context.Context, c *lichess.Client) (any, error) { return nil, f(ctx, c) }
	}
	blitz := lichess.ChallengeRequest{Rated: true, Time: lichess.ClockControl(180, 0), Color: lichess.White, Variant: lichess.Chess960}
	for name, c := range map[string]struct {
		call         call
		answer, want string // want is method, path and body
		get          string // part of what the call gives, printed
	}{
		"account": {
			func(ctx context.Context, c *lichess.Client) (any, error) { return c.Account(ctx) },
			`{"id":"gobot","username":"GoBot","title":"BOT","perfs":{}}`, "GET /api/account", "GoBot",
		},
		"token test": {
			func(ctx context.Context, c *lichess.Client) (any, error) { return c.TestToken(ctx) },
			`{"` + testToken + `":{"userId":"gobot","scopes":"bot:play","expires":null}}`, "POST /api/token/test [" + testToken + "]", "gobot",
		},
		"upgrade": {only(func(ctx context.Context, c *lichess.Client) error { return c.Upgrade(ctx) }), ok, "POST /api/bot/account/upgrade", ""},
		"running games": {
			func(ctx context.Context, c *lichess.Client) (any, error) { return c.Playing(ctx) },
			`{"nbMyTurn":1,"nowPlaying":[{"fullId":"abcd1234wxyz"},{}]}`, "GET /api/account/playing?nb=50", "abcd1234 ",
		},
		"user": {func(ctx context.Context, c *lichess.Client) (any, error) { return c.User(ctx, "Mary") }, `{"id":"mary","username":"Mary"}`, "GET /api/user/Mary", "mary"},
		"users' status": {
			func(ctx context.Context, c *lichess.Client) (any, error) { return c.UsersStatus(ctx, "a", "b") },
			`[{"id":"a","name":"A","online":true,"playing":true}]`, "GET /api/users/status?ids=a%2Cb", "Online:true",
		},
		"online bots": {
			func(ctx context.Context, c *lichess.Client) (any, error) { return c.OnlineBots(ctx, 1000) },
			"{\"id\":\"a\",\"username\":\"A\"}\n\nnot json\n{\"id\":\"b\",\"username\":\"B\"}", "GET /api/bot/online?nb=512", "Username:B",
		},
		"tablebase": {
			func(ctx context.Context, c *lichess.Client) (any, error) {
				return c.Tablebase(ctx, "4k3/6KP/8/8/8/8/7p/8 w - - 0 1")
			},
			`{"category":"win","dtz":1,"moves":[{"uci":"h7h8q","category":"loss","dtz":-2,"zeroing":true}]}`,
			"GET /standard?fen=4k3%2F6KP%2F8%2F8%2F8%2F8%2F7p%2F8+w+-+-+0+1", "UCI:h7h8q Category:loss",
		},
		"masters": {
			func(ctx context.Context, c *lichess.Client) (any, error) {
				return c.Explorer(ctx, lichess.ExplorerQuery{Games: lichess.MasterGames, FEN: "f"})
			},
			`{"white":3,"draws":2,"black":1,"moves":[{"uci":"e2e4","white":3,"draws":2,"black":1}]}`, "GET /masters?fen=f&moves=12&topGames=0", "UCI:e2e4 White:3 Draws:2 Black:1",
		},
		"all players' games": {
			func(ctx context.Context, c *lichess.Client) (any, error) {
				return c.Explorer(ctx, lichess.ExplorerQuery{Games: lichess.LichessGames, FEN: "f"})
			},
			`{"moves":[]}`, "GET /lichess?fen=f&moves=12&recentGames=0&topGames=0", "",
		},
		"a player's games": {
			func(ctx context.Context, c *lichess.Client) (any, error) {
				return c.Explorer(ctx, lichess.ExplorerQuery{Games: lichess.PlayerGames, FEN: "f", Player: "mary", Color: lichess.Black})
			},
			"\n\n{\"white\":7,\"moves\":[]}\n{\"white\":8,\"moves\":[]}\n", "GET /player?color=black&fen=f&moves=12&player=mary&recentGames=0", "White:7",
		},
		"cloud evaluation": {
			func(ctx context.Context, c *lichess.Client) (any, error) { return c.CloudEval(ctx, "f") },
			`{"depth":29,"pvs":[{"moves":"d1e2 d8e7","cp":41}]}`, "GET /api/cloud-eval?fen=f&multiPv=1", "d1e2 d8e7",
		},
		"abort":         {only(func(ctx context.Context, c *lichess.Client) error { return c.Abort(ctx, "g1") }), ok, "POST /api/bot/game/g1/abort", ""},
		"resign":        {only(func(ctx context.Context, c *lichess.Client) error { return c.Resign(ctx, "g1") }), ok, "POST /api/bot/game/g1/resign", ""},
		"claim victory": {only(func(ctx context.Context, c *lichess.Client) error { return c.ClaimVictory(ctx, "g1") }), ok, "POST /api/bot/game/g1/claim-victory", ""},
		"claim draw":    {only(func(ctx context.Context, c *lichess.Client) error { return c.ClaimDraw(ctx, "g1") }), ok, "POST /api/bot/game/g1/claim-draw", ""},
		"draw yes":      {only(func(ctx context.Context, c *lichess.Client) error { return c.Draw(ctx, "g1", true) }), ok, "POST /api/bot/game/g1/draw/yes", ""},
		"draw no":       {only(func(ctx context.Context, c *lichess.Client) error { return c.Draw(ctx, "g1", false) }), ok, "POST /api/bot/game/g1/draw/no", ""},
		"takeback yes":  {only(func(ctx context.Context, c *lichess.Client) error { return c.Takeback(ctx, "g1", true) }), ok, "POST /api/bot/game/g1/takeback/yes", ""},
		"takeback no":   {only(func(ctx context.Context, c *lichess.Client) error { return c.Takeback(ctx, "g1", false) }), ok, "POST /api/bot/game/g1/takeback/no", ""},
		"chat": {only(func(ctx context.Context, c *lichess.Client) error {
			return c.Chat(ctx, "g1", lichess.RoomSpectator, "good luck & fun ♞")
		}), ok, "POST /api/bot/game/g1/chat [room=spectator&text=good+luck+%26+fun+%E2%99%9E]", ""},
		"read chat": {
			func(ctx context.Context, c *lichess.Client) (any, error) { return c.ReadChat(ctx, "g1") },
			`[{"user":"mary","text":"hi"}]`, "GET /api/bot/game/g1/chat", "hi",
		},
		"export": {
			func(ctx context.Context, c *lichess.Client) (any, error) { return c.ExportPGN(ctx, "g1") },
			"[Event \"x\"]\n\n1. e4 *\n", "GET /game/export/g1?clocks=true&evals=false", "1. e4",
		},
		"move": {only(func(ctx context.Context, c *lichess.Client) error {
			_, err := c.SendMove(ctx, lichess.MoveRequest{GameID: "g1", UCI: "e7e8q"})
			return err
		}), ok, "POST /api/bot/game/g1/move/e7e8q", ""},
		"move with a draw offer": {only(func(ctx context.Context, c *lichess.Client) error {
			_, err := c.SendMove(ctx, lichess.MoveRequest{GameID: "g1", UCI: "e2e4", OfferDraw: true})
			return err
		}), ok, "POST /api/bot/game/g1/move/e2e4?offeringDraw=true", ""},
		"accept": {only(func(ctx context.Context, c *lichess.Client) error { return c.AcceptChallenge(ctx, "c1") }), ok, "POST /api/challenge/c1/accept", ""},
		"decline": {only(func(ctx context.Context, c *lichess.Client) error {
			return c.DeclineChallenge(ctx, "c1", lichess.DeclineTooFast)
		}), ok, "POST /api/challenge/c1/decline [reason=tooFast]", ""},
		"decline without a reason": {only(func(ctx context.Context, c *lichess.Client) error { return c.DeclineChallenge(ctx, "c1", "") }), ok, "POST /api/challenge/c1/decline [reason=generic]", ""},
		"cancel":                   {only(func(ctx context.Context, c *lichess.Client) error { return c.CancelChallenge(ctx, "c1") }), ok, "POST /api/challenge/c1/cancel", ""},
		"challenge": {
			func(ctx context.Context, c *lichess.Client) (any, error) {
				return c.CreateChallenge(ctx, "Mary", blitz)
			},
			one, "POST /api/challenge/Mary [clock.increment=0&clock.limit=180&color=white&rated=true&variant=chess960]", "Zx9Cv8Bn",
		},
		"challenge, wrapped answer": {func(ctx context.Context, c *lichess.Client) (any, error) {
			return c.CreateChallenge(ctx, "Mary", lichess.ChallengeRequest{})
		}, `{"challenge":` + one + `}`, "POST /api/challenge/Mary [rated=false]", "Zx9Cv8Bn"},
		"challenge from a position": {func(ctx context.Context, c *lichess.Client) (any, error) {
			return c.CreateChallenge(ctx, "Mary", lichess.ChallengeRequest{Time: lichess.TimeControl{Type: lichess.TimeCorrespondence, DaysPerTurn: 3}, FEN: "8/8 w", Rules: []string{"noAbort", "noRematch"}})
		}, one, "POST /api/challenge/Mary [days=3&fen=8%2F8+w&rated=false&rules=noAbort%2CnoRematch]", "Zx9Cv8Bn"},
		"list challenges": {func(ctx context.Context, c *lichess.Client) (any, error) { return c.Challenges(ctx) }, `{"in":[` + one + `],"out":[]}`, "GET /api/challenge", "Zx9Cv8Bn"},
		"show challenge":  {func(ctx context.Context, c *lichess.Client) (any, error) { return c.ShowChallenge(ctx, "c1") }, one, "GET /api/challenge/c1/show", "Zx9Cv8Bn"},
		"challenge the AI": {
			func(ctx context.Context, c *lichess.Client) (any, error) { return c.ChallengeAI(ctx, 3, blitz) },
			`{"id":"v8BRXYtM","player":"white","status":{"id":20,"name":"started"}}`, "POST /api/challenge/ai [clock.increment=0&clock.limit=180&color=white&level=3&variant=chess960]", "v8BRXYtM",
		},
		"list tournaments": {func(ctx context.Context, c *lichess.Client) (any, error) { return c.Tournaments(ctx) }, `{"created":[{"id":"t1"}]}`, "GET /api/tournament", "t1"},
		"tournament": {
			func(ctx context.Context, c *lichess.Client) (any, error) { return c.Tournament(ctx, "t1") },
			`{"id":"t1","variant":"standard","startsAt":"2026-07-07T02:00:47.211570216Z","botsAllowed":true}`, "GET /api/tournament/t1", "BotsAllowed:true",
		},
		"join": {only(func(ctx context.Context, c *lichess.Client) error {
			return c.JoinTournament(ctx, "t1", lichess.JoinRequest{Password: "pw", Team: "x", PairSoon: true})
		}), ok, "POST /api/tournament/t1/join [pairMeAsap=true&password=pw&team=x]", ""},
		"withdraw": {only(func(ctx context.Context, c *lichess.Client) error { return c.WithdrawTournament(ctx, "t1") }), ok, "POST /api/tournament/t1/withdraw", ""},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var got, auth, agent string
				client := connect(t, func(w http.ResponseWriter, r *http.Request) {
					body, _ := io.ReadAll(r.Body)
					got = r.Method + " " + r.RequestURI
					if len(body) > 0 {
						got += " [" + string(body) + "]"
					}
					auth, agent = r.Header.Get("Authorization"), r.UserAgent()
					answer(w, 200, c.answer)
				})
				result, err := c.call(t.Context(), client)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(c.want, got); diff != "" {
					t.Errorf("request (-want +got):\n%s", diff)
				}
				wantAuth := "Bearer " + testToken
				if name == "token test" || name == "tablebase" || name == "cloud evaluation" {
					wantAuth = ""
				}
				if auth != wantAuth || agent != "zeitnot/1.2" {
					t.Errorf("headers: got %q and %q", auth, agent)
				}
				if printed := fmt.Sprintf("%+v", result); !strings.Contains(printed, c.get) {
					t.Errorf("result: got %s, want something with %q", printed, c.get)
				}
			})
		})
	}
}

func TestUserAgentNamesTheAccountOnceItIsKnown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var agents []string
		name := "GoBot"
		c := connect(t, func(w http.ResponseWriter, r *http.Request) {
			agents = append(agents, r.UserAgent())
			answer(w, 200, `{"id":"x","username":"`+name+`"}`)
		})
		for _, next := range []string{"GoBot", "no", "GoBot"} {
			name = next
			if _, err := c.Account(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		// A name of two letters is one that the server would not read there.
		want := []string{"zeitnot/1.2", "zeitnot/1.2 user:GoBot", "zeitnot/1.2"}
		if diff := cmp.Diff(want, agents); diff != "" {
			t.Errorf("agents (-want +got):\n%s", diff)
		}
	})
}

func TestAnAccountsNameHasNothingThatATerminalObeys(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := connect(t, func(w http.ResponseWriter, r *http.Request) {
			answer(w, 200, `{"id":"x","username":"\u001b[2JGo\nBot`+strings.Repeat("x", 100_000)+`"}`)
		})
		a, err := c.Account(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(a.Username, "[2JGo Botxxx") || len(a.Username) > 1000 {
			t.Errorf("%d bytes: %.50q", len(a.Username), a.Username)
		}
	})
}

func TestTokensThatTheServerDoesNotKnow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := connect(t, func(w http.ResponseWriter, _ *http.Request) { answer(w, 200, `{"`+testToken+`":null}`) })
		if info, err := c.TestToken(t.Context()); info != nil || err != nil {
			t.Errorf("got %v, %v, want nothing", info, err)
		}
	})
}

func TestManyUsersAreAskedForInParts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var parts []int
		c := connect(t, func(w http.ResponseWriter, r *http.Request) {
			ids := strings.Split(r.FormValue("ids"), ",")
			parts = append(parts, len(ids))
			answer(w, 200, `[{"id":"`+ids[0]+`","name":"x"}]`)
		})
		ids := make([]string, 250)
		for i := range ids {
			ids[i] = fmt.Sprint("u", i)
		}
		status, err := c.UsersStatus(t.Context(), ids...)
		if err != nil || len(status) != 3 || status[2].ID != "u200" {
			t.Errorf("got %v, %v", status, err)
		}
		if diff := cmp.Diff([]int{100, 100, 50}, parts); diff != "" {
			t.Errorf("parts (-want +got):\n%s", diff)
		}
	})
}

// A page with status 200 comes from a proxy or a hotel's network: no success.
func TestPageInsteadOfAnAnswerIsNoSuccess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := connect(t, func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, "\n<!doctype html><title>Log in</title>")
		})
		err := c.Resign(t.Context(), "g1")
		wantError(t, err, "unexpected HTML page: Log in")
		if !lichess.Retryable(err) {
			t.Error("got final, want retryable")
		}
	})
}

func TestAnswersOfTheWrongShapeAreErrors(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := connect(t, func(w http.ResponseWriter, r *http.Request) {
			switch r.URL.Path {
			case "/api/account":
				answer(w, 200, `{}`)
			case "/api/challenge/Mary":
				answer(w, 200, `{"ok":true}`)
			default:
				answer(w, 200, `{"cut`)
			}
		})
		_, err := c.Account(t.Context())
		wantError(t, err, "without an id")
		_, err = c.CreateChallenge(t.Context(), "Mary", lichess.ChallengeRequest{})
		wantError(t, err, "without an id")
		_, err = c.Challenges(t.Context())
		wantError(t, err, "list challenges: status 200: read answer")
	})
}

// Requests keep their connection, also after refusals with a body.
func TestRequestsReuseTheirConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, dials := connectCounting(t, func(w http.ResponseWriter, _ *http.Request) { answer(w, 404, `{"error":"No such game"}`) })
		for range 5 {
			if err := c.Abort(t.Context(), "g1"); !lichess.IsNotFound(err) {
				t.Fatal(err)
			}
		}
		if got := dials(); got != 1 {
			t.Errorf("got %d connections for 5 requests, want 1", got)
		}
	})
}
