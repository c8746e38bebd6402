package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"

	"zeitnot/engine/position"
)

type labelOptions struct {
	games        []string
	engine, out  string
	count, nodes int
	seed         uint64
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
	games = slices.DeleteFunc(games, func(g recorded) bool { return len(g.moves) < shortest })
	if len(games) == 0 {
		return fmt.Errorf("no game of at least %d half-moves", shortest)
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
		l, p, ok := games[rng.IntN(len(games))].sample(rng)
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
