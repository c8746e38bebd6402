package bot

import (
	"context"
	"fmt"
	"strings"
	"time"

	"golang.org/x/time/rate"
)

// ChatOptions say what the bot says by itself.
type ChatOptions struct {
	// Greeting is said to the opponent once, when a game starts; empty says nothing. {me}
	// and {opponent} stand for the two names.
	Greeting string
	// Commands answers !help, !name, !eval and the like.
	Commands bool
	// Name is the answer to !name, for instance the program and its version.
	Name string
}

const (
	chatQueue    = 8                // lines waiting at most; more are dropped
	chatDeadline = 10 * time.Second // for one line, waits for the limiter included
	chatLength   = 140              // the server's limit in characters
)

// chatLine is one line to say.
type chatLine struct {
	room, text string
	// first tells that it is only said where we have said nothing.
	first bool
}

// chat says lines in one game, one after the other and at leisure. It is best effort: a
// line that fails or finds the queue full is gone.
type chat struct {
	options ChatOptions
	lines   chan chatLine
	answers *rate.Limiter
	chatWays
}

// chatWays are how a game's chat is reached.
type chatWays struct {
	send func(ctx context.Context, room, text string) error
	// spoken tells whether we have said something to the players.
	spoken func(ctx context.Context) (bool, error)
	failed func(error)
}

func newChat(o ChatOptions, w chatWays) *chat {
	return &chat{
		options: o,
		lines:   make(chan chatLine, chatQueue),
		// Three answers at once, then one in ten seconds: enough for a curious human, too
		// little to be made to flood.
		answers:  rate.NewLimiter(rate.Every(10*time.Second), 3),
		chatWays: w,
	}
}

// run says what was queued until the context ends.
func (c *chat) run(ctx context.Context) {
	for {
		select {
		case l := <-c.lines:
			if err := c.deliver(ctx, l); err != nil {
				c.failed(err)
			}
		case <-ctx.Done():
			return
		}
	}
}

func (c *chat) deliver(ctx context.Context, l chatLine) error {
	ctx, cancel := context.WithTimeout(ctx, chatDeadline)
	defer cancel()
	if l.first {
		if spoken, err := c.spoken(ctx); spoken || err != nil {
			return err
		}
	}
	return c.send(ctx, l.room, l.text)
}

// say queues a line; it never blocks.
func (c *chat) say(room, text string) { c.queue(chatLine{room: room, text: text}) }

func (c *chat) queue(l chatLine) {
	if r := []rune(l.text); len(r) > chatLength {
		l.text = string(r[:chatLength])
	}
	if l.text == "" {
		return
	}
	select {
	case c.lines <- l:
	default:
	}
}

// greet says the greeting to the opponent; perhaps tells that it may have been said before.
func (c *chat) greet(me, opponent string, perhaps bool) {
	text := strings.NewReplacer("{me}", me, "{opponent}", opponent).Replace(c.options.Greeting)
	c.queue(chatLine{room: "player", text: text, first: perhaps})
}

// command answers a line of somebody else when it is a command.
func (c *chat) command(room, text string, book *scoreBook) {
	if !c.options.Commands || !strings.HasPrefix(text, "!") {
		return
	}
	answer := c.answer(room, strings.ToLower(strings.TrimSpace(text)), book)
	if answer == "" || !c.answers.Allow() {
		return
	}
	c.say(room, answer)
}

func (c *chat) answer(room, command string, book *scoreBook) string {
	switch command {
	case "!help", "!commands":
		return "Commands: !name, !eval (spectators only), !help"
	case "!name":
		return c.options.Name
	case "!eval":
		// The opponent is a player too: our opinion would be help during the game.
		if room != "spectator" {
			return "I tell my evaluation to spectators only."
		}
		if !book.known {
			return "No evaluation yet."
		}
		return evalText(book)
	}
	return ""
}

// evalText is the last score as people read it, from our side.
func evalText(book *scoreBook) string {
	if s := book.last; s.IsMate() {
		return fmt.Sprintf("Mate in %d for us (negative: for the opponent).", s.MateMoves())
	}
	return fmt.Sprintf("Evaluation from our side: %+.2f", float64(book.last)/100)
}
