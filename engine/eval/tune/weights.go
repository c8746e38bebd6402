package main

import (
	"fmt"
	"go/format"
	"reflect"
	"strings"

	"zeitnot/engine/eval"
)

// weight is one number of the evaluation, or a pair of numbers for both stages.
type weight struct {
	v    reflect.Value
	name string // as in Go: .KnightMobility[3]
	pair bool
	// group is the name without its index; weights of an array share it.
	group string
	// step is by how much the weight is moved to see what it does. More than one where the
	// evaluation divides, so that rounding does not hide the effect.
	step int
	// For piece-square values: the wing, type and square; otherwise square is -1.
	wing, piece, square int
}

// weightsOf lists the numbers of w, which they refer to.
func weightsOf(w *eval.Weights) []weight {
	var all []weight
	var walk func(v reflect.Value, name string)
	walk = func(v reflect.Value, name string) {
		switch v.Kind() {
		case reflect.Struct:
			for i := range v.NumField() {
				walk(v.Field(i), name+"."+v.Type().Field(i).Name)
			}
		case reflect.Array:
			for i := range v.Len() {
				walk(v.Index(i), fmt.Sprintf("%s[%d]", name, i))
			}
		default:
			x := weight{v: v, name: name, pair: v.Kind() == reflect.Int32, step: 1, square: -1}
			switch {
			case strings.HasPrefix(name, ".PST"):
				if _, err := fmt.Sscanf(name, ".PST[%d][%d][%d]", &x.wing, &x.piece, &x.square); err != nil {
					panic(fmt.Sprintf("weight %s: %v", name, err))
				}
			case strings.HasPrefix(name, ".Shelter"), strings.HasPrefix(name, ".Storm"):
				x.step = 16
			case strings.HasPrefix(name, ".Danger.SafeCheck"):
				x.step = 64
			case strings.HasPrefix(name, ".Danger.NoQueen"), strings.HasPrefix(name, ".Danger.Base"):
				x.step = 32
			case strings.HasPrefix(name, ".Danger"):
				x.step = 8
			}
			if i := strings.IndexByte(name, '['); i > 0 && x.square < 0 && x.pair {
				x.group = name[:i]
			}
			all = append(all, x)
		}
	}
	walk(reflect.ValueOf(w).Elem(), "")
	return all
}

// A pair lies in one word as package eval packs it: middlegame low, endgame high.

func packPair(mg, eg int) int64 { return int64(int32(eg<<16 + mg)) }

func unpackPair(p int64) (mg, eg int) {
	return int(int16(p)), int(int16(uint32(int32(p)+0x8000) >> 16))
}

// shift moves the weight by n, both numbers of a pair.
func (x *weight) shift(n int) {
	if !x.pair {
		x.v.SetInt(x.v.Int() + int64(n))
		return
	}
	mg, eg := unpackPair(x.v.Int())
	x.v.SetInt(packPair(mg+n, eg+n))
}

const header = `package eval

// defaultWeights are the weights that the engine plays with. They are never written.
//
// They began as the published piece-square values of Ronald Friederich's PeSTO and as
// guesses for the rest, and were then fitted by engine/eval/tune (sigmoid of value/140) to
// quiet positions of public-domain games and of games against itself, half of them after a
// few random moves, each labelled with the score of a search of 400 nodes by another engine
// and, unless it had strayed from it, with the result of its game.
var defaultWeights = `

// source is the Go source of the weights.
func source(w *eval.Weights) ([]byte, error) {
	var b strings.Builder
	b.WriteString(header)
	literal(&b, reflect.ValueOf(w).Elem(), true)
	b.WriteByte('\n')
	return format.Source([]byte(b.String()))
}

// literal writes v as a composite literal; typed tells whether its type must be named.
func literal(b *strings.Builder, v reflect.Value, typed bool) {
	if typed && (v.Kind() == reflect.Struct || v.Kind() == reflect.Array) {
		b.WriteString(strings.ReplaceAll(v.Type().String(), "eval.", ""))
	}
	switch v.Kind() {
	case reflect.Struct:
		b.WriteString("{\n")
		for i := range v.NumField() {
			b.WriteString(v.Type().Field(i).Name + ": ")
			literal(b, v.Field(i), true)
			b.WriteString(",\n")
		}
		b.WriteByte('}')
	case reflect.Array:
		nested := v.Index(0).Kind() == reflect.Array
		b.WriteByte('{')
		for i := range v.Len() {
			if nested || v.Len() > 8 && i%8 == 0 {
				b.WriteByte('\n')
			} else if i > 0 {
				b.WriteByte(' ')
			}
			literal(b, v.Index(i), false)
			if i < v.Len()-1 || nested || v.Len() > 8 {
				b.WriteByte(',')
			}
		}
		if nested || v.Len() > 8 {
			b.WriteByte('\n')
		}
		b.WriteByte('}')
	case reflect.Int32:
		mg, eg := unpackPair(v.Int())
		fmt.Fprintf(b, "s(%d, %d)", mg, eg)
	default:
		fmt.Fprint(b, v.Int())
	}
}
