package lichess

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// Account asks who the token belongs to. From its first success on, the user agent names the
// account. The name has printable characters only, whatever the server sends.
func (c *Client) Account(ctx context.Context) (*Account, error) {
	var a Account
	if err := c.do(ctx, get(KindLookup, "account", "/api/account"), &a); err != nil {
		return nil, err
	}
	if a.ID == "" {
		return nil, &Error{Op: "account", Status: 200, Err: errors.New("answer without an id")}
	}
	a.Username = oneLine(a.Username) // it is shown to people
	c.setAgent(a.Username)
	return &a, nil
}

// TestToken asks what the client's own token may do; nil for a token that the server does
// not know.
func (c *Client) TestToken(ctx context.Context) (*TokenInfo, error) {
	k := post(KindLookup, "token test", "/api/token/test")
	k.body, k.noAuth = c.token.Reveal(), true
	var answer TokenTest
	if err := c.do(ctx, k, &answer); err != nil {
		return nil, err
	}
	return answer[c.token.Reveal()], nil
}

// Upgrade makes the account a bot account, for good.
func (c *Client) Upgrade(ctx context.Context) error {
	return c.do(ctx, post(KindLookup, "upgrade account", "/api/bot/account/upgrade"), nil)
}

// Playing lists the running games, the most urgent first, at most 50.
func (c *Client) Playing(ctx context.Context) ([]GameInfo, error) {
	k := get(KindLookup, "running games", "/api/account/playing")
	k.query = url.Values{"nb": {"50"}}
	var answer Playing
	if err := c.do(ctx, k, &answer); err != nil {
		return nil, err
	}
	var games []GameInfo
	for _, g := range answer.NowPlaying {
		if g.settleID() {
			games = append(games, g)
		}
	}
	return games, nil
}

// User asks for a user's public data.
func (c *Client) User(ctx context.Context, name string) (*Account, error) {
	var a Account
	if err := c.do(ctx, get(KindLookup, "user "+name, "/api/user/"+escape(name)), &a); err != nil {
		return nil, err
	}
	return &a, nil
}

// UsersStatus asks which users are there. Unknown ones are left out of the answer.
func (c *Client) UsersStatus(ctx context.Context, ids ...string) ([]UserStatus, error) {
	const most = 100 // the server's bound for one request
	var all []UserStatus
	for part := range slices.Chunk(ids, most) {
		k := get(KindLookup, "users' status", "/api/users/status")
		k.query = url.Values{"ids": {strings.Join(part, ",")}}
		var answer []UserStatus
		if err := c.do(ctx, k, &answer); err != nil {
			return nil, err
		}
		all = append(all, answer...)
	}
	return all, nil
}

// OnlineBots lists at most so many bots that are online; the server gives up to 512.
func (c *Client) OnlineBots(ctx context.Context, most int) ([]Account, error) {
	k := get(KindLookup, "online bots", "/api/bot/online")
	k.accept = acceptLines
	k.query = url.Values{"nb": {strconv.Itoa(max(1, min(512, most)))}}
	body, err := c.fetch(ctx, k)
	if err != nil {
		return nil, err
	}
	var bots []Account
	for line := range bytes.Lines(body) {
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		var a Account
		if err := tolerate(json.Unmarshal(line, &a)); err != nil || a.ID == "" {
			c.badLine(k.op, line, err)
			continue
		}
		bots = append(bots, a)
	}
	return bots, nil
}
