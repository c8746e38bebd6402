package main

import (
	"io"
	"os"
	"time"

	"github.com/rs/zerolog"
	"golang.org/x/term"
)

// logTime is RFC 3339 with milliseconds: moves follow each other within a second.
const logTime = "2006-01-02T15:04:05.000Z07:00"

// newLogger logs for people on a terminal and as JSON elsewhere, unless the format is
// given. Level and format are settings and known to be right.
func newLogger(out io.Writer, level, format string, terminal bool) zerolog.Logger {
	least, err := zerolog.ParseLevel(level)
	if err != nil {
		least = zerolog.InfoLevel
	}
	if format == "console" || format == "auto" && terminal {
		out = zerolog.ConsoleWriter{Out: out, TimeFormat: "15:04:05.000", NoColor: !terminal}
	}
	stamp := zerolog.HookFunc(func(e *zerolog.Event, _ zerolog.Level, _ string) {
		e.Str(zerolog.TimestampFieldName, time.Now().Format(logTime))
	})
	return zerolog.New(out).Level(least).Hook(stamp)
}

// errIsTerminal tells whether people read standard error as it is written.
func errIsTerminal() bool { return term.IsTerminal(int(os.Stderr.Fd())) }
