package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/spf13/cobra"

	"zeitnot/config"
)

// healthTimeout is how long a healthy daemon may take to say so.
const healthTimeout = 5 * time.Second

func (a *app) healthcheckCommand() *cobra.Command {
	var envFile string
	c := &cobra.Command{
		Use:   "healthcheck",
		Short: "Ask the running daemon whether it is healthy",
		Long: `Ask the running daemon, at its ZEITNOT_LISTEN, whether it is healthy: exit code 0 if
it is, 1 if it is not or does not answer. What it says of itself is printed.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			settings, err := a.loadConfig(envFile)
			if err != nil {
				return err
			}
			if settings.Listen == "" {
				return &exitError{exitConfig, fmt.Errorf("%s_LISTEN is empty: the daemon answers nobody", config.Prefix)}
			}
			return a.healthcheck(c.Context(), settings.Listen)
		},
	}
	envFileFlag(c, &envFile)
	return c
}

func (a *app) healthcheck(ctx context.Context, listen string) error {
	ctx, cancel := context.WithTimeout(ctx, healthTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+reachable(listen)+"/healthz", nil)
	if err != nil {
		return fmt.Errorf("ask the daemon: %w", err)
	}
	// A proxy from the environment has no business between the daemon and us.
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	res, err := client.Do(req)
	if err != nil {
		return fmt.Errorf("ask the daemon: %w", err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(io.LimitReader(res.Body, 1<<20))
	if err != nil {
		return fmt.Errorf("read the daemon's answer: %w", err)
	}
	if _, err := a.out.Write(body); err != nil {
		return err
	}
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("not healthy: %s", res.Status)
	}
	return nil
}

// reachable is where a listener at this address is found from the same machine: one that
// listens everywhere also listens on the loopback.
func reachable(listen string) string {
	host, port, err := net.SplitHostPort(listen)
	if err != nil {
		return listen
	}
	switch ip := net.ParseIP(host); {
	case host == "":
		host = "127.0.0.1"
	case ip != nil && ip.IsUnspecified() && ip.To4() != nil:
		host = "127.0.0.1"
	case ip != nil && ip.IsUnspecified():
		host = "::1"
	}
	return net.JoinHostPort(host, port)
}
