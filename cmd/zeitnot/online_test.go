package main

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rs/zerolog"

	"zeitnot/bot/online"
	"zeitnot/config"
	"zeitnot/engine"
	"zeitnot/lichess/sandbox"
)

func TestRunAsksDatabasesOnTheNetwork(t *testing.T) {
	// Game after game: an answer that takes too long is nobody's, and a machine may be that slow.
	challenge := func(name, fen string) sandbox.OpponentSpec {
		return sandbox.OpponentSpec{Name: name, New: sandbox.Script{ResignAt: 6}.Player, Plans: []sandbox.Plan{{
			Challenge: sandbox.Challenge{To: "GoBot", Control: sandbox.ClockControl(time.Minute, 0), Color: "black", FEN: fen},
			Count:     sandbox.Always, Persist: true,
		}}}
	}
	_, url := inSandbox(t, challenge("Anna", ""), challenge("Berta", "8/8/8/3k4/8/8/2R5/K7 w - - 0 1"))
	state := t.TempDir()
	env := []string{
		"ZEITNOT_URL=" + url, "ZEITNOT_TOKEN=lip_bot_" + tokenMark, "ZEITNOT_STATE_DIR=" + state, "ZEITNOT_BOOK=",
		"ZEITNOT_ACCEPT_HUMAN_VARIANTS=standard,fromPosition",
		"ZEITNOT_ONLINE=tablebase,explorer,cloud", "ZEITNOT_ONLINE_TOKEN=lip_reader_" + tokenMark,
		"ZEITNOT_ONLINE_TABLEBASE_URL=" + url, "ZEITNOT_ONLINE_EXPLORER_URL=" + url, "ZEITNOT_ONLINE_CLOUD_URL=" + url,
	}
	p := start(t, env, "check")
	p.exit(0)
	for _, name := range []string{"tablebase", "explorer", "cloud"} {
		p.says("ok    online " + name + ": answers")
	}

	p = start(t, env, "run")
	for _, source := range []string{"online explorer }", "online tablebase }"} {
		for deadline := time.Now().Add(patience); ; time.Sleep(50 * time.Millisecond) {
			text, err := os.ReadFile(filepath.Join(state, "games.pgn"))
			if err == nil && strings.Contains(string(text), source) {
				break
			}
			if strings.Contains(p.output.String(), "online lookups pause") { // too slow for now: another start asks anew
				p.signal(syscall.SIGTERM)
				p.exit(0)
				p = start(t, env, "run")
			}
			if time.Now().After(deadline) {
				t.Fatalf("no move of the games says %q (%v):\n%s\n%s", source, err, text, p.output)
			}
		}
	}
	p.signal(syscall.SIGTERM)
	p.exit(0)
}

func TestTheBotsTokenStaysAtHome(t *testing.T) {
	var mu sync.Mutex
	sent := map[string]string{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		sent[r.URL.Path] = r.Header.Get("Authorization")
	}))
	defer server.Close()
	for _, token := range []string{"", "lip_for_the_explorer"} {
		settings := &config.Config{
			URL: server.URL + "/main", Token: config.NewSecret("lip_bot_" + tokenMark), Online: []string{"tablebase", "explorer", "cloud"},
			OnlineTablebaseURL: server.URL, OnlineExplorerURL: server.URL, OnlineCloudURL: server.URL + "/main",
			OnlineToken: config.NewSecret(token), OnlineGames: "lichess",
		}
		main, err := newClient(settings, zerolog.Nop())
		if err != nil {
			t.Fatal(err)
		}
		d, err := openDatabases(settings, main, zerolog.Nop())
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range d.sources {
			if err := online.Try(t.Context(), s); err == nil {
				t.Error("an empty answer is taken for one")
			}
		}
		d.close()
		main.Close()
		if token != "" {
			token = "Bearer " + token
		}
		want := map[string]string{"/standard": "", "/lichess": token, "/main/api/cloud-eval": ""}
		if diff := cmp.Diff(want, sent); diff != "" {
			t.Errorf("tokens sent (-want +got):\n%s", diff)
		}
	}
}

func TestTheLastResortAsksNothingOnTheNetwork(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	asked := make(chan struct{}, 10)
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		asked <- struct{}{}
		cancel()
	}))
	defer server.Close()
	settings := &config.Config{
		URL: server.URL, Token: config.NewSecret("lip_bot_" + tokenMark), Online: []string{"cloud"}, OnlineCloudURL: server.URL, OnlineMaxMove: 10,
	}
	main, err := newClient(settings, zerolog.Nop())
	if err != nil {
		t.Fatal(err)
	}
	defer main.Close()
	k := knows(t, nil, "")
	if err := k.goOnline(settings, main, zerolog.Nop()); err != nil {
		t.Fatal(err)
	}
	g := played(t, "", false)
	if _, err := lastResortFor(settings, k).Search(ctx, g, engine.Limits{Soft: new(time.Second), Hard: new(time.Second)}, nil); err != nil || len(asked) > 0 {
		t.Errorf("the last resort asked %d times (%v), want never", len(asked), err)
	}
	if _, err := k.before(newSearcher()).Search(ctx, g, engine.Limits{Soft: new(patience), Hard: new(patience)}, nil); err != nil || len(asked) == 0 {
		t.Errorf("a searcher asked %d times (%v): nothing is shown by the silence before", len(asked), err)
	}
}
