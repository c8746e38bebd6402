package main

import (
	"bufio"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"runtime"

	"golang.org/x/sync/errgroup"

	"zeitnot/engine/eval"
	"zeitnot/engine/position"
)

type fitOptions struct {
	labels, out           string
	limit, rounds, epochs int
}

const (
	// sigmoid is how many centipawns of our evaluation divide the expectation's odds by e.
	// It fixes the scale of the evaluation, to which the margins of the search belong.
	sigmoid = 140
	// labelSigmoid is the same for the engine that scores.
	labelSigmoid = 110
	// trust is the share of the score in the target, the rest is the result of the game.
	trust = 0.75

	batch = 16384
	rate  = 1.0 // of Adam, in centipawns
	// pull draws weights that hardly ever occur back to where they were.
	pull = 4e-8
)

// fit moves the engine's weights towards the labels and writes them.
func fit(ctx context.Context, o fitOptions) error {
	labels, err := readLabels(o.labels)
	if err != nil {
		return err
	}
	rng := rand.New(rand.NewPCG(5, 0))
	rng.Shuffle(len(labels), func(i, j int) { labels[i], labels[j] = labels[j], labels[i] })
	labels = labels[:min(len(labels), o.limit)]
	w := eval.Default()
	for round := range o.rounds {
		data, err := traceAll(ctx, &w, labels)
		if err != nil {
			return err
		}
		// A twentieth is kept back to see whether what is learned holds elsewhere.
		cut := len(data) * 19 / 20
		f := newFitter(&w, data[:cut])
		fmt.Printf("round %d: %d positions, loss %.6f, kept back %.6f\n", round+1, len(data), f.loss(data[:cut]), f.loss(data[cut:]))
		for epoch := range o.epochs {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			f.epoch(cooling(epoch, o.epochs))
			if (epoch+1)%20 == 0 || epoch+1 == o.epochs {
				fmt.Printf("epoch %d: loss %.6f, kept back %.6f\n", epoch+1, f.loss(data[:cut]), f.loss(data[cut:]))
			}
		}
		f.apply(&w)
	}
	text, err := source(&w)
	if err != nil {
		return fmt.Errorf("write weights: %w", err)
	}
	return os.WriteFile(o.out, text, 0o644)
}

// cooling lowers the rate towards the end, so that the weights come to rest.
func cooling(epoch, epochs int) float64 {
	switch {
	case epoch > epochs*9/10:
		return rate / 16
	case epoch > epochs*2/3:
		return rate / 4
	}
	return rate
}

func readLabels(name string) ([]labelled, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var all []labelled
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		l, err := parseLabelled(lines.Text())
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		all = append(all, l)
	}
	return all, lines.Err()
}

// traceAll traces the positions on all cores, in their order.
func traceAll(ctx context.Context, w *eval.Weights, labels []labelled) ([]traced, error) {
	found := make([]*traced, len(labels))
	workers := runtime.GOMAXPROCS(0)
	group, ctx := errgroup.WithContext(ctx)
	for n := range workers {
		group.Go(func() error {
			t := newTracer(w)
			for i := n; i < len(labels) && ctx.Err() == nil; i += workers {
				p, err := position.ParseFEN(labels[i].fen)
				if err != nil {
					return fmt.Errorf("label %d: %w", i+1, err)
				}
				if x, ok := t.trace(&p); ok {
					x.target = float32(target(labels[i]))
					found[i] = &x
				}
			}
			return ctx.Err()
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	var all []traced
	for _, x := range found {
		if x != nil {
			all = append(all, *x)
		}
	}
	return all, nil
}

// target is the expected result for White.
func target(l labelled) float64 {
	e := expectation(float64(l.score), labelSigmoid)
	if l.strayed {
		return e
	}
	return trust*e + (1-trust)*l.result
}

func expectation(value, scale float64) float64 { return 1 / (1 + math.Exp(-value/scale)) }

// fitter is a gradient descent (Adam) on the squared error of the expectation.
type fitter struct {
	data []traced
	// delta is by how much each number has moved from where it was traced. unit is the size
	// of its usual step: weights inside the danger formula are larger than centipawns.
	delta, unit   []float64
	first, second []float64 // moments of the gradient
	steps         float64
}

func newFitter(w *eval.Weights, data []traced) *fitter {
	weights := weightsOf(w)
	n := len(weights) * stride
	f := &fitter{data: data, delta: make([]float64, n), unit: make([]float64, n), first: make([]float64, n), second: make([]float64, n)}
	for i, x := range weights {
		unit := 1.0
		if !x.pair && x.step > 1 {
			unit = float64(x.step) / 4
		}
		f.unit[i*stride], f.unit[i*stride+1] = unit, unit
	}
	return f
}

// value is what the evaluation would say with the weights as they are now.
func (f *fitter) value(x *traced) float64 {
	v := float64(x.value)
	for _, t := range x.terms {
		v += f.delta[t.i] * float64(t.factor)
	}
	return v
}

func (f *fitter) loss(data []traced) float64 {
	sum := 0.0
	for i := range data {
		d := expectation(f.value(&data[i]), sigmoid) - float64(data[i].target)
		sum += d * d
	}
	return sum / float64(max(len(data), 1))
}

// epoch goes once through the data.
func (f *fitter) epoch(rate float64) {
	workers := runtime.GOMAXPROCS(0)
	for from := 0; from < len(f.data); from += batch {
		part := f.data[from:min(from+batch, len(f.data))]
		sums := make([][]float64, workers)
		var group errgroup.Group
		for n := range workers {
			group.Go(func() error {
				sums[n] = f.gradient(part[len(part)*n/workers : len(part)*(n+1)/workers])
				return nil
			})
		}
		_ = group.Wait() // gradient cannot fail
		f.step(sums, len(part), rate)
	}
}

// gradient is the sum of the gradients of the positions, but for constant factors.
func (f *fitter) gradient(part []traced) []float64 {
	g := make([]float64, len(f.delta))
	for i := range part {
		x := &part[i]
		e := expectation(f.value(x), sigmoid)
		d := (e - float64(x.target)) * e * (1 - e)
		for _, t := range x.terms {
			g[t.i] += d * float64(t.factor)
		}
	}
	return g
}

// step moves the weights against the gradient.
func (f *fitter) step(sums [][]float64, n int, rate float64) {
	const keepFirst, keepSecond = 0.9, 0.999
	f.steps++
	b1, b2 := 1-math.Pow(keepFirst, f.steps), 1-math.Pow(keepSecond, f.steps)
	for i := range f.delta {
		g := 0.0
		for _, s := range sums {
			g += s[i]
		}
		g = g/float64(n)*f.unit[i] + pull*f.delta[i]/f.unit[i]
		f.first[i] = keepFirst*f.first[i] + (1-keepFirst)*g
		f.second[i] = keepSecond*f.second[i] + (1-keepSecond)*g*g
		f.delta[i] -= rate * f.unit[i] * f.first[i] / b1 / (math.Sqrt(f.second[i]/b2) + 1e-7)
	}
}

// apply adds what was learned to the weights.
func (f *fitter) apply(w *eval.Weights) {
	for i, x := range weightsOf(w) {
		move := func(v, n int) int { return int(math.Round(float64(v) + f.delta[i*stride+n])) }
		if x.pair {
			mg, eg := unpackPair(x.v.Int())
			x.v.SetInt(packPair(move(mg, 0), move(eg, 1)))
		} else {
			x.v.SetInt(int64(move(int(x.v.Int()), 0)))
		}
	}
}
