package config_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"zeitnot/config"
)

// The settings of whoever runs the tests are none of theirs.
func TestMain(m *testing.M) {
	for _, assignment := range os.Environ() {
		name, _, _ := strings.Cut(assignment, "=")
		if strings.HasPrefix(name, "ZEITNOT_") || name == "LICHESS_BOT_TOKEN" || name == "CREDENTIALS_DIRECTORY" || name == "STATE_DIRECTORY" {
			os.Unsetenv(name)
		}
	}
	os.Exit(m.Run())
}

// load fails the test unless the settings are good.
func load(t *testing.T, envFile string, needs ...config.Need) *config.Config {
	t.Helper()
	c, err := config.Load(envFile, needs...)
	if err != nil {
		t.Fatalf("load %q: %v", envFile, err)
	}
	return c
}

// refused fails the test unless the settings are not, and returns the message.
func refused(t *testing.T, envFile string, needs ...config.Need) string {
	t.Helper()
	_, err := config.Load(envFile, needs...)
	var faults config.Faults
	if !errors.As(err, &faults) {
		t.Fatalf("load %q: got error %v, want faults", envFile, err)
	}
	return err.Error()
}

// envFile writes a file with the lines and returns its path.
func envFile(t *testing.T, lines ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "zeitnot.env")
	if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestEachFaultHasItsExactMessage(t *testing.T) {
	files, err := filepath.Glob("testdata/invalid-*.env")
	if err != nil || len(files) == 0 {
		t.Fatalf("no files: %v", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var want []string
			for line := range strings.SplitSeq(string(text), "\n") {
				if message, ok := strings.CutPrefix(line, "#! "); ok {
					want = append(want, message)
				}
			}
			got := refused(t, file)
			got = strings.ReplaceAll(got, file, filepath.Base(file))
			if diff := cmp.Diff(strings.Join(want, "\n"), got); diff != "" {
				t.Errorf("message (-want +got):\n%s", diff)
			}
			if strings.Contains(got, "TESTTOKEN123") {
				t.Errorf("the message shows the token: %s", got)
			}
		})
	}
}

func TestDefaults(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", "/home/someone/state")
	got := load(t, "")
	accept := config.Acceptance{
		Speeds: []string{"bullet", "blitz"}, Variants: []string{"standard", "chess960"}, Modes: []string{"rated", "casual"},
		MaxInitial: 3 * time.Hour, MaxIncrement: 3 * time.Minute, MaxRating: 4000,
	}
	want := &config.Config{
		URL: "https://lichess.org", StateDir: "/home/someone/state/zeitnot", Record: "on", Concurrency: 1, HashMB: 64, Threads: 1,
		ClockPolicy: "adaptive", NoClockThink: 5 * time.Second, Book: []string{"embedded"}, EngineStartTimeout: 30 * time.Second, EngineUnknownOption: "warn",
		OnlineTablebaseURL: "https://tablebase.lichess.org", OnlineExplorerURL: "https://explorer.lichess.org", OnlineCloudURL: "https://lichess.org",
		OnlineGames: "masters", OnlineMinGames: 10, OnlineMinDepth: 20, OnlineMaxMove: 15, OnlineMinClock: 20 * time.Second, OnlineTimeout: time.Second,
		AcceptHuman: accept, AcceptBot: accept,
		Takebacks: 1, ChatCommands: true, AbortAfter: 30 * time.Second, DrainTimeout: 2 * time.Hour,
		Listen: "127.0.0.1:8090", LogLevel: "info", LogFormat: "auto",
	}
	want.Draw.Offer, want.Draw.Accept, want.Draw.Score, want.Draw.Moves, want.Draw.MinMove, want.Draw.MaxPieces = true, true, 10, 8, 35, 32
	want.Resign.Score, want.Resign.Moves = 1000, 5
	want.EngineFor.MaxRating = 4000
	if diff := cmp.Diff(want, got, sameSecret); diff != "" {
		t.Errorf("defaults (-want +got):\n%s", diff)
	}
}

var sameSecret = cmp.Comparer(func(a, b config.Secret) bool { return a.Reveal() == b.Reveal() })

