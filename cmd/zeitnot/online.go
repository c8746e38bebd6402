package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/rs/zerolog"

	"zeitnot/bot/online"
	"zeitnot/config"
	"zeitnot/lichess"
)

// databases are the clients of the servers that are asked on the network. The bot's token goes
// to none of them.
type databases struct {
	sources []online.Source
	own     []*lichess.Client // to be closed
}

// openDatabases makes the clients that the settings want. A database on the main server is asked
// by the main client, so that its limits count for both; the explorer, which wants a token, is
// not. main may be nil.
func openDatabases(settings *config.Config, main *lichess.Client, log zerolog.Logger) (*databases, error) {
	d := &databases{}
	own := func(url string, token lichess.Secret) (*lichess.Client, error) {
		c, err := lichess.New(lichess.Options{URL: url, Token: token, Version: versionText(), Logger: log})
		if err == nil {
			d.own = append(d.own, c)
		}
		return c, err
	}
	anonymous := func(url string) (*lichess.Client, error) {
		if main != nil && url == settings.URL {
			return main, nil
		}
		return own(url, lichess.Secret{})
	}
	token, err := lichess.NewSecret(settings.OnlineToken.Reveal())
	if err != nil {
		return nil, fmt.Errorf("%s_ONLINE_TOKEN: %w", config.Prefix, err)
	}
	for _, name := range settings.Online {
		var c *lichess.Client
		var err error
		switch name {
		case "tablebase":
			c, err = anonymous(settings.OnlineTablebaseURL)
			d.sources = append(d.sources, online.Tablebase{Client: c})
		case "explorer":
			c, err = own(settings.OnlineExplorerURL, token)
			d.sources = append(d.sources, online.Explorer{
				Client: c, Games: lichess.ExplorerGames(settings.OnlineGames), Player: settings.OnlinePlayer,
				MinGames: settings.OnlineMinGames, MaxMove: settings.OnlineMaxMove,
			})
		case "cloud":
			c, err = anonymous(settings.OnlineCloudURL)
			d.sources = append(d.sources, online.Cloud{Client: c, MinDepth: settings.OnlineMinDepth, MaxMove: settings.OnlineMaxMove})
		}
		if err != nil {
			d.close()
			return nil, fmt.Errorf("online %s: %w", name, err)
		}
	}
	return d, nil
}

func (d *databases) close() {
	for _, c := range d.own {
		c.Close()
	}
}

// goOnline makes that databases on the network are asked where books and tables are silent.
func (k *knowledge) goOnline(settings *config.Config, main *lichess.Client, log zerolog.Logger) error {
	if len(settings.Online) == 0 || settings.LimitElo != "" {
		return nil
	}
	d, err := openDatabases(settings, main, log)
	if err != nil {
		return err
	}
	k.databases = d
	k.adviser = online.New(online.Options{
		Sources: d.sources, Timeout: settings.OnlineTimeout, MinClock: settings.OnlineMinClock, Log: log,
		Hold: func() bool { return main.PauseLeft(lichess.KindDatabase) > 0 || main.Debt() > 0 },
	})
	log.Info().Strs("databases", settings.Online).Msg("online lookups")
	return nil
}

// databases checks that the databases on the network answer. Games go on without them, so that
// nothing of it fails.
func (r *checkReport) databases(ctx context.Context, settings *config.Config) {
	if len(settings.Online) == 0 {
		return
	}
	d, err := openDatabases(settings, nil, zerolog.Nop())
	if err != nil {
		r.warn("online", err.Error())
		return
	}
	defer d.close()
	if slices.Contains(settings.Online, "explorer") && settings.OnlineToken.Empty() {
		r.warn("online explorer", "Lichess's wants a token: "+config.Prefix+"_ONLINE_TOKEN, which needs no scope")
	}
	for i, s := range d.sources {
		began := time.Now()
		if err := online.Try(ctx, s); err != nil {
			r.warn("online "+settings.Online[i], err.Error())
			continue
		}
		r.ok("online "+settings.Online[i], fmt.Sprintf("answers within %d ms", time.Since(began).Milliseconds()))
	}
}
