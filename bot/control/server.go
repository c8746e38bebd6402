package control

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"time"

	"zeitnot/bot"
)

// Bot is what can be asked something; *bot.Daemon is one.
type Bot interface {
	// Propose challenges a user and waits how it ends; the end of the context takes it back.
	Propose(ctx context.Context, p bot.Proposal) (bot.ProposalEnd, error)
}

// Serve listens in a state folder until the context ends, and removes its socket then. It is
// for the one that holds the folder's lock: a socket that lies there is a dead process's, and
// is replaced.
func Serve(ctx context.Context, dir string, b Bot) error {
	listener, err := listen(ctx, dir)
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.Handle("POST "+challengePath, challenge(b))
	server := &http.Server{
		Handler: mux,
		// No limit on a whole request: the answer to a challenge takes its time, and meanwhile
		// the connection tells whether anybody still waits for it.
		ReadHeaderTimeout: 5 * time.Second,
		IdleTimeout:       time.Minute,
		MaxHeaderBytes:    16 << 10,
		BaseContext:       func(net.Listener) context.Context { return ctx },
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	select {
	case err := <-ended:
		return fmt.Errorf("serve the control socket: %w", err)
	case <-ctx.Done():
	}
	closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	if server.Shutdown(closing) != nil {
		err = server.Close() // on those who are still asking
	}
	if served := <-ended; !errors.Is(served, http.ErrServerClosed) {
		err = errors.Join(err, served)
	}
	return err
}

// listen makes the socket, for its owner only.
func listen(ctx context.Context, dir string) (net.Listener, error) {
	path, err := socketIn(dir)
	if err != nil {
		return nil, err
	}
	if info, err := os.Lstat(path); err == nil && info.Mode()&os.ModeSocket != 0 {
		if err := os.Remove(path); err != nil {
			return nil, fmt.Errorf("replace the control socket: %w", err)
		}
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "unix", path)
	if err != nil {
		return nil, fmt.Errorf("control socket: %w", err)
	}
	if err := os.Chmod(path, 0o600); err != nil {
		return nil, errors.Join(fmt.Errorf("control socket: %w", err), listener.Close())
	}
	return listener, nil
}

// maxRequest bounds the body of a request.
const maxRequest = 64 << 10

// challenge answers when the challenge has come to its end.
func challenge(b Bot) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		// Read to its end, else the server does not notice that the asker leaves.
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxRequest))
		var p bot.Proposal
		if err == nil {
			err = json.Unmarshal(body, &p)
		}
		if err != nil {
			http.Error(w, "read the challenge: "+err.Error(), http.StatusBadRequest)
			return
		}
		end, err := b.Propose(r.Context(), p)
		if err != nil { // it is about to stop, or nobody waits for this any more
			http.Error(w, "the bot is being stopped", http.StatusServiceUnavailable)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(end) // the asker left: nothing to do about it
	}
}
