package main

import (
	"fmt"

	"github.com/rs/zerolog"

	"zeitnot/config"
	"zeitnot/lichess"
)

// newClient makes the client that the settings describe.
func newClient(settings *config.Config, log zerolog.Logger) (*lichess.Client, error) {
	token, err := lichess.NewSecret(settings.Token.Reveal())
	if err != nil {
		return nil, &exitError{exitConfig, err}
	}
	client, err := lichess.New(lichess.Options{
		URL: settings.URL, Token: token, Version: versionText(), Logger: log,
	})
	if err != nil {
		return nil, &exitError{exitConfig, fmt.Errorf("server %s: %w", settings.URL, err)}
	}
	return client, nil
}
