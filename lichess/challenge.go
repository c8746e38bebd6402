package lichess

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// ChallengeRequest is a challenge to be made. Its zero value is an unlimited casual game of
// standard chess with colours drawn.
type ChallengeRequest struct {
	Rated bool
	// Time is the time control; the zero value is unlimited.
	Time    TimeControl
	Color   Color      // ours; "" is random
	Variant VariantKey // "" is standard
	FEN     string     // initial position; "" is the usual one
	Rules   []string   // refused when the other is a bot
}

func (r ChallengeRequest) form() url.Values {
	form := url.Values{"rated": {strconv.FormatBool(r.Rated)}}
	switch r.Time.Type {
	case TimeClock:
		form.Set("clock.limit", strconv.Itoa(r.Time.Limit))
		form.Set("clock.increment", strconv.Itoa(r.Time.Increment))
	case TimeCorrespondence:
		form.Set("days", strconv.Itoa(r.Time.DaysPerTurn))
	}
	for name, value := range map[string]string{
		"color": string(r.Color), "variant": string(r.Variant), "fen": r.FEN, "rules": strings.Join(r.Rules, ","),
	} {
		if value != "" {
			form.Set(name, value)
		}
	}
	return form
}

// AcceptChallenge accepts a challenge; the game starts with an event of the same id, which
// may come before this answer.
func (c *Client) AcceptChallenge(ctx context.Context, id string) error {
	return c.do(ctx, post(KindAccept, "accept challenge "+id, "/api/challenge/"+escape(id)+"/accept"), nil)
}

// DeclineChallenge declines a challenge; "" is the generic reason.
func (c *Client) DeclineChallenge(ctx context.Context, id string, reason DeclineReason) error {
	k := post(KindDecline, "decline challenge "+id, "/api/challenge/"+escape(id)+"/decline")
	if reason == "" {
		reason = DeclineGeneric
	}
	k.form = url.Values{"reason": {string(reason)}}
	return c.do(ctx, k, nil)
}

// CancelChallenge withdraws a challenge of ours. If its game has started and can still be
// aborted, it is.
func (c *Client) CancelChallenge(ctx context.Context, id string) error {
	return c.do(ctx, post(KindDecline, "cancel challenge "+id, "/api/challenge/"+escape(id)+"/cancel"), nil)
}

// CreateChallenge challenges a user. A real-time challenge is forgotten by the other's site
// after 20 seconds, but can still be accepted: cancel it when it is not wanted any more.
func (c *Client) CreateChallenge(ctx context.Context, user string, r ChallengeRequest) (*Challenge, error) {
	k := post(KindMatchmaking, "challenge "+user, "/api/challenge/"+escape(user))
	k.form = r.form()
	var answer struct {
		Challenge
		// Some versions of the server wrapped the answer.
		Wrapped *Challenge `json:"challenge"`
	}
	if err := c.do(ctx, k, &answer); err != nil {
		return nil, err
	}
	made := &answer.Challenge
	if answer.Wrapped != nil {
		made = answer.Wrapped
	}
	if made.ID == "" {
		return nil, &Error{Op: k.op, Status: 200, Err: errors.New("answer without an id")}
	}
	return made, nil
}

// keepAliveSilence is the watchdog of a challenge that is kept alive: its blank lines come
// after 50 seconds of silence.
const keepAliveSilence = 75 * time.Second

// OfferChallenge challenges a user and keeps the challenge alive until it is accepted,
// declined or canceled, which it returns. made, when not nil, gets the challenge first. When
// the context ends the challenge still stands: cancel it.
func (c *Client) OfferChallenge(ctx context.Context, user string, r ChallengeRequest, made func(*Challenge)) (string, error) {
	k := post(KindMatchmaking, "challenge "+user, "/api/challenge/"+escape(user))
	k.form = r.form()
	k.form.Set("keepAliveStream", "true")
	var outcome string
	err := c.stream(ctx, k, keepAliveSilence, func(line []byte, _ time.Time) {
		if len(line) == 0 {
			return
		}
		var w struct {
			Challenge
			Done
		}
		if err := tolerate(json.Unmarshal(line, &w)); err != nil {
			c.badLine(k.op, line, err)
			return
		}
		if w.Done.Done != "" {
			outcome = w.Done.Done
		} else if w.ID != "" && made != nil {
			made(&w.Challenge)
		}
	})
	switch {
	case outcome != "":
		return outcome, nil
	case errors.Is(err, io.EOF):
		return "", &Error{Op: k.op, Err: fmt.Errorf("ended without an outcome: %w", io.ErrUnexpectedEOF)}
	}
	return "", err
}

// Challenges lists the pending challenges. It needs the scope challenge:read.
func (c *Client) Challenges(ctx context.Context) (*Challenges, error) {
	var list Challenges
	if err := c.do(ctx, get(KindLookup, "list challenges", "/api/challenge"), &list); err != nil {
		return nil, err
	}
	return &list, nil
}

// ShowChallenge asks for one challenge. It may need the scope challenge:read.
func (c *Client) ShowChallenge(ctx context.Context, id string) (*Challenge, error) {
	var one Challenge
	k := get(KindLookup, "show challenge "+id, "/api/challenge/"+escape(id)+"/show")
	if err := c.do(ctx, k, &one); err != nil {
		return nil, err
	}
	return &one, nil
}

// ChallengeAI starts a game against the server's own engine of level 1-8.
func (c *Client) ChallengeAI(ctx context.Context, level int, r ChallengeRequest) (*AIGame, error) {
	k := post(KindMatchmaking, "challenge AI level "+strconv.Itoa(level), "/api/challenge/ai")
	k.form = r.form()
	k.form.Del("rated")
	k.form.Set("level", strconv.Itoa(level))
	var game AIGame
	if err := c.do(ctx, k, &game); err != nil {
		return nil, err
	}
	return &game, nil
}