func TestFileWithAllForms(t *testing.T) {
	got := load(t, "testdata/valid-full.env")
	want := load(t, "")
	want.URL = "https://lichess.dev"
	want.Concurrency = 3
	want.ClockPolicy = "reserve"
	want.Greeting = "Hello! # is no comment in here"
	want.AcceptHuman.Speeds = []string{"blitz", "rapid"}
	want.AcceptHuman.TimeControls = []config.TimeControl{
		{Initial: 3 * time.Minute, Increment: 2 * time.Second}, {Initial: 30 * time.Second},
	}
	want.AcceptBot.Speeds = nil
	want.Block = []string{"alice", "bob"}
	want.Book = []string{"/srv/books/own.bin", "embedded"}
	want.SyzygyPath = "/srv/syzygy/345:/srv/syzygy/6"
	want.Engine = "/usr/games/stockfish"
	want.EngineArgs = []string{"--threads", "2"}
	want.EngineOptions = []string{"Move Overhead=20", "Clear Hash", "SyzygyPath="}
	want.EngineUnknownOption = "error"
	want.EngineFor.Speeds, want.EngineFor.Colors, want.EngineFor.MinRating = []string{"rapid", "classical"}, []string{"white"}, 2000
	want.Listen = ""
	want.DrainTimeout = 90 * time.Minute
	if diff := cmp.Diff(want, got, sameSecret); diff != "" {
		t.Errorf("settings (-want +got):\n%s", diff)
	}
}

func TestEmptyBookIsNone(t *testing.T) {
	if got := load(t, envFile(t, "ZEITNOT_BOOK=")); len(got.Book) != 0 {
		t.Errorf("got books %q, want none", got.Book)
	}
}

func TestFileFromWindows(t *testing.T) {
	if got := load(t, "testdata/valid-windows.env"); got.Concurrency != 2 || got.LogLevel != "warn" {
		t.Errorf("got concurrency %d and log level %q, want 2 and warn", got.Concurrency, got.LogLevel)
	}
}

func TestEnvironmentOverFile(t *testing.T) {
	file := envFile(t, "ZEITNOT_CONCURRENCY=2", "ZEITNOT_HASH_MB=128", "ZEITNOT_LISTEN=127.0.0.1:1")
	t.Setenv("ZEITNOT_CONCURRENCY", "5")
	t.Setenv("ZEITNOT_LISTEN", "")
	got := load(t, file)
	if got.Concurrency != 5 || got.HashMB != 128 || got.Listen != "" {
		t.Errorf("got %d, %d, %q; want 5 and no listener from the environment, 128 from the file", got.Concurrency, got.HashMB, got.Listen)
	}
}

func TestFaultsOfTheEnvironment(t *testing.T) {
	t.Setenv("ZEITNOT_CONCURRENCY", "0")
	t.Setenv("ZEITNOT_HASH", "64")
	t.Setenv("zeitnot_url", "https://lichess.dev")
	t.Setenv("ZEITNOT_TESTDATA", "/only/for/tests")
	got := refused(t, envFile(t, "ZEITNOT_CONCURRENCY=1", "ZEITNOT_THREADS=257"))
	_, file, _ := strings.Cut(got, "\n")
	_, file, _ = strings.Cut(file, "\n")
	_, file, _ = strings.Cut(file, "\n")
	path, _, _ := strings.Cut(file, " line ")
	want := strings.Join([]string{
		`ZEITNOT_HASH: there is no such setting`,
		`zeitnot_url: there is no such setting; did you mean ZEITNOT_URL?`,
		`ZEITNOT_CONCURRENCY="0": below 1; allowed: 1 to 100; example: ZEITNOT_CONCURRENCY=2`,
		path + ` line 2: ZEITNOT_THREADS="257": above 256; allowed: 1 to 256; example: ZEITNOT_THREADS=2`,
	}, "\n")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("message (-want +got):\n%s", diff)
	}
}

func TestNothingIsReadUnderABareName(t *testing.T) {
	t.Setenv("URL", "https://example.org")
	t.Setenv("TOKEN", "lip_TESTTOKEN123")
	t.Setenv("CONCURRENCY", "9")
	got := load(t, "")
	if got.URL != "https://lichess.org" || !got.Token.Empty() || got.Concurrency != 1 {
		t.Errorf("got %q, token %v, %d; want the defaults", got.URL, got.Token, got.Concurrency)
	}
}

