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
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"zeitnot/bot"
)

// Bot is what can be asked something; *bot.Daemon is one.
type Bot interface {
	// Propose challenges a user and waits how it ends; the end of the context takes it back.
	Propose(ctx context.Context, p bot.Proposal) (bot.ProposalEnd, error)
}

// Socket is the control socket, listened on: whoever asks waits for Serve.
type Socket struct {
	listener net.Listener
	path     string
}

// Serve answers until the context ends, and removes the socket then.
func (s *Socket) Serve(ctx context.Context, b Bot) error {
	var asked sync.RWMutex // read-locked by those who wait for an answer
	mux := http.NewServeMux()
	mux.Handle("POST "+challengePath, challenge(b, asked.RLocker()))
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
	go func() { ended <- server.Serve(s.listener) }()
	select {
	case err := <-ended:
		return errors.Join(fmt.Errorf("serve the control socket: %w", err), os.Remove(s.path))
	case <-ctx.Done():
	}
	// Who has asked is told that the bot ends, however slow the machine is; half a question is
	// not waited for.
	asked.Lock()
	defer asked.Unlock()
	err := errors.Join(os.Remove(s.path), server.Close())
	if served := <-ended; !errors.Is(served, http.ErrServerClosed) {
		err = errors.Join(err, served)
	}
	return err
}

// Listen makes the socket in a state folder, for its owner only: it has its mode before
// anybody finds it. It is for the one that holds the folder's lock: a socket that lies there is
// a dead process's, and is replaced.
func Listen(ctx context.Context, dir string) (*Socket, error) {
	path, err := socketIn(dir)
	if err != nil {
		return nil, err
	}
	early := filepath.Join(filepath.Dir(path), "control.new") // which is no longer
	if err := errors.Join(makeRoom(path), makeRoom(early)); err != nil {
		return nil, fmt.Errorf("control socket: %w", err)
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "unix", early)
	if err != nil {
		return nil, fmt.Errorf("control socket: %w", err)
	}
	listener.(*net.UnixListener).SetUnlinkOnClose(false) // it gets another name
	if err = os.Chmod(early, 0o600); err == nil {
		err = os.Rename(early, path)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("control socket: %w", err), listener.Close(), os.Remove(early))
	}
	return &Socket{listener, path}, nil
}

// makeRoom removes the socket of a dead process, and nothing else.
func makeRoom(path string) error {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil
	case err != nil:
		return err
	case info.Mode()&os.ModeSocket == 0:
		return fmt.Errorf("%s is no socket", path)
	}
	return os.Remove(path)
}

// maxRequest bounds the body of a request.
const maxRequest = 64 << 10

// challenge answers when the challenge has come to its end. It holds the lock until the answer
// is on its way.
func challenge(b Bot, asked sync.Locker) http.HandlerFunc {
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
		asked.Lock()
		defer asked.Unlock()
		end, err := b.Propose(r.Context(), p)
		status, kind := http.StatusOK, "application/json"
		if err == nil {
			body, err = json.Marshal(end)
		}
		if err != nil { // it is about to stop, or nobody waits for this any more
			status, kind, body = http.StatusServiceUnavailable, "text/plain", []byte("the bot is being stopped")
		}
		w.Header().Set("Content-Type", kind)
		w.Header().Set("Content-Length", strconv.Itoa(len(body))) // nothing has to follow it
		w.WriteHeader(status)
		_, _ = w.Write(body) // the asker left: nothing to do about it
		_ = http.NewResponseController(w).Flush()
	}
}
