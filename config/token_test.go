package config_test

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"zeitnot/config"
)

func TestTokenOrder(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	check := func(name, want, wantSource string) {
		t.Helper()
		got := load(t, "")
		if got.Token.Reveal() != want || got.TokenSource != wantSource {
			t.Errorf("%s: got %q from %q, want %q from %q", name, got.Token.Reveal(), got.TokenSource, want, wantSource)
		}
	}

	check("nothing set", "", "")
	t.Setenv("LICHESS_BOT_TOKEN", "fourth")
	check("other bots' name", "fourth", "LICHESS_BOT_TOKEN")
	t.Setenv("CREDENTIALS_DIRECTORY", dir)
	check("no such credential", "fourth", "LICHESS_BOT_TOKEN")
	write("lichess_token", "third\n")
	check("credential", "third", "systemd credential lichess_token")
	t.Setenv("ZEITNOT_TOKEN_FILE", write("token", "\tsecond\r\n"))
	check("file", "second", "ZEITNOT_TOKEN_FILE")
	t.Setenv("ZEITNOT_TOKEN", "  ")
	check("an empty token is none", "second", "ZEITNOT_TOKEN_FILE")
	t.Setenv("ZEITNOT_TOKEN", " first ")
	check("setting", "first", "ZEITNOT_TOKEN")
}

func TestTokenFromEnvFile(t *testing.T) {
	for line, want := range map[string]string{
		"ZEITNOT_TOKEN=lip_abc":     "ZEITNOT_TOKEN",
		"LICHESS_BOT_TOKEN=lip_abc": "LICHESS_BOT_TOKEN",
	} {
		if got := load(t, envFile(t, line)); got.Token.Reveal() != "lip_abc" || got.TokenSource != want {
			t.Errorf("%s: got %q from %q", line, got.Token.Reveal(), got.TokenSource)
		}
	}
}

func TestOddTokens(t *testing.T) {
	for name, tc := range map[string]struct{ file, want, message string }{
		"file that ends with a newline": {"lip_abc\r\n", "lip_abc", ""},
		"512 characters":                {strings.Repeat("a", 512), strings.Repeat("a", 512), ""},
		"1023 characters":               {strings.Repeat("a", 1023), strings.Repeat("a", 1023), ""},
		"newline inside":                {"lip_TESTTOKEN123\nlip_TESTTOKEN123", "", "ZEITNOT_TOKEN_FILE: has a control character in the middle of the token, perhaps a second line"},
		"NUL inside":                    {"lip_TEST\x00TOKEN123", "", "ZEITNOT_TOKEN_FILE: has a control character in the middle of the token, perhaps a second line"},
		"beyond ASCII":                  {"lip_TESTTOKEN123é", "", "ZEITNOT_TOKEN_FILE: has a character in the token that is not plain ASCII"},
		"only blanks":                   {" \n", "", "ZEITNOT_TOKEN_FILE: holds no token"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "token")
			if err := os.WriteFile(path, []byte(tc.file), 0o600); err != nil {
				t.Fatal(err)
			}
			t.Setenv("ZEITNOT_TOKEN_FILE", path)
			if tc.message == "" {
				if got := load(t, "").Token.Reveal(); got != tc.want {
					t.Errorf("got a token of %d characters, want %d", len(got), len(tc.want))
				}
			} else if got := refused(t, ""); got != tc.message {
				t.Errorf("got %q, want %q", got, tc.message)
			}
		})
	}
}

func TestFileWithoutEndIsNotReadForEver(t *testing.T) {
	const endless = "/dev/zero"
	if _, err := os.Stat(endless); err != nil {
		t.Skip("no " + endless + " on this machine")
	}
	for _, name := range []string{"ZEITNOT_TOKEN_FILE", "ZEITNOT_BLOCK_FILE"} {
		t.Run(name, func(t *testing.T) {
			t.Setenv(name, endless)
			if _, err := config.Load(""); err == nil || !strings.Contains(err.Error(), "is larger than") {
				t.Errorf("got %v, want that it is too large", err)
			}
		})
	}
	if _, err := config.Load(endless); err == nil || !strings.Contains(err.Error(), "is larger than") {
		t.Errorf("env file: got %v, want that it is too large", err)
	}
}

func TestSecretsDoNotShow(t *testing.T) {
	t.Setenv("ZEITNOT_TOKEN", "lip_TESTTOKEN123")
	c := load(t, "")
	type hiding struct {
		inner  config.Secret
		c      *config.Config
		nested config.Config
		list   []config.Secret
	}
	h := hiding{c.Token, c, *c, []config.Secret{c.Token}}
	var shown []string
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%p", "%t"} {
		for _, x := range []any{c.Token, &c.Token, *c, c, h, &h, h.list, any(c.Token)} {
			shown = append(shown, fmt.Sprintf(verb, x))
		}
	}
	b, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	shown = append(shown, string(b), fmt.Sprint(c.Lines()))
	for _, s := range shown {
		// %x would write it in hexadecimal.
		if strings.Contains(s, "TESTTOKEN") || strings.Contains(strings.ToLower(s), "54455354544f4b454e") {
			t.Errorf("shown in %s", s)
		}
	}
	if got := fmt.Sprint(c.Token); got != "***" {
		t.Errorf("got %q, want ***", got)
	}
	if got := config.NewSecret(""); !got.Empty() || fmt.Sprint(got) != "" {
		t.Errorf("no secret: got %q", got)
	}
}

func TestRedact(t *testing.T) {
	got := config.Redact("Bearer odd-one, lip_abc123: refused", config.NewSecret("odd-one"), config.Secret{})
	if want := "Bearer ***, ***: refused"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestPipesAreReadAndNotWaitedFor(t *testing.T) {
	t.Setenv("ZEITNOT_STATE_DIR", t.TempDir())
	pipe := filepath.Join(t.TempDir(), "pipe")
	if out, err := exec.Command("mkfifo", pipe).CombinedOutput(); err != nil {
		t.Skipf("no named pipes on this machine: %v %s", err, out)
	}
	t.Setenv("ZEITNOT_TOKEN_FILE", pipe)
	if _, err := config.Load(""); err == nil || !strings.Contains(err.Error(), "holds no token") {
		t.Errorf("a pipe that nobody writes to: got %v, want that there is no token", err)
	}

	// A shell's <(command) is a pipe too, which may be filled only later.
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	name := fmt.Sprintf("/dev/fd/%d", r.Fd())
	if _, err := os.Stat(name); err != nil {
		t.Skip("open files have no names on this machine")
	}
	t.Setenv("ZEITNOT_TOKEN_FILE", name)
	go func() {
		defer w.Close()
		io.WriteString(w, "lip_good_TESTTOKEN123\n")
	}()
	c, err := config.Load("", config.NeedToken)
	if err != nil {
		t.Fatal(err)
	}
	if got := c.Token.Reveal(); got != "lip_good_TESTTOKEN123" {
		t.Errorf("%d bytes were read from a pipe, not the token", len(got))
	}
}
