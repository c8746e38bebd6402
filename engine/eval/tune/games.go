package main

import (
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"strings"

	"zeitnot/engine/pgn"
	"zeitnot/engine/position"
)

// recorded is a game that positions are taken from.
type recorded struct {
	start  position.Position
	moves  []position.Move
	result float64 // for White: 1, 0.5, 0
}

// readGames reads every file: PGN by its ending, all else as gzipped lines of a result
// (1, 0, =) and UCI moves from the initial position. Games without a result, and those that
// cannot be replayed, are left out.
func readGames(names []string) ([]recorded, error) {
	var all []recorded
	for _, name := range names {
		f, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		read := readLines
		if strings.HasSuffix(name, ".pgn") {
			read = readPGN
		}
		games, err := read(f)
		f.Close()
		if err != nil {
			return nil, fmt.Errorf("games %s: %w", name, err)
		}
		if len(games) == 0 {
			return nil, fmt.Errorf("games %s: none", name)
		}
		all = append(all, games...)
	}
	if len(all) == 0 {
		return nil, errors.New("no file of games")
	}
	return all, nil
}

func readPGN(r io.Reader) (games []recorded, err error) {
	points := map[string]float64{pgn.WhiteWins: 1, pgn.Draw: 0.5, pgn.BlackWins: 0}
	for reader := pgn.NewReader(bufio.NewReader(r)); ; {
		g, err := reader.Next()
		var fault *pgn.GameError
		switch {
		case err == io.EOF:
			return games, nil
		case errors.As(err, &fault):
			continue
		case err != nil:
			return nil, err
		}
		result, ok := points[g.Result]
		if !ok {
			continue
		}
		x := recorded{start: g.Start, result: result}
		for _, ply := range g.Moves {
			x.moves = append(x.moves, ply.Move)
		}
		games = append(games, x)
	}
}

func readLines(r io.Reader) (games []recorded, err error) {
	z, err := gzip.NewReader(r)
	if err != nil {
		return nil, err
	}
	points := map[string]float64{"1": 1, "=": 0.5, "0": 0}
	lines := bufio.NewScanner(z)
	for lines.Scan() {
		words := strings.Fields(lines.Text())
		if len(words) == 0 {
			continue
		}
		result, ok := points[words[0]]
		if !ok {
			continue
		}
		x := recorded{start: position.Start(), result: result}
		p := x.start
		for _, word := range words[1:] {
			m, err := p.ParseUCI(word)
			if err != nil {
				break
			}
			x.moves = append(x.moves, m)
			step(&p, m)
		}
		if len(x.moves) == len(words)-1 {
			games = append(games, x)
		}
	}
	return games, lines.Err()
}

// opening are the half-moves of a game from which no position is taken, shortest those of
// the shortest game that has any to take.
const (
	opening  = 8
	shortest = opening + 4
)

// sample picks a position after the opening of a game that is not too short; half of the
// time it strays from it by one to four random moves, so that odd and lopsided positions are
// met as well.
func (g *recorded) sample(rng *rand.Rand) (l labelled, p position.Position, ok bool) {
	l.result = g.result
	p = g.start
	for _, m := range g.moves[:opening+rng.IntN(len(g.moves)-opening)] {
		step(&p, m)
	}
	if rng.IntN(2) == 0 {
		l.strayed = true
		for range 1 + rng.IntN(4) {
			var list position.MoveList
			if p.Legal(&list); list.Len() == 0 {
				return l, p, false
			}
			step(&p, list.At(rng.IntN(list.Len())))
		}
	}
	l.fen = p.FEN()
	return l, p, !p.InCheck() && p.HasLegalMove() && !p.InsufficientMaterial()
}
