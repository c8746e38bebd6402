package measure

import (
	"fmt"
	"strings"
	"time"

	"zeitnot/lichess/sandbox"
)

// died says how the bot ended, and with what last words.
func (m *bench) died() error {
	return fmt.Errorf("the bot ended by itself: %w; %s", m.bot.Err(), m.lastWords())
}

// lastWords are the end of what the bot wrote.
func (m *bench) lastWords() string {
	text := strings.TrimSpace(m.bot.Output())
	if text == "" {
		return "it wrote nothing"
	}
	return "the end of what it wrote:\n" + text
}

// neverConnected says what a bot without an event stream did instead.
func (m *bench) neverConnected(since time.Time) error {
	asked := m.server.Requests(func(q sandbox.Request) bool { return !q.At.Before(since) })
	hint := fmt.Sprintf("it asked nothing of the sandbox: does it take the base URL %s from its environment (LICHESS_URL, ZEITNOT_URL) or from {url} in the command?", m.url)
	if len(asked) > 0 {
		last := asked[len(asked)-1]
		hint = fmt.Sprintf("its last of %d requests was %s %s, answered %d", len(asked), last.Method, last.Path, last.Status)
		if last.Status == 401 {
			hint += ": does it take the token from its environment (LICHESS_BOT_TOKEN, ZEITNOT_TOKEN) or from {token} in the command?"
		}
	}
	return fmt.Errorf("the bot has not opened its event stream within %v: %s; %s", m.who.Patience, hint, m.lastWords())
}

// doesNotPlay says that a game was offered in vain.
func (m *bench) doesNotPlay(id string) error {
	return fmt.Errorf("the bot has not moved within %v in game %s, a casual 10+5 game from a position that its event stream told it of; %s", m.who.Patience, id, m.lastWords())
}
