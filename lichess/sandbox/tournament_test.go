package sandbox_test

import (
	"strings"
	"testing"
	"time"

	"zeitnot/lichess/sandbox"
)

func TestTournaments(t *testing.T) {
	inBubble(t, sandbox.Options{}, func(w *world) {
		bot := w.as("GoBot")
		later := w.s.AddTournament(sandbox.TournamentSpec{Name: "Later", Control: clock(180, 0), Starts: time.Now().Add(time.Hour), Password: "secret"})
		humans := w.s.AddTournament(sandbox.TournamentSpec{Name: "Humans", Control: clock(60, 0), NoBots: true})
		v := bot.want(200, "GET", "/api/tournament")
		created, started := v["created"].([]any), v["started"].([]any)
		if len(created) != 1 || len(started) != 1 || created[0].(map[string]any)["secondsToStart"] != 3600.0 || created[0].(map[string]any)["botsAllowed"] != true {
			w.t.Errorf("got %v", v)
		}
		if v := bot.want(400, "POST", "/api/tournament/"+humans+"/join"); v["error"] != "This tournament is not open to bots" {
			w.t.Errorf("got %v", v)
		}
		if v := bot.want(400, "POST", "/api/tournament/"+later+"/join", "password", "wrong"); v["error"] != "Wrong password" {
			w.t.Errorf("got %v", v)
		}
		bot.want(400, "POST", "/api/tournament/"+later+"/withdraw")
		bot.ok("/api/tournament/"+later+"/join", "password", "secret")
		if got := strings.Join(w.s.TournamentPlayers(later), " "); got != "GoBot" {
			w.t.Errorf("players: %s", got)
		}
		bot.ok("/api/tournament/" + later + "/withdraw")
		if got := w.s.TournamentPlayers(later); len(got) != 0 {
			w.t.Errorf("players after the withdrawal: %v", got)
		}
		if me := bot.want(200, "GET", "/api/tournament/"+later)["me"].(map[string]any); me["withdraw"] != true {
			w.t.Errorf("me: %v", me)
		}
		time.Sleep(3 * time.Hour)
		bot.want(400, "POST", "/api/tournament/"+later+"/join", "password", "secret")
		bot.want(404, "GET", "/api/tournament/nosuchid")
	})
}

func TestJoinsAreLimited(t *testing.T) {
	inBubble(t, sandbox.Options{}, func(w *world) {
		bot := w.as("GoBot")
		id := w.s.AddTournament(sandbox.TournamentSpec{Name: "Open", Control: clock(60, 0)})
		for range 30 {
			bot.ok("/api/tournament/" + id + "/join")
		}
		bot.want(429, "POST", "/api/tournament/"+id+"/join")
	})
}
