// Package guest runs a bot of any make against a sandbox: a process of its own, started by
// a command that is told where the sandbox is, ended with all that it has started, and
// looked at from outside for what it takes of the machine.
//
// It knows nothing of what the bot does; the sandbox sees that.
package guest

import (
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"time"

	"zeitnot/child"
)

// Command says how a bot is started.
type Command struct {
	// Line is run by sh. {url}, {token} and {dir} in it stand for the fields below.
	Line string
	// URL is the base URL of the sandbox, Token the bot's. The bot also finds them in
	// ZEITNOT_URL, LICHESS_URL, ZEITNOT_TOKEN, LICHESS_TOKEN and LICHESS_BOT_TOKEN.
	URL, Token string
	// Dir is an existing folder for the bot's state, STATE_DIRECTORY in its environment.
	Dir string
	// Env is added to our environment, less what may hold a token of somebody else.
	Env []string
	// Log gets all that the bot writes besides what Output keeps; nil = nobody.
	Log io.Writer
}

// Process is a bot that was started.
type Process struct {
	child  *child.Process
	output child.Tail
}

// Start starts the bot. It is the caller's to Stop or Kill.
func Start(c Command) (*Process, error) {
	if strings.TrimSpace(c.Line) == "" {
		return nil, errors.New("start bot: the command is empty")
	}
	line := strings.NewReplacer("{url}", quoted(c.URL), "{token}", quoted(c.Token), "{dir}", quoted(c.Dir)).Replace(c.Line)
	p := &Process{}
	cmd := exec.Command("sh", "-c", line)
	cmd.Env = append(child.Environ(),
		"ZEITNOT_URL="+c.URL, "LICHESS_URL="+c.URL,
		"ZEITNOT_TOKEN="+c.Token, "LICHESS_TOKEN="+c.Token, "LICHESS_BOT_TOKEN="+c.Token,
		"STATE_DIRECTORY="+c.Dir)
	cmd.Env = append(cmd.Env, c.Env...)
	var out io.Writer = &p.output
	if c.Log != nil {
		out = io.MultiWriter(&p.output, c.Log)
	}
	cmd.Stdout, cmd.Stderr = out, out
	// Something that the bot leaves behind may hold its output open; else what it wrote last is
	// read to the end, also by somebody who is seldom run.
	cmd.WaitDelay = 5 * time.Second
	var err error
	if p.child, err = child.Start(cmd); err != nil {
		return nil, fmt.Errorf("start bot: %w", err)
	}
	return p, nil
}

// quoted is a text as one word for sh.
func quoted(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// Ended is closed once the bot has ended, by itself or otherwise.
func (p *Process) Ended() <-chan struct{} { return p.child.Ended() }

// Err says how the bot ended; it is for when Ended is closed.
func (p *Process) Err() error { return errors.New(p.child.State()) }

// Output is the last of what the bot wrote, on either output.
func (p *Process) Output() string { return p.output.String() }

// Stop asks the bot to end (SIGTERM, to it and to all that it started) and kills what is
// left after the patience. It returns when nothing of it runs any more.
func (p *Process) Stop(patience time.Duration) {
	p.child.Terminate()
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case <-p.Ended():
	case <-timer.C:
		p.Kill()
	}
}

// Kill ends the bot at once, by SIGKILL, and returns when nothing of it runs any more.
func (p *Process) Kill() {
	p.child.Kill()
	<-p.Ended()
}
