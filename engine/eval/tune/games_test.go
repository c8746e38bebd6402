package main

import (
	"compress/gzip"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestReadGamesOfBothKinds(t *testing.T) {
	dir := t.TempDir()
	lines, pgn, wrong := filepath.Join(dir, "games.txt.gz"), filepath.Join(dir, "games.pgn"), filepath.Join(dir, "wrong.gz")
	f, err := os.Create(lines)
	if err != nil {
		t.Fatal(err)
	}
	z := gzip.NewWriter(f)
	if _, err := z.Write([]byte("1 e2e4 e7e5\n\n= d2d4\n* e2e4\n0 e2e5\n")); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	f.Close()
	const start = "4k3/8/8/8/8/8/4P3/4K3 b - - 0 1"
	text := "[Result \"0-1\"]\n\n1. e4 e5 2. Nf3 0-1\n\n[FEN \"" + start + "\"]\n[SetUp \"1\"]\n[Result \"1/2-1/2\"]\n\n1... Kd7 1/2-1/2\n\n" +
		"[Result \"*\"]\n\n1. e4 *\n"
	if err := os.WriteFile(pgn, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	games, err := readGames([]string{lines, pgn})
	if err != nil {
		t.Fatal(err)
	}
	// The unfinished games and the one with an impossible move are left out.
	var got []string
	for _, g := range games {
		s := g.start.FEN()[:8]
		for _, m := range g.moves {
			s += " " + g.start.UCI(m, false)
		}
		got = append(got, s)
	}
	want := []string{"rnbqkbnr e2e4 e7e5", "rnbqkbnr d2d4", "rnbqkbnr e2e4 e7e5 g1f3", "4k3/8/8/ e8d7"}
	if strings.Join(got, ",") != strings.Join(want, ",") {
		t.Errorf("got %q, want %q", got, want)
	}
	if games[0].result != 1 || games[1].result != 0.5 || games[2].result != 0 || games[3].result != 0.5 {
		t.Errorf("results %v %v %v %v", games[0].result, games[1].result, games[2].result, games[3].result)
	}

	if err := label(t.Context(), labelOptions{games: []string{pgn}, engine: "absent", count: 1}); err == nil || err.Error() != "no game of at least 12 half-moves" {
		t.Errorf("games too short to take positions from: got %v", err)
	}

	if err := os.WriteFile(wrong, []byte("not gzip"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, names := range [][]string{nil, {wrong}, {filepath.Join(dir, "absent.pgn")}} {
		if _, err := readGames(names); err == nil {
			t.Errorf("%q: no error", names)
		}
	}
}
