package main

import (
	"fmt"
	"path/filepath"

	"github.com/rs/zerolog"

	"zeitnot/bot/record"
	"zeitnot/config"
)

// recordFile is the record in the state folder.
const recordFile = "zeitnot.db"

// openRecord opens the record as the settings say. Where it is not required, trouble with it
// is told and games are played without.
func openRecord(c *config.Config, log zerolog.Logger) (record.Store, error) {
	if c.Record == "off" {
		return record.Nothing{}, nil
	}
	store, err := record.Open(filepath.Join(c.StateDir, recordFile), log)
	switch {
	case err == nil:
		return store, nil
	case c.Record == "required":
		return nil, fmt.Errorf("record: %w", err)
	}
	log.Error().Err(err).Msg("playing without a record")
	return record.Nothing{}, nil
}

// closeRecord ends the record; nothing that is played depends on it.
func closeRecord(store record.Store, log zerolog.Logger) {
	if err := store.Close(); err != nil {
		log.Error().Err(err).Msg("close the record")
	}
}
