package bot

import (
	"context"
	"fmt"
	"time"

	"zeitnot/lichess"
)

// authPause is the wait after the server refused our token in mid-run: it is asked again,
// but slowly.
const authPause = time.Minute

// Access says why an account cannot play.
type Access uint8

// The reasons.
const (
	// TokenRefused: the server does not know the token.
	TokenRefused Access = iota + 1
	// ScopeMissing: the token may not play as a bot.
	ScopeMissing
	// NotBot: the account is not a bot account.
	NotBot
)

// AccessError means that nothing can be played with this token, now or later, until its
// owner does something.
type AccessError struct {
	Reason  Access
	Account string // user id or name; empty when not known
	Err     error  // the server's refusal, if it was one
}

// Error says what is wrong.
func (e *AccessError) Error() string {
	var text string
	switch e.Reason {
	case TokenRefused:
		text = "the server does not accept the token"
	case ScopeMissing:
		text = fmt.Sprintf("the token has no scope %s (play games with the bot API)", lichess.ScopeBotPlay)
	case NotBot:
		text = fmt.Sprintf("%s is not a bot account", e.Account)
	}
	if e.Err != nil {
		text += ": " + e.Err.Error()
	}
	return text
}

// Unwrap gives the server's refusal.
func (e *AccessError) Unwrap() error { return e.Err }

// CheckAccess asks once whether the client's token may play and for which account. An
// AccessError is final; any other error is a matter of trying again.
func CheckAccess(ctx context.Context, c Client) (*lichess.Account, error) {
	info, err := c.TestToken(ctx)
	if err != nil && !lichess.IsAuth(err) {
		return nil, err
	}
	switch {
	case err != nil:
		return nil, &AccessError{Reason: TokenRefused, Err: err}
	case info == nil:
		return nil, &AccessError{Reason: TokenRefused}
	case !info.HasScope(lichess.ScopeBotPlay):
		return nil, &AccessError{Reason: ScopeMissing, Account: info.UserID}
	}
	account, err := c.Account(ctx)
	switch {
	case lichess.IsMissingScope(err):
		return nil, &AccessError{Reason: ScopeMissing, Account: info.UserID, Err: err}
	case lichess.IsAuth(err):
		return nil, &AccessError{Reason: TokenRefused, Account: info.UserID, Err: err}
	case err != nil:
		return nil, err
	case !account.IsBot():
		return nil, &AccessError{Reason: NotBot, Account: account.Username}
	}
	return account, nil
}
