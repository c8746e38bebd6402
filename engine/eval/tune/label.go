package main

import (
	"bufio"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"

	"zeitnot/engine/position"
)

type labelOptions struct {
	games, engine, out string
	count, nodes       int
	seed               uint64
}

// maxLabel: positions scored beyond so many centipawns teach nothing about judgement.
const maxLabel = 1500

// labelled is a position with what is known of its worth for White.
type labelled struct {
	fen    string
	score  int     // centipawns
	result float64 // of its game: 1, 0.5, 0
	// strayed: random moves led here from the game, whose result then says nothing.
	strayed bool
}

func (l labelled) String() string {
	return fmt.Sprintf("%s|%d|%g|%t", l.fen, l.score, l.result, l.strayed)
}

func parseLabelled(line string) (l labelled, err error) {
	f := strings.Split(line, "|")
	if len(f) != 4 {
		return l, fmt.Errorf("label %q: %d fields, want 4", line, len(f))
	}
	l.fen = f[0]
	if l.score, err = strconv.Atoi(f[1]); err != nil {
		return l, fmt.Errorf("label %q: %w", line, err)
	}
	if l.result, err = strconv.ParseFloat(f[2], 64); err != nil {
		return l, fmt.Errorf("label %q: %w", line, err)
	}
	if l.strayed, err = strconv.ParseBool(f[3]); err != nil {
		return l, fmt.Errorf("label %q: %w", line, err)
	}
	return l, nil
}

// label writes o.count quiet positions with their scores.
func label(ctx context.Context, o labelOptions) error {
	games, err := readGames(o.games)
	if err != nil {
		return err
	}
	scorer, err := startScorer(ctx, o.engine, o.nodes)
	if err != nil {
		return err
	}
	defer scorer.close()
	out, err := os.Create(o.out)
	if err != nil {
		return err
	}
	defer out.Close()
	w := bufio.NewWriter(out)

	rng := rand.New(rand.NewPCG(o.seed, 0))
	for n := 0; n < o.count; {
		if ctx.Err() != nil {
			break // what there is so far is worth keeping
		}
		l, p, ok := sample(games[rng.IntN(len(games))], rng)
		if !ok {
			continue
		}
		score, best, err := scorer.score(&p)
		if err != nil {
			return fmt.Errorf("score %s: %w", l.fen, err)
		}
		// A position is quiet if the best move does not capture.
		if best == position.NoMove || p.IsNoisy(best) || best.IsPromotion() || score > maxLabel || score < -maxLabel {
			continue
		}
		if l.score = score; p.SideToMove() == position.Black {
			l.score = -score
		}
		if _, err := fmt.Fprintln(w, l); err != nil {
			return err
		}
		n++
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return out.Close()
}

func readGames(name string) ([]string, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, fmt.Errorf("games %s: %w", name, err)
	}
	text, err := io.ReadAll(z)
	if err != nil {
		return nil, fmt.Errorf("games %s: %w", name, err)
	}
	games := strings.Split(strings.TrimSpace(string(text)), "\n")
	if len(games) == 0 {
		return nil, fmt.Errorf("games %s: none", name)
	}
	return games, nil
}

// sample picks a position of the game after the opening; half of the time it strays from
// it by one to four random moves, so that odd and lopsided positions are met as well.
func sample(game string, rng *rand.Rand) (l labelled, p position.Position, ok bool) {
	const opening = 8
	f := strings.Fields(game)
	if len(f) < 1+opening+4 {
		return l, p, false
	}
	results := map[string]float64{"1": 1, "0": 0, "=": 0.5}
	l.result = results[f[0]]
	moves := f[1:]
	p = position.Start()
	for _, s := range moves[:opening+rng.IntN(len(moves)-opening)] {
		m, err := p.ParseUCI(s)
		if err != nil {
			return l, p, false
		}
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

func step(p *position.Position, m position.Move) {
	var next position.Position
	p.Make(m, &next)
	*p = next
}

// scorer is a UCI engine reduced to its scores.
type scorer struct {
	cmd   *exec.Cmd
	in    io.WriteCloser
	out   *bufio.Scanner
	nodes int
}

func startScorer(ctx context.Context, command string, nodes int) (*scorer, error) {
	cmd := exec.CommandContext(ctx, command)
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", command, err)
	}
	return &scorer{cmd: cmd, in: in, out: bufio.NewScanner(out), nodes: nodes}, nil
}

func (s *scorer) close() {
	s.in.Close()
	_ = s.cmd.Wait() // it was told to end by the end of its input; how it does is its affair
}

// score is the engine's score for the side to move and its best move; NoMove if the score
// is a mate, which teaches nothing.
func (s *scorer) score(p *position.Position) (int, position.Move, error) {
	if _, err := fmt.Fprintf(s.in, "position fen %s\ngo nodes %d\n", p.FEN(), s.nodes); err != nil {
		return 0, position.NoMove, err
	}
	cp, known := 0, false
	for s.out.Scan() {
		f := strings.Fields(s.out.Text())
		for i := 0; i+2 < len(f); i++ {
			if f[i] == "score" {
				n, err := strconv.Atoi(f[i+2])
				cp, known = n, err == nil && f[i+1] == "cp"
			}
		}
		if len(f) > 1 && f[0] == "bestmove" {
			m, err := p.ParseUCI(f[1])
			if err != nil || !known {
				return 0, position.NoMove, nil
			}
			return cp, m, nil
		}
	}
	return 0, position.NoMove, io.ErrUnexpectedEOF
}
