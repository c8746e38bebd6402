package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"github.com/rs/zerolog"
	"github.com/spf13/cobra"

	"zeitnot/bot/record"
	"zeitnot/config"
	"zeitnot/lichess"
)

// checkTimeout is how long all questions to the server may take together.
const checkTimeout = 30 * time.Second

// expiresSoon is how long before its end a token is worth a warning.
const expiresSoon = 30 * 24 * time.Hour

func (a *app) checkCommand() *cobra.Command {
	var envFile string
	c := &cobra.Command{
		Use:   "check",
		Short: "Check everything that a game needs, one line each",
		Long: `Check everything that a game needs, one line each: ok, warn or FAIL, and what to do.
The exit code is 0, or that of the first FAIL.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			r := &checkReport{app: a}
			r.all(c.Context(), envFile)
			if r.code != 0 {
				return &exitError{code: r.code}
			}
			return nil
		},
	}
	envFileFlag(c, &envFile)
	return c
}

// checkReport prints the findings and remembers the code of the first failure.
type checkReport struct {
	app  *app
	code int
}

func (r *checkReport) ok(what, found string) { fmt.Fprintf(r.app.out, "ok    %s: %s\n", what, found) }

func (r *checkReport) warn(what, found string) {
	fmt.Fprintf(r.app.out, "warn  %s: %s\n", what, found)
}

func (r *checkReport) fail(code int, what, found string) {
	fmt.Fprintf(r.app.out, "FAIL  %s: %s\n", what, found)
	if r.code == 0 {
		r.code = code
	}
}

// all goes from the machine to the server and stops where the next question would have no
// meaning.
func (r *checkReport) all(ctx context.Context, envFile string) {
	settings, err := r.app.loadConfig(envFile, config.NeedToken, config.NeedStateDir)
	var faults config.Faults
	if errors.As(err, &faults) {
		for _, f := range faults {
			r.fail(exitConfig, "settings", config.Redact(f.String()))
		}
		return
	}
	r.ok("settings", "all valid")
	r.hash(settings.HashMB)
	r.threads(settings.Threads)
	r.strength(settings.LimitElo)
	if r.stateDir(settings.StateDir) {
		r.record(settings)
	}
	r.listen(settings.Listen)
	r.engine(ctx, settings)
	r.knowledge(settings)
	r.databases(ctx, settings)
	r.tokenFile(settings)
	r.server(ctx, settings)
}

func (r *checkReport) hash(mb int) {
	if err := hashFits(mb); err != nil {
		r.fail(exitConfig, "memory", err.Error())
	}
}

func (r *checkReport) threads(n int) {
	if err := threadsFit(n, runtime.GOMAXPROCS(0)); err != nil {
		r.fail(exitConfig, "cores", err.Error())
	}
}

// strength says how strong the bot plays; elo is "" without a limit.
func (r *checkReport) strength(elo string) {
	if elo == "" {
		r.ok("strength", "full")
		return
	}
	r.ok("strength", "limited to about "+elo+" Elo: one thread, no tablebases, nothing on the opponent's time")
}

func (r *checkReport) record(c *config.Config) {
	if c.Record == "off" {
		return
	}
	path := filepath.Join(c.StateDir, recordFile)
	switch err := record.Check(path); {
	case err == nil:
		r.ok("record", path)
	case c.Record == "required":
		r.fail(exitConfig, "record", err.Error())
	default:
		r.warn("record", err.Error())
	}
}

// stateDir tells whether the folder can be used.
func (r *checkReport) stateDir(dir string) bool {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		r.fail(exitConfig, "state folder", err.Error())
		return false
	}
	f, err := os.CreateTemp(dir, ".check-*")
	if err != nil {
		r.fail(exitConfig, "state folder", "cannot be written: "+err.Error())
		return false
	}
	f.Close()
	os.Remove(f.Name())
	if info, err := os.Stat(dir); err == nil && info.Mode().Perm()&0o077 != 0 {
		r.warn("state folder", fmt.Sprintf("%s can be read by others: chmod 700", dir))
	} else {
		r.ok("state folder", dir)
	}
	return true
}

func (r *checkReport) listen(address string) {
	if address == "" {
		r.ok("listen", "off; healthcheck will not work")
		return
	}
	l, err := net.Listen("tcp", address)
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		r.warn("listen", address+" is in use, perhaps by the running daemon")
	case err != nil:
		r.fail(exitConfig, "listen", err.Error())
	default:
		l.Close()
		r.ok("listen", address)
	}
}

func (r *checkReport) tokenFile(settings *config.Config) {
	if !strings.HasSuffix(settings.TokenSource, "_FILE") {
		r.ok("token", "from "+settings.TokenSource)
		return
	}
	path, err := filepath.Abs(settings.TokenFile)
	if err != nil {
		path = settings.TokenFile
	}
	if info, err := os.Stat(path); err == nil && info.Mode().Perm()&0o077 != 0 {
		r.warn("token", fmt.Sprintf("%s can be read by others: chmod 600", path))
		return
	}
	r.ok("token", "from "+path)
}

// server asks for the token first: that needs no right at all.
func (r *checkReport) server(ctx context.Context, settings *config.Config) {
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	client, err := newClient(settings, zerolog.Nop())
	if err != nil {
		r.fail(exitConfig, "server", err.Error())
		return
	}
	defer client.Close()
	token, err := client.TestToken(ctx)
	if err != nil {
		r.fail(serverCode(err), "server", err.Error())
		return
	}
	r.ok("server", settings.URL)
	if !r.scopes(token, settings.URL) {
		return
	}
	account, err := client.Account(ctx)
	if err != nil {
		r.fail(serverCode(err), "account", err.Error())
		return
	}
	r.account(account)
}

// scopes tells whether the token can do anything at all.
func (r *checkReport) scopes(token *lichess.TokenInfo, url string) bool {
	if token == nil {
		r.fail(exitAccess, "token", "the server does not know it: "+makeNewToken(url))
		return false
	}
	if !token.HasScope(lichess.ScopeBotPlay) {
		r.fail(exitAccess, "scope", fmt.Sprintf("the token lacks %s (it has %q): %s",
			lichess.ScopeBotPlay, strings.Join(token.ScopeList(), ", "), makeNewToken(url)))
		return false
	}
	r.ok("scope", lichess.ScopeBotPlay)
	if token.Expiry != nil {
		end := time.UnixMilli(*token.Expiry)
		if left := time.Until(end); left < expiresSoon {
			r.warn("token", "it expires on "+end.Format(time.DateOnly))
		}
	}
	return true
}

func (r *checkReport) account(account *lichess.Account) {
	switch {
	case account.Disabled:
		r.fail(exitAccess, "account", account.Username+" is closed")
	case !account.IsBot():
		r.fail(exitAccess, "account", account.Username+" is not a bot account: zeitnot upgrade makes it one")
	case account.TosViolation:
		r.warn("account", account.Username+" is marked for breaking the terms of service")
	default:
		r.ok("account", account.Username+" is a bot account")
	}
}
