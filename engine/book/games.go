package book

import (
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"zeitnot/engine/pgn"
	"zeitnot/engine/position"
)

// ReadGames calls f with each game of a file that has a result, and at most maxPly half-moves
// of it (0 is all). The file is PGN if its name ends so, otherwise lists of moves; a final .gz
// means that it is compressed. A game that cannot be read is counted in bad and passed over.
func ReadGames(path string, maxPly int, f func(Played)) (bad int, err error) {
	file, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer file.Close()
	var r io.Reader = file
	name := path
	if plain, ok := strings.CutSuffix(path, ".gz"); ok {
		name = plain
		if r, err = gzip.NewReader(file); err != nil {
			return 0, fmt.Errorf("%s: %w", path, err)
		}
	}
	if strings.HasSuffix(name, ".pgn") {
		bad, err = readPGN(r, maxPly, f)
	} else {
		bad, err = readLists(r, maxPly, f)
	}
	if err != nil {
		err = fmt.Errorf("%s: %w", path, err)
	}
	return bad, err
}

// readLists reads one game a line: the result (1 White won, 0 Black won, = drawn) and the
// moves in coordinates, from the standard start.
func readLists(r io.Reader, maxPly int, f func(Played)) (bad int, err error) {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if strings.TrimSpace(lines.Text()) == "" {
			continue
		}
		if g, ok := parseList(lines.Text(), maxPly); ok {
			f(g)
		} else {
			bad++
		}
	}
	return bad, lines.Err()
}

func parseList(line string, maxPly int) (Played, bool) {
	result, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
	points, ok := map[string]float64{"1": 1, "0": 0, "=": 0.5}[result]
	if !ok {
		return Played{}, false
	}
	g := Played{Start: position.Start(), Points: points}
	p := g.Start
	for maxPly == 0 || len(g.Moves) < maxPly {
		var word string
		if word, rest, _ = strings.Cut(strings.TrimLeft(rest, " "), " "); word == "" {
			break
		}
		m, err := p.ParseUCI(word)
		if err != nil {
			return Played{}, false
		}
		g.Moves = append(g.Moves, m)
		var next position.Position
		p.Make(m, &next)
		p = next
	}
	return g, true
}

func readPGN(r io.Reader, maxPly int, f func(Played)) (bad int, err error) {
	games := pgn.NewReader(r)
	for {
		g, err := games.Next()
		var fault *pgn.GameError
		switch {
		case errors.Is(err, io.EOF):
			return bad, nil
		case errors.As(err, &fault):
			bad++
			continue
		case err != nil:
			return bad, err
		}
		points, ok := map[string]float64{pgn.WhiteWins: 1, pgn.BlackWins: 0, pgn.Draw: 0.5}[g.Result]
		if !ok {
			continue
		}
		played := Played{
			Start: g.Start, Points: points,
			WhiteRating: rating(g.Tags.Get("WhiteElo")), BlackRating: rating(g.Tags.Get("BlackElo")),
		}
		for i, m := range g.Moves {
			if maxPly > 0 && i == maxPly {
				break
			}
			played.Moves = append(played.Moves, m.Move)
		}
		f(played)
	}
}

// rating reads a tag, 0 if it says nothing.
func rating(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil || n < 0 {
		return 0
	}
	return n
}
