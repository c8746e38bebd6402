package sandbox_test

import (
	"testing"

	"zeitnot/lichess/sandbox"
)

func wholeGame(w *world) {
	w.t.Helper()
	bot := w.as("GoBot")
	events := bot.stream("/api/stream/event")
	id, err := w.s.Challenge(sandbox.Challenge{From: "Random", To: "GoBot", Control: clock(60, 1), Rated: true, Color: "white"})
	if err != nil {
		w.t.Fatal(err)
	}
	if got := events.until("challenge")["challenge"].(map[string]any)["id"]; got != id {
		w.t.Fatalf("challenge id: got %v, want %s", got, id)
	}
	bot.ok("/api/challenge/" + id + "/accept")
	events.until("gameStart")
	game := bot.stream("/api/bot/game/stream/" + id)
	state := game.until("gameFull")["state"].(map[string]any)
	player := sandbox.Script{Seed: 3}.Player(sandbox.GameInfo{Color: "black"})
	for state["status"] == "started" {
		r := w.game(id)
		if !r.Over() && len(r.Moves)%2 == 1 {
			a, err := player.Act(w.ctx, sandbox.View{GameInfo: sandbox.GameInfo{Color: "black"}, FEN: r.FEN, MyTurn: true})
			if err != nil {
				w.t.Fatal(err)
			}
			bot.call("POST", "/api/bot/game/"+id+"/move/"+a.Move)
		}
		state = game.until("gameState")
	}
	if err := game.closed(); err != nil {
		w.t.Errorf("game stream ended with %v, want a clean end", err)
	}
	events.until("gameFinish")
	r, err := w.s.WaitFinished(w.ctx, id)
	if err != nil {
		w.t.Fatal(err)
	}
	if r.Winner == "" && r.WhiteDiff == 0 && r.BlackDiff == 0 {
		w.t.Errorf("ratings of 1500 and 2000 do not move after a draw")
	}
}

func TestWholeGameInVirtualTime(t *testing.T) {
	inBubble(t, sandbox.Options{Seed: 1, Opponents: []sandbox.OpponentSpec{{Name: "Random", Title: "BOT", Rating: 1500, New: sandbox.Script{Seed: 9}.Player}}}, wholeGame)
}

func TestWholeGameOverLoopback(t *testing.T) {
	onLoopback(t, sandbox.Options{Seed: 1, Opponents: []sandbox.OpponentSpec{{Name: "Random", Title: "BOT", Rating: 1500, New: sandbox.Script{Seed: 9}.Player}}}, wholeGame)
}
