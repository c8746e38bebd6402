package measure

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"sync"
	"time"

	"zeitnot/lichess/sandbox"
	"zeitnot/lichess/sandbox/guest"
)

const (
	botName   = "SandboxBot"
	rivalName = "Rival"
	// botToken is no secret: the sandbox is on the loopback and ends with the measurement.
	botToken = "lip_sandboxbot"
)

// bench is a sandbox with a bot in it.
type bench struct {
	who      Guest
	url, dir string
	server   *sandbox.Server
	stop     func()
	running  sync.WaitGroup
	bot      *guest.Process
	dirs     int // state folders used
}

// newBench brings a sandbox to life, which the options describe but for the bot's account.
func newBench(ctx context.Context, g Guest, o sandbox.Options) (*bench, error) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", g.Listen)
	if err != nil {
		return nil, err
	}
	b := &bench{who: g, url: "http://" + listener.Addr().String()}
	o.URL = b.url
	o.Accounts = []sandbox.AccountSpec{{Name: botName, Title: "BOT", Token: botToken}}
	b.server, err = sandbox.New(o)
	if err == nil {
		b.dir, err = os.MkdirTemp("", "zeitnot-sandbox-")
	}
	if err != nil {
		listener.Close()
		return nil, err
	}
	// It outlives the caller's patience, so that the bot can be ended in good order.
	serving, cancel := context.WithCancel(context.WithoutCancel(ctx))
	b.stop = cancel
	b.running.Go(func() { b.server.Run(serving, listener) })
	return b, nil
}

func (m *bench) close() {
	if m.bot != nil {
		m.bot.Kill()
	}
	m.stop()
	m.running.Wait()
	os.RemoveAll(m.dir)
}

// start starts the bot and waits until it listens to its events. It returns how long that
// took.
func (m *bench) start(ctx context.Context) (time.Duration, error) {
	m.dirs++
	dir := fmt.Sprintf("%s/%d", m.dir, m.dirs)
	if err := os.Mkdir(dir, 0o700); err != nil {
		return 0, err
	}
	return m.startIn(ctx, dir)
}

func (m *bench) startIn(ctx context.Context, dir string) (time.Duration, error) {
	began := time.Now()
	bot, err := guest.Start(guest.Command{Line: m.who.Bot, URL: m.url, Token: botToken, Dir: dir, Env: m.who.Env, Log: m.who.Log})
	if err != nil {
		return 0, err
	}
	m.bot = bot
	err = m.await(ctx, func(ctx context.Context) error { return m.server.WaitOnline(ctx, botName) })
	if errors.Is(err, errPatience) {
		return 0, m.neverConnected(began)
	}
	return time.Since(began), err
}

// leave asks the bot to end, and waits until the server knows.
func (m *bench) leave(ctx context.Context) error {
	const grace = 5 * time.Second
	m.bot.Stop(grace)
	return m.offline(ctx)
}

// offline waits until the server has seen the end of the bot's streams.
func (m *bench) offline(ctx context.Context) error {
	m.server.CutStreams(botName, "", sandbox.Cut)
	for began := time.Now(); ; time.Sleep(time.Millisecond) {
		open := m.server.OpenStreams(botName)
		switch {
		case open == sandbox.StreamCount{}:
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		case time.Since(began) > m.who.Patience:
			return fmt.Errorf("the bot has ended and still has %d event and %d game streams open after %v: has it started a process in a group of its own?",
				open.Events, open.Games, m.who.Patience)
		}
	}
}

var errPatience = errors.New("it took too long")

// await waits for something of the bot, as long as the bot runs and the patience lasts:
// after that it is errPatience.
func (m *bench) await(ctx context.Context, wait func(context.Context) error) error {
	ctx, cancel := context.WithTimeoutCause(ctx, m.who.Patience, errPatience)
	defer cancel()
	ctx, lost := context.WithCancelCause(ctx)
	defer lost(nil)
	var watcher sync.WaitGroup
	defer watcher.Wait()
	done := make(chan struct{})
	defer close(done)
	watcher.Go(func() {
		select {
		case <-m.bot.Ended():
			lost(m.died())
		case <-done:
		}
	})
	err := wait(ctx)
	if cause := context.Cause(ctx); err != nil && cause != nil {
		return cause
	}
	return err
}
