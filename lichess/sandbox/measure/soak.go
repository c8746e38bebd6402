package measure

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"zeitnot/lichess/sandbox"
	"zeitnot/lichess/sandbox/guest"
)

// SoakOptions say how long a bot is played. For numbers, zero means the value that the
// comment names.
type SoakOptions struct {
	Guest
	// Games is how many are played; 0 = 2000. Time ends the soak earlier; 0 = never.
	Games int
	Time  time.Duration
	// AtOnce is how many run at the same time; 0 = 10.
	AtOnce int
	// Every is how many games are played between two looks at the bot; 0 = a twentieth of
	// them, but 100 at the most and AtOnce at the least.
	Every int
	// Status is a URL of the bot's that answers with JSON, of which the number "goroutines" is
	// read; "" = none.
	Status string
}

// Look is what the bot took of the machine when nothing was going on.
type Look struct {
	Games   int     `json:"games"` // played before
	Seconds float64 `json:"seconds"`
	// RSS and PSS are bytes: resident, with shared pages counted for each process and once. PSS
	// is 0 where the system does not tell.
	RSS         int64 `json:"rss"`
	PSS         int64 `json:"pss"`
	Goroutines  int   `json:"goroutines,omitempty"` // 0 if the bot does not tell
	Descriptors int   `json:"descriptors"`
	Threads     int   `json:"threads"`
	Processes   int   `json:"processes"`
	Zombies     int   `json:"zombies"`
}

// SoakReport is what came of the games.
type SoakReport struct {
	Bot      string         `json:"bot"`
	Games    int            `json:"games"`
	Moves    int            `json:"moves"`    // the bot's
	Endings  map[string]int `json:"endings"`  // games by the server's word for how they ended
	Flagged  int            `json:"flagged"`  // lost on time by the bot
	Declined int            `json:"declined"` // challenges that the bot did not take at once
	Looks    []Look         `json:"looks"`
}

func (o SoakOptions) filled() SoakOptions {
	o.Guest = o.Guest.filled()
	if o.Games == 0 {
		o.Games = 2000
		if o.Time > 0 {
			o.Games = math.MaxInt32
		}
	}
	o.AtOnce = cmp.Or(o.AtOnce, 10)
	o.Every = cmp.Or(o.Every, max(o.AtOnce, min(100, o.Games/20)))
	return o
}

// soakResign is the move at which the bot's opponents give up, if they have not been mated.
const soakResign = 10

// Soak plays very many short games, several at a time, and looks now and then, when no game
// runs, at what the bot takes of the machine. It is an error if the bot ends by itself, never
// connects, or leaves a game or a challenge lying.
func Soak(ctx context.Context, o SoakOptions) (SoakReport, error) {
	o = o.filled()
	s := &soak{SoakOptions: o, began: time.Now()}
	r, err := s.run(ctx)
	if err != nil {
		return r, fmt.Errorf("soak: %w", err)
	}
	return r, nil
}

// soak is one that goes on.
type soak struct {
	SoakOptions
	*bench
	began    time.Time
	declined atomic.Int64
}

func (s *soak) run(ctx context.Context) (SoakReport, error) {
	r := SoakReport{Bot: s.Bot}
	o := sandbox.Options{
		Limits: sandbox.Limits{EventConnects: -1, AccountReads: -1, ChallengesPerMinute: -1, ChallengesPerDay: -1, BotGamesPerDay: -1},
		// Connections that were kept from a busier time are not to be seen when nothing goes on.
		IdleTimeout: 2 * time.Second,
		LogSize:     1000,
	}
	for n := range s.AtOnce {
		o.Opponents = append(o.Opponents, sandbox.OpponentSpec{
			Name: soakRival(n), Title: "BOT", New: sandbox.Script{Seed: uint64(n), ResignAt: soakResign}.Player,
		})
	}
	var err error
	if s.bench, err = newBench(ctx, s.Guest, o); err != nil {
		return r, err
	}
	defer s.bench.close()
	s.Progress("start")
	if _, err := s.start(ctx); err != nil {
		return r, err
	}
	for r.Games < s.Games && (s.Time == 0 || time.Since(s.began) < s.Time) {
		n := min(s.Every, s.Games-r.Games)
		if err := s.round(ctx, r.Games, n); err != nil {
			return r, s.stuck(err)
		}
		r.Games += n
		look, err := s.look(ctx, r.Games)
		if err != nil {
			return r, err
		}
		r.Looks = append(r.Looks, look)
	}
	r.Declined = int(s.declined.Load())
	r.count(s.server.Games())
	return r, nil
}

