package control

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"strings"
	"syscall"

	"zeitnot/bot"
)

// ErrNoDaemon means that no daemon listens in the state folder.
var ErrNoDaemon = errors.New("no bot is running")

// Challenge has the daemon that uses the state folder challenge somebody, and waits how it
// ends. When the context ends before, the daemon withdraws the challenge.
func Challenge(ctx context.Context, dir string, p bot.Proposal) (bot.ProposalEnd, error) {
	var end bot.ProposalEnd
	err := ask(ctx, dir, challengePath, p, &end)
	return end, err
}

// ask posts a question and reads the answer.
func ask(ctx context.Context, dir, path string, question, answer any) error {
	socket, err := socketIn(dir)
	if err != nil {
		return err
	}
	body, err := json.Marshal(question)
	if err != nil {
		return fmt.Errorf("ask the bot: %w", err)
	}
	// The host is not looked at, but HTTP wants one.
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://control"+path, bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("ask the bot: %w", err)
	}
	r.Header.Set("Content-Type", "application/json")
	client := &http.Client{Transport: &http.Transport{
		DisableKeepAlives: true,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, "unix", socket)
		},
	}}
	reply, err := client.Do(r)
	if err != nil {
		return failed(ctx, socket, err)
	}
	defer reply.Body.Close()
	body, err = io.ReadAll(io.LimitReader(reply.Body, 1<<20))
	switch {
	case err != nil:
		return failed(ctx, socket, err)
	case reply.StatusCode != http.StatusOK:
		return errors.New(strings.TrimSpace(string(body)))
	}
	if err := json.Unmarshal(body, answer); err != nil {
		return fmt.Errorf("read the bot's answer: %w", err)
	}
	return nil
}

// failed makes the error of a question that has no whole answer.
func failed(ctx context.Context, socket string, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if u, ok := errors.AsType[*url.Error](err); ok {
		err = u.Err
	}
	op, _ := errors.AsType[*net.OpError](err)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ECONNREFUSED):
		return ErrNoDaemon
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("control socket %s: permission denied: only the user that the bot runs as may ask it something, or root", socket)
	case op != nil && op.Op == "dial":
		return fmt.Errorf("ask the bot: %w", err)
	}
	// The connection was there. A process that ends may show in many ways.
	return fmt.Errorf("the bot ended before it had answered: what it was asked may have been done or not (%w)", err)
}
