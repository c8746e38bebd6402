package lichess_test

import (
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"zeitnot/lichess"
)

func TestBaseURLIsNormalized(t *testing.T) {
	for url, want := range map[string]string{
		"": "https://lichess.org", "https://host": "https://host", "https://host/": "https://host", "https://host//": "https://host",
		" http://127.0.0.1:9663/ \n": "http://127.0.0.1:9663", "https://host/sub/": "https://host/sub",
	} {
		c, err := lichess.New(lichess.Options{URL: url})
		if err != nil || c.BaseURL() != want {
			t.Errorf("%q: got %v, want %s", url, err, want)
		}
	}
	for url, want := range map[string]string{
		"host": "must begin with http", "ftp://host": "must begin with http", "https://": "no host", "https://:80": "no host",
		"https://user:pw@host": "user or password", "https://host?a=b": "query", "https://host/#x": "fragment", "https://user:pw@ho st": "not a URL",
	} {
		_, err := lichess.New(lichess.Options{URL: url})
		wantError(t, err, want)
		if err != nil && strings.Contains(err.Error(), "pw") {
			t.Errorf("%q: error repeats the password: %v", url, err)
		}
	}
}

func TestPathsHaveOneSlash(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, url := range []string{"http://lichess.test", "http://lichess.test/", "http://lichess.test//"} {
			var path string
			c := connect(t, func(w http.ResponseWriter, r *http.Request) {
				path = r.RequestURI
				answer(w, 200, `{"ok":true}`)
			}, func(o *lichess.Options) { o.URL = url })
			if err := c.AcceptChallenge(t.Context(), "c1"); err != nil || path != "/api/challenge/c1/accept" {
				t.Errorf("%s: got %s, %v", url, path, err)
			}
		}
	})
}

func TestIDsCannotLeaveTheirPlaceInAPath(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for id, want := range map[string]string{
			"a/b": "/api/challenge/a%2Fb/accept", "..": "/api/challenge/%2E%2E/accept", "a?b#c": "/api/challenge/a%3Fb%23c/accept", "é": "/api/challenge/%C3%A9/accept",
		} {
			var path string
			c := connect(t, func(w http.ResponseWriter, r *http.Request) {
				path = r.RequestURI
				answer(w, 200, `{"ok":true}`)
			})
			if err := c.AcceptChallenge(t.Context(), id); err != nil || path != want {
				t.Errorf("%s: got %s, %v, want %s", id, path, err, want)
			}
		}
	})
}
