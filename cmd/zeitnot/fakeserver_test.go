package main

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// newFakeServer knows some accounts by their tokens and answers what check and upgrade
// ask. What a token means is in its name.
func newFakeServer(t *testing.T) *httptest.Server {
	t.Helper()
	in := func(d time.Duration) *int64 { return new(time.Now().Add(d).UnixMilli()) }
	accounts := map[string]*fakeAccount{
		"lip_good_TESTTOKEN123":    {name: "GoBot", title: "BOT", scopes: "email:read,bot:play"},
		"odd-good-TESTTOKEN123":    {name: "GoBot", title: "BOT", scopes: "bot:play"},
		"lip_noscope_TESTTOKEN123": {name: "GoBot", title: "BOT", scopes: "challenge:read,preference:read"},
		"lip_human_TESTTOKEN123":   {name: "Somebody", scopes: "bot:play"},
		"lip_played_TESTTOKEN123":  {name: "Veteran", scopes: "bot:play", games: 17},
		"lip_soon_TESTTOKEN123":    {name: "GoBot", title: "BOT", scopes: "bot:play", expires: in(48 * time.Hour)},
		"lip_closed_TESTTOKEN123":  {name: "Gone", title: "BOT", scopes: "bot:play", disabled: true},
		"lip_marked_TESTTOKEN123":  {name: "Cheat", title: "BOT", scopes: "bot:play", marked: true},
		"lip_managed_TESTTOKEN123": {name: "Pupil", scopes: "bot:play", managed: true},
		"lip_gateway_TESTTOKEN123": {name: "Down", scopes: "bot:play", gateway: true},
	}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /api/token/test", func(w http.ResponseWriter, r *http.Request) {
		token, err := io.ReadAll(r.Body)
		if err != nil {
			t.Errorf("token test: %v", err)
		}
		a := accounts[string(token)]
		if a == nil {
			reply(w, 200, map[string]any{string(token): nil})
			return
		}
		if a.gateway {
			w.WriteHeader(502)
			io.WriteString(w, "<html><head><title>502 Bad Gateway</title></head></html>")
			return
		}
		reply(w, 200, map[string]any{string(token): map[string]any{
			"userId": strings.ToLower(a.name), "scopes": a.scopes, "expires": a.expires,
		}})
	})
	account := func(w http.ResponseWriter, r *http.Request) *fakeAccount {
		a := accounts[strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")]
		if a == nil {
			reply(w, 401, map[string]any{"error": "No such token"})
		}
		return a
	}
	mux.HandleFunc("GET /api/account", func(w http.ResponseWriter, r *http.Request) {
		a := account(w, r)
		if a == nil {
			return
		}
		body := map[string]any{"id": strings.ToLower(a.name), "username": a.name, "count": map[string]any{"all": a.games}}
		for key, set := range map[string]bool{"disabled": a.disabled, "tosViolation": a.marked} {
			if set {
				body[key] = true
			}
		}
		if a.title != "" {
			body["title"] = a.title
		}
		reply(w, 200, body)
	})
	mux.HandleFunc("POST /api/bot/account/upgrade", func(w http.ResponseWriter, r *http.Request) {
		a := account(w, r)
		switch {
		case a == nil:
		case a.managed:
			reply(w, 404, map[string]any{"error": "Managed accounts cannot be bots."})
		default:
			a.title = "BOT"
			reply(w, 200, map[string]any{"ok": true})
		}
	})
	return httptest.NewServer(mux)
}

type fakeAccount struct {
	name, title, scopes string
	games               int
	expires             *int64 // ms since 1970; nil is never
	// disabled and marked show in the account; managed ones cannot be bots; asking about a
	// gateway one fails in front of the server.
	disabled, marked, managed, gateway bool
}

func reply(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(body)
}
