package lichess

import (
	"context"
	"net/url"
)

// Tournaments lists the current arenas.
func (c *Client) Tournaments(ctx context.Context) (*Tournaments, error) {
	var list Tournaments
	if err := c.do(ctx, get(KindLookup, "list tournaments", "/api/tournament"), &list); err != nil {
		return nil, err
	}
	return &list, nil
}

// Tournament asks for one arena.
func (c *Client) Tournament(ctx context.Context, id string) (*Tournament, error) {
	var one Tournament
	if err := c.do(ctx, get(KindLookup, "tournament "+id, "/api/tournament/"+escape(id)), &one); err != nil {
		return nil, err
	}
	return &one, nil
}

// JoinRequest is what joining an arena may need; the zero value for open ones.
type JoinRequest struct {
	Password string
	Team     string // for team battles
	PairSoon bool   // when a game of ours is about to end: pair before it has
}

// JoinTournament joins an arena, or comes back after a withdrawal. Only arenas that allow
// bots take them.
func (c *Client) JoinTournament(ctx context.Context, id string, r JoinRequest) error {
	k := post(KindTournament, "join tournament "+id, "/api/tournament/"+escape(id)+"/join")
	k.form = url.Values{}
	if r.Password != "" {
		k.form.Set("password", r.Password)
	}
	if r.Team != "" {
		k.form.Set("team", r.Team)
	}
	if r.PairSoon {
		k.form.Set("pairMeAsap", "true")
	}
	return c.do(ctx, k, nil)
}

// WithdrawTournament leaves an arena, or pauses in one that has begun.
func (c *Client) WithdrawTournament(ctx context.Context, id string) error {
	return c.do(ctx, post(KindTournament, "withdraw from tournament "+id, "/api/tournament/"+escape(id)+"/withdraw"), nil)
}
