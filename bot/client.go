package bot

import (
	"context"
	"time"

	"zeitnot/lichess"
)

// Client is what the daemon needs of the server; *lichess.Client is one. Streams call
// their handler with each line, on the calling goroutine, and return why they ended.
type Client interface {
	Account(ctx context.Context) (*lichess.Account, error)
	// TestToken says what the server knows of our own token; nil when it knows nothing.
	TestToken(ctx context.Context) (*lichess.TokenInfo, error)
	Playing(ctx context.Context) ([]lichess.GameInfo, error)

	StreamEvents(ctx context.Context, handle func(lichess.EventLine)) error
	StreamGame(ctx context.Context, game string, handle func(lichess.GameLine)) error

	AcceptChallenge(ctx context.Context, id string) error
	DeclineChallenge(ctx context.Context, id string, reason lichess.DeclineReason) error
	CreateChallenge(ctx context.Context, user string, r lichess.ChallengeRequest) (*lichess.Challenge, error)
	CancelChallenge(ctx context.Context, id string) error

	// PrepareMove sees to it that a connection is ready for the next move; it does not wait.
	PrepareMove()
	// Debt is how long moves had better wait when they have the time for it, because too many
	// went ahead of the limit that we keep to.
	Debt() time.Duration
	// SendMove sends a move once: it neither retries nor waits.
	SendMove(ctx context.Context, m lichess.MoveRequest) (lichess.MoveTimes, error)
	Abort(ctx context.Context, game string) error
	Resign(ctx context.Context, game string) error
	Draw(ctx context.Context, game string, yes bool) error
	Takeback(ctx context.Context, game string, yes bool) error
	ClaimVictory(ctx context.Context, game string) error
	ClaimDraw(ctx context.Context, game string) error
	Chat(ctx context.Context, game string, room lichess.Room, text string) error
	// ReadChat is what was said in the players' room.
	ReadChat(ctx context.Context, game string) ([]lichess.ChatMessage, error)
}
