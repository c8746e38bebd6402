package sandbox

import (
	"regexp"
	"unicode/utf8"
)

// maxChat is the longest chat line, in characters.
const maxChat = 140

const (
	roomPlayer    = "player"
	roomSpectator = "spectator"
)

// chatLine is one line of a game's chat.
type chatLine struct {
	user, text, room string
}

type chatLineJSON struct {
	Type     string `json:"type"`
	Room     string `json:"room"`
	Username string `json:"username"`
	Text     string `json:"text"`
}

// link finds what the server takes for a link in a bot's line.
var link = regexp.MustCompile(`(?i)\bhttps?://|\bwww\.|\b[a-z0-9-]+\.(com|org|net|io|dev|gg|tv)\b`)

// addChat keeps a line and sends it to both sides. The caller holds mu.
func (g *game) addChat(l chatLine) {
	g.chat = append(g.chat, l)
	data := encode(chatLineJSON{"chatLine", l.room, l.user, l.text})
	g.push(data, -1, false, func(s *stream) bool {
		return l.room != roomPlayer || !s.seat.kid
	})
	g.wake()
}

// speak takes a player's line. What a filter holds back is dropped without a word.
func (g *game) speak(st *seat, room, text string) *apiError {
	switch {
	case room != roomPlayer && room != roomSpectator:
		return refuseForm("room", "error.invalid")
	case text == "":
		return refuseForm("text", "error.required")
	case utf8.RuneCountInString(text) > maxChat:
		return refuseForm("text", "error.maxLength")
	case st.bot() && link.MatchString(text):
		return nil
	case room == roomPlayer && (g.withAI() || g.source == "arena"):
		return nil
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.addChat(chatLine{user: st.name(), text: text, room: room})
	return nil
}
