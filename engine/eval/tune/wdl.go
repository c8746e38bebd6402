package main

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strings"

	"zeitnot/engine"
	"zeitnot/engine/pgn"
	"zeitnot/engine/position"
)

// widest is the largest score that is counted: beyond it every game is won.
const widest = 1000

// outcomes count how games ended from positions with a score, for the side that moved: the
// first index is the score and widest, the second lost, drawn or won.
type outcomes [2*widest + 1][3]int

// wdl fits the model of engine.Score.WDL to games with evaluations, and prints both it and how
// it fits.
func wdl(names []string) error {
	if len(names) == 0 {
		return errUsage
	}
	var seen outcomes
	games := 0
	for _, name := range names {
		f, err := os.Open(name)
		if err != nil {
			return err
		}
		n, err := seen.add(f)
		f.Close()
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		games += n
	}
	half, scale := seen.fit()
	fmt.Printf("%d games: half of them are won from %.0f cp on, scale %.0f cp\n", games, half, scale)
	fmt.Println("cp     positions  won drawn lost  by the model")
	for from := -500; from < 500; from += 100 {
		seen.row(from, from+100, half, scale)
	}
	return nil
}

// add counts games that ended on the board: not those that a clock decided.
func (o *outcomes) add(r io.Reader) (games int, err error) {
	in := pgn.NewReader(r)
	for {
		g, err := in.Next()
		var bad *pgn.GameError
		switch {
		case errors.Is(err, io.EOF):
			return games, nil
		case errors.As(err, &bad):
			continue
		case err != nil:
			return games, err
		}
		result, known := map[string]int{pgn.WhiteWins: 1, pgn.Draw: 0, pgn.BlackWins: -1}[g.Result]
		if !known || strings.Contains(g.Tags.Get("Termination"), "time") {
			continue
		}
		games++
		side := 1
		if g.Start.SideToMove() == position.Black {
			side = -1
		}
		for _, m := range g.Moves {
			if m.Eval != nil && max(m.Eval.Score, -m.Eval.Score) <= widest {
				o[side*int(m.Eval.Score)+widest][side*result+1]++
			}
			side = -side
		}
	}
}

// loss is the logarithmic loss of the model over all positions.
func (o *outcomes) loss(half, scale float64) float64 {
	sum := 0.0
	for i, n := range o {
		won, lost := engine.WinShare(float64(i-widest), half, scale), engine.WinShare(float64(widest-i), half, scale)
		for j, share := range [3]float64{lost, 1 - won - lost, won} {
			if n[j] > 0 {
				sum -= float64(n[j]) * math.Log(max(share, 1e-9))
			}
		}
	}
	return sum
}

// fit finds the parameters with the least loss, by steps that become smaller.
func (o *outcomes) fit() (half, scale float64) {
	half, scale = 150, 80
	best := o.loss(half, scale)
	for step := 64.0; step > 0.2; {
		found := false
		for _, d := range [4][2]float64{{step, 0}, {-step, 0}, {0, step}, {0, -step}} {
			h, s := half+d[0], scale+d[1]
			if h < 0 || s < 1 {
				continue
			}
			if loss := o.loss(h, s); loss < best {
				best, half, scale, found = loss, h, s, true
			}
		}
		if !found {
			step /= 2
		}
	}
	return half, scale
}

// row prints what became of the positions with scores from least to below most.
func (o *outcomes) row(least, most int, half, scale float64) {
	var n [3]int
	var model [2]float64
	all := 0
	for cp := least; cp < most; cp++ {
		for j, k := range o[cp+widest] {
			n[j] += k
			all += k
			model[0] += float64(k) * engine.WinShare(float64(cp), half, scale)
			model[1] += float64(k) * engine.WinShare(float64(-cp), half, scale)
		}
	}
	share := func(x float64) float64 { return 100 * x / float64(max(1, all)) }
	fmt.Printf("%5d  %9d %4.0f %4.0f %4.0f   %4.0f %4.0f %4.0f\n", least, all, share(float64(n[2])), share(float64(n[1])), share(float64(n[0])),
		share(model[0]), 100-share(model[0]+model[1]), share(model[1]))
}
