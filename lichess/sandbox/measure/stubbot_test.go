package measure_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

	"zeitnot/engine/position"
)

// stubBot is a bot that plays the first legal move. faults say what it does wrong.
type stubBot struct {
	url, token, fault string

	mu      sync.Mutex // guards playing
	playing map[string]bool
}

func (b *stubBot) run() {
	switch b.fault {
	case "dies":
		fmt.Fprintln(os.Stderr, "no such module: chess")
		os.Exit(7)
	case "says nothing":
		select {}
	case "wrong token":
		b.token = "lip_wrong"
	}
	for {
		b.stream("/api/stream/event", func(e event) {
			switch {
			case e.Type == "challenge" && b.fault != "takes no challenge":
				go b.do(http.MethodPost, "/api/challenge/"+e.Challenge.ID+"/accept")
			case e.Type == "gameStart" && b.fault == "dies in a game":
				os.Exit(9)
			case e.Type == "gameStart" && b.fault != "does not play":
				go b.play(e.Game)
			}
		})
		if b.fault == "deaf later" {
			select {}
		}
		time.Sleep(20 * time.Millisecond) // a refusal is no reason to flood the sandbox
	}
}

// event is what the stub reads of a line of either stream.
type event struct {
	Type       string `json:"type"`
	InitialFEN string `json:"initialFen"`
	Moves      string `json:"moves"`
	Status     string `json:"status"`
	State      struct {
		Moves  string `json:"moves"`
		Status string `json:"status"`
	} `json:"state"`
	Game      startedGame `json:"game"`
	Challenge struct {
		ID string `json:"id"`
	} `json:"challenge"`
}

type startedGame struct {
	GameID string `json:"gameId"`
	Color  string `json:"color"`
}

func (b *stubBot) stream(path string, handle func(event)) {
	answer, err := b.do(http.MethodGet, path)
	if err != nil {
		return
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return
	}
	lines := bufio.NewScanner(answer.Body)
	for lines.Scan() {
		var e event
		if json.Unmarshal(lines.Bytes(), &e) == nil {
			handle(e)
		}
	}
}

func (b *stubBot) do(method, path string) (*http.Response, error) {
	q, err := http.NewRequest(method, b.url+path, nil)
	if err != nil {
		panic(err)
	}
	q.Header.Set("Authorization", "Bearer "+b.token)
	a, err := http.DefaultClient.Do(q)
	if method == http.MethodPost && err == nil {
		a.Body.Close()
	}
	return a, err
}

// play plays a game until it is over.
func (b *stubBot) play(game startedGame) {
	id := game.GameID
	b.mu.Lock()
	if b.playing[id] {
		b.mu.Unlock()
		return
	}
	b.playing[id] = true
	b.mu.Unlock()
	for over := false; !over; {
		fen := ""
		b.stream("/api/bot/game/stream/"+id, func(e event) {
			if e.Type == "gameFull" {
				fen, e.Moves, e.Status = e.InitialFEN, e.State.Moves, e.State.Status
			}
			if over = e.Status != "started"; over || e.Type != "gameFull" && e.Type != "gameState" {
				return
			}
			g, err := position.ParseGame(fen, false, strings.Fields(e.Moves))
			if err != nil {
				panic(err)
			}
			if !g.Position().HasLegalMove() {
				return
			}
			var moves position.MoveList
			if b.fault == "resigns meanwhile" && g.Len() == 12 {
				time.Sleep(30 * time.Millisecond) // its opponent is at it
				b.do(http.MethodPost, "/api/bot/game/"+id+"/resign")
				return
			}
			if g.Position().Legal(&moves); g.Position().SideToMove().String() == game.Color {
				if b.fault == "resigns" && g.Len() > 3 {
					b.do(http.MethodPost, "/api/bot/game/"+id+"/resign")
					return
				}
				b.do(http.MethodPost, "/api/bot/game/"+id+"/move/"+g.Position().UCI(moves.At(0), false))
			}
		})
		if b.fault == "stuck" {
			return
		}
	}
}