func soakRival(n int) string { return fmt.Sprintf("Rival%d", n+1) }

// stuck says more of a round that did not end.
func (s *soak) stuck(err error) error {
	if !errors.Is(err, errPatience) {
		return err
	}
	for _, g := range s.server.Games() {
		if !g.Over() {
			return fmt.Errorf("game %s has not ended, it stands at %d plies; %s", g.ID, len(g.Moves), s.lastWords())
		}
	}
	return fmt.Errorf("the bot takes no challenge; %s", s.lastWords())
}

// round plays so many games, and returns when all have ended.
func (s *soak) round(ctx context.Context, before, games int) error {
	var next, done atomic.Int64
	g, ctx := errgroup.WithContext(ctx)
	for n := range s.AtOnce {
		g.Go(func() error {
			for next.Add(1) <= int64(games) {
				if err := s.await(ctx, func(ctx context.Context) error { return s.game(ctx, n) }); err != nil {
					return err
				}
				s.Progress(fmt.Sprintf("game %d of %d", before+int(done.Add(1)), s.Games))
			}
			return nil
		})
	}
	return g.Wait()
}

// game plays one game against a rival, who challenges until the bot has time.
func (s *soak) game(ctx context.Context, rival int) error {
	for {
		id, err := s.server.Challenge(sandbox.Challenge{
			From: soakRival(rival), To: botName, Control: sandbox.ClockControl(time.Minute, 0), Rated: true,
		})
		if err != nil {
			return err
		}
		c, err := s.server.WaitChallenge(ctx, id)
		if err != nil {
			return err
		}
		if c.State == "accepted" {
			_, err := s.server.WaitFinished(ctx, id)
			return err
		}
		s.declined.Add(1)
		select {
		case <-time.After(100 * time.Millisecond):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

const (
	// A bot is at rest when it has taken as much of everything that is counted for restTime; it
	// is looked at after mostRest all the same.
	restTime, mostRest = 3 * time.Second, 15 * time.Second
	restTick           = 500 * time.Millisecond
)

// look waits until the bot is at rest and looks at it.
func (s *soak) look(ctx context.Context, games int) (Look, error) {
	began := time.Now()
	var last guest.Usage
	since := began
	for {
		u, err := s.bot.Usage()
		if err != nil {
			return Look{}, err
		}
		now := time.Now()
		if u.Descriptors != last.Descriptors || u.Threads != last.Threads || u.Processes != last.Processes || s.server.OpenStreams(botName).Games > 0 {
			since = now
		}
		if last = u; now.Sub(since) >= restTime || now.Sub(began) >= mostRest {
			break
		}
		select {
		case <-time.After(restTick):
		case <-ctx.Done():
			return Look{}, ctx.Err()
		}
	}
	goroutines, err := s.goroutines(ctx)
	if err != nil {
		return Look{}, err
	}
	return Look{
		Games: games, Seconds: time.Since(s.began).Round(time.Millisecond).Seconds(), RSS: last.RSS, PSS: last.PSS, Goroutines: goroutines,
		Descriptors: last.Descriptors, Threads: last.Threads, Processes: last.Processes, Zombies: last.Zombies,
	}, nil
}

// goroutines asks the bot, if it can be asked.
func (s *soak) goroutines(ctx context.Context) (int, error) {
	if s.Status == "" {
		return 0, nil
	}
	ctx, cancel := context.WithTimeout(ctx, s.Patience)
	defer cancel()
	q, err := http.NewRequestWithContext(ctx, http.MethodGet, s.Status, nil)
	if err != nil {
		return 0, fmt.Errorf("status: %w", err)
	}
	q.Close = true // a kept connection would count among the bot's
	a, err := http.DefaultClient.Do(q)
	if err != nil {
		return 0, fmt.Errorf("status: %w", err)
	}
	defer a.Body.Close()
	var answer struct {
		Goroutines int `json:"goroutines"`
	}
	if err := json.NewDecoder(io.LimitReader(a.Body, 1<<20)).Decode(&answer); err != nil {
		return 0, fmt.Errorf("status of the bot at %s: %w", s.Status, err)
	}
	return answer.Goroutines, nil
}

// count tells how the games went.
func (r *SoakReport) count(games []sandbox.GameRecord) {
	r.Endings = map[string]int{}
	for _, g := range games {
		r.Endings[g.Status.String()]++
		if g.FlagFallen() == botName {
			r.Flagged++
		}
		for _, m := range g.Moves {
			if m.Color == g.Color(botName) {
				r.Moves++
			}
		}
	}
}
