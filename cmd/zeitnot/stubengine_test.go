package main

import (
	"bufio"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"zeitnot/engine"
	"zeitnot/engine/position"
)

// stubEngine is a UCI engine that plays the first legal move at once. Its arguments say what
// it does wrong. It writes its process number to the file STUB_LOG, and a line if it can see
// the token.
func stubEngine() {
	fault := strings.Join(os.Args[1:], " ")
	if path := os.Getenv("STUB_LOG"); path != "" {
		log, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			panic(err)
		}
		fmt.Fprintln(log, os.Getpid())
		if slices.ContainsFunc(os.Environ(), func(e string) bool { return strings.Contains(e, tokenMark) }) {
			fmt.Fprintln(log, "sees the token")
		}
		log.Close()
	}
	switch fault {
	case "mute at once":
		os.Exit(3)
	case "no uciok":
		select {}
	case "illegal instruction":
		dieOf(syscall.SIGILL)
	}
	game, searches, ready := position.NewGame(position.Start()), 0, false
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		words := strings.Fields(lines.Text())
		if len(words) == 0 {
			continue
		}
		switch words[0] {
		case "uci":
			fmt.Println("id name Stub 1\nid author nobody")
			fmt.Println("option name Hash type spin default 16 min 1 max 64")
			fmt.Println("option name UCI_Opponent type string default <empty>")
			fmt.Println("uciok")
		case "setoption":
			ready = false
		case "isready":
			ready = true
			fmt.Println("readyok")
		case "position":
			// Only what the bot sends: startpos, perhaps with moves.
			var err error
			if game, err = position.ParseGame("", false, words[min(3, len(words)):]); err != nil {
				panic(err)
			}
		case "go":
			// The first search is the self-test, whose time is not for getting ready.
			if searches++; searches == 1 && !ready {
				fmt.Fprintln(os.Stderr, "asked to search before it was ready")
				os.Exit(3)
			}
			// The second one is stopped, which an engine that is late does not hear.
			if searches == 2 && fault == "late" {
				time.Sleep(time.Second)
			}
			if fault == "idle" && searches == 3 {
				time.AfterFunc(5*time.Millisecond, func() { os.Exit(3) })
			}
			if fault == "third go" && searches == 5 {
				dieOf(syscall.SIGSEGV)
			}
			if searches > 2 && stubFault(fault) {
				continue
			}
			move := game.Position().UCI(engine.FirstLegal(game, nil).Best, false)
			fmt.Println("info depth 5 score cp 20 nodes 1000 pv", move)
			fmt.Println("bestmove", move)
		case "quit":
			return
		}
	}
}

// dieOf ends the process by a signal that the runtime would make a trace of.
func dieOf(sig syscall.Signal) {
	signal.Reset(sig)
	syscall.Kill(os.Getpid(), sig)
	select {}
}

// stubFault does what is wrong and tells whether that was the answer.
func stubFault(fault string) bool {
	switch fault {
	case "stubborn":
		signal.Ignore(syscall.SIGTERM)
		select {}
	case "crash":
		fmt.Fprintln(os.Stderr, "assertion failed")
		os.Exit(3)
	case "hang":
	case "illegal":
		fmt.Println("bestmove a1a8")
	case "null":
		fmt.Println("bestmove 0000")
	case "late":
		time.Sleep(4 * time.Second) // the first move has 3 s
		return false
	case "slow":
		time.Sleep(300 * time.Millisecond)
		return false
	case "talkative":
		for range 1000 {
			fmt.Fprintln(os.Stderr, strings.Repeat("e", 1023))
		}
		fmt.Println("info depth x score cp pv e9e9\n\n\xff\xfe\ninfo string " + strings.Repeat("s", 2<<20))
		return false
	default:
		return false
	}
	return true
}
