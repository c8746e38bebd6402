package main

import (
	"regexp"
	"strings"
	"syscall"
	"testing"
)

// The two commands as people put them together: a sandbox, and the bot pointed at it with
// what the sandbox printed.
func TestSandboxPlaysAgainstTheBot(t *testing.T) {
	if testing.Short() {
		t.Skip("plays a whole game in real time")
	}
	server := start(t, nil, "sandbox", "--listen", "127.0.0.1:0", "--opponents", "random@1/2+0", "--games", "1",
		"--faults", "latency in=5ms out=5ms; status move code=502 times=1")
	server.says("token\tSandboxHuman\t\tlip_")
	printed := regexp.MustCompile(`(?s)url\t(http://127\.0\.0\.1:\d+)\n.*token\tSandboxBot\tBOT\t(\w+)\n`).FindStringSubmatch(server.output.String())
	if printed == nil {
		t.Fatalf("got no URL and token:\n%s", server.output)
	}
	bot := start(t, []string{"ZEITNOT_URL=" + printed[1], "ZEITNOT_TOKEN=" + printed[2]}, "run")
	server.says(" plies")
	bot.signal(syscall.SIGTERM)
	bot.exit(exitDone)
	if strings.Contains(bot.output.String(), printed[2]) {
		t.Errorf("the bot shows its token:\n%s", bot.output)
	}
	server.signal(syscall.SIGINT)
	server.exit(exitDone)
}