func TestMissingFile(t *testing.T) {
	if got, want := refused(t, "/nowhere/zeitnot.env"), "settings file /nowhere/zeitnot.env: no such file or directory"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestStateDir(t *testing.T) {
	t.Setenv("HOME", "/home/someone")
	t.Setenv("XDG_STATE_HOME", "")
	if got, want := load(t, "").StateDir, "/home/someone/.local/state/zeitnot"; got != want {
		t.Errorf("home: got %q, want %q", got, want)
	}
	t.Setenv("STATE_DIRECTORY", "/var/lib/zeitnot:/var/lib/other")
	if got, want := load(t, "").StateDir, "/var/lib/zeitnot"; got != want {
		t.Errorf("service: got %q, want %q", got, want)
	}
	t.Setenv("ZEITNOT_STATE_DIR", "/srv/zeitnot")
	if got, want := load(t, "").StateDir, "/srv/zeitnot"; got != want {
		t.Errorf("setting: got %q, want %q", got, want)
	}
}

func TestUserListsFromFiles(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "block")
	if err := os.WriteFile(path, []byte("# rude\nCarol\r\n\n  dave # left without a word\nalice\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("ZEITNOT_BLOCK", "Alice")
	t.Setenv("ZEITNOT_BLOCK_FILE", path)
	if diff := cmp.Diff([]string{"alice", "carol", "dave"}, load(t, "").Block); diff != "" {
		t.Errorf("blocked (-want +got):\n%s", diff)
	}
	t.Setenv("ZEITNOT_ALLOW_ONLY", "true")
	t.Setenv("ZEITNOT_ALLOW_FILE", path)
	if got := load(t, ""); !got.AllowOnly || len(got.Allow) != 3 {
		t.Errorf("got allow only %v for %v, want true for the three of the file", got.AllowOnly, got.Allow)
	}
	if err := os.WriteFile(path, []byte("alice\nnot a name\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	got := refused(t, "")
	for _, want := range []string{
		`ZEITNOT_BLOCK_FILE="` + path + `": line 2: "not a name" is not a user name`,
		`ZEITNOT_ALLOW_FILE="` + path + `": line 2: "not a name" is not a user name`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("got %q, want %q in it", got, want)
		}
	}
	if strings.Contains(got, "ALLOW_ONLY") {
		t.Errorf("a broken list also counts as an empty one: %s", got)
	}
}

func TestNeeds(t *testing.T) {
	if got := refused(t, "", config.NeedToken); !strings.HasPrefix(got, "ZEITNOT_TOKEN: no token: make one with the scope bot:play at https://lichess.org/account/oauth/token") {
		t.Errorf("got %q", got)
	}
	t.Setenv("ZEITNOT_TOKEN", "lip_TESTTOKEN123")
	if got := load(t, "", config.NeedToken); got.Token.Reveal() != "lip_TESTTOKEN123" {
		t.Error("the token is not the one that was set")
	}
}

func TestHugeValuesAreNotRepeatedWhole(t *testing.T) {
	for _, huge := range []string{strings.Repeat("A", 100_000), strings.Repeat("A", 295) + "lip_" + strings.Repeat("TESTTOKEN123", 1000)} {
		for _, name := range []string{"ZEITNOT_URL", "ZEITNOT_RECORD", "ZEITNOT_HASH_MB", "ZEITNOT_BOOK", "ZEITNOT_BLOCK", "ZEITNOT_TOKEN_FILE", "ZEITNOT_ACCEPT_BOT_SPEEDS"} {
			t.Run(name, func(t *testing.T) {
				t.Setenv(name, huge)
				_, err := config.Load("")
				if err == nil {
					t.Fatal("it was taken")
				}
				if got := err.Error(); len(got) > 1000 || strings.Contains(got, "TESTTOKEN") || strings.Contains(got, "lip_") || !strings.Contains(got, name) {
					t.Errorf("%d bytes: %.1200s", len(got), got)
				}
			})
		}
	}
}
