package main

import (
	"fmt"

	"github.com/rs/zerolog"

	"zeitnot/config"
	"zeitnot/lichess"
)

// newClient makes the client that the settings describe, with the changes to them.
func newClient(settings *config.Config, log zerolog.Logger, changes ...func(*lichess.Options)) (*lichess.Client, error) {
	token, err := lichess.NewSecret(settings.Token.Reveal())
	if err != nil {
		return nil, &exitError{exitConfig, err}
	}
	o := lichess.Options{URL: settings.URL, Token: token, Version: versionText(), Logger: log}
	for _, change := range changes {
		change(&o)
	}
	client, err := lichess.New(o)
	if err != nil {
		return nil, &exitError{exitConfig, fmt.Errorf("server %s: %w", settings.URL, err)}
	}
	return client, nil
}

// unlimited is for a server that counts no requests.
func unlimited(o *lichess.Options) { o.Burst, o.Refill = 1_000_000, 1_000_000 }

// makeNewToken says what helps where a token does not; url is the server's.
func makeNewToken(url string) string { return "make a new one at " + url + "/account/oauth/token" }
