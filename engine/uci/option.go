package uci

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// option is one entry of the server's option list.
type option struct {
	name string
	kind string // type, default and range as UCI writes them
	set  func(value string) error
}

// maxMultiPV is more lines than any position has moves to offer (the record is 218).
const maxMultiPV = 256

func (s *Server) makeOptions() []option {
	threads := 1
	if t, ok := s.cfg.Engine.(Threaded); ok {
		threads = max(1, t.MaxThreads())
	}
	options := []option{
		spin("Hash", s.cfg.HashMB, 1, s.cfg.MaxHashMB, func(mb int) error {
			if mb == s.hashMB {
				return nil
			}
			if err := s.cfg.Engine.SetHash(mb); err != nil {
				return err
			}
			s.hashMB = mb
			return nil
		}),
		spin("Threads", 1, 1, threads, s.setThreads),
		spin("MultiPV", 1, 1, maxMultiPV, func(n int) error { s.multiPV = n; return nil }),
		// Pondering needs no preparation; the option tells a GUI that we can.
		check("Ponder", false, func(bool) error { return nil }),
		check("UCI_Chess960", false, func(on bool) error { s.chess960 = on; return nil }),
		check("UCI_ShowWDL", false, func(on bool) error { s.showWDL = on; return nil }),
		{"Clear Hash", "button", func(string) error { s.cfg.Engine.NewGame(); return nil }},
	}
	if b, ok := s.cfg.Engine.(Booked); ok {
		options = append(options, check("OwnBook", false, b.SetOwnBook), path("BookFile", b.SetBookFile))
	}
	if t, ok := s.cfg.Engine.(Tabled); ok {
		options = append(options, path("SyzygyPath", t.SetSyzygyPath))
	}
	if w, ok := s.cfg.Engine.(Weakened); ok {
		options = append(options, strengthOptions(w)...)
	}
	if s.cfg.SetOverhead != nil {
		options = append(options, spin("Move Overhead", int(s.cfg.Overhead.Milliseconds()), 0, 10000, func(ms int) error {
			s.cfg.SetOverhead(time.Duration(ms) * time.Millisecond)
			return nil
		}))
	}
	for _, w := range s.cfg.Switches {
		options = append(options, check(w.Name, true, func(on bool) error { w.Set(on); return nil }))
	}
	return options
}

// presetElo is what UCI_Elo shows at first.
const presetElo = 1500

// strengthOptions limit the strength once both are set, in any order.
func strengthOptions(w Weakened) []option {
	least, most := w.EloRange()
	limited, elo := false, min(max(presetElo, least), most)
	set := func() error {
		if !limited {
			return w.SetElo(0)
		}
		return w.SetElo(elo)
	}
	return []option{
		check("UCI_LimitStrength", false, func(on bool) error { limited = on; return set() }),
		spin("UCI_Elo", elo, least, most, func(n int) error { elo = n; return set() }),
		check("UCI_AnalyseMode", false, func(on bool) error { w.SetAnalyseMode(on); return nil }),
	}
}

func (s *Server) setThreads(n int) error { return s.cfg.Engine.SetThreads(n) }

func spin(name string, preset, low, high int, set func(int) error) option {
	kind := fmt.Sprintf("spin default %d min %d max %d", preset, low, high)
	return option{name, kind, func(value string) error {
		n, err := strconv.Atoi(value)
		if err != nil {
			return fmt.Errorf("%q is no number", value)
		}
		if n < low || n > high {
			return fmt.Errorf("%d is not within %d..%d", n, low, high)
		}
		return set(n)
	}}
}

func check(name string, preset bool, set func(bool) error) option {
	return option{name, fmt.Sprintf("check default %t", preset), func(value string) error {
		switch strings.ToLower(value) {
		case "true":
			return set(true)
		case "false":
			return set(false)
		}
		return fmt.Errorf("%q is neither true nor false", value)
	}}
}

// emptyString is how UCI writes a string that has nothing in it.
const emptyString = "<empty>"

func path(name string, set func(string) error) option {
	return option{name, "string default " + emptyString, func(value string) error {
		if value == emptyString {
			value = ""
		}
		return set(value)
	}}
}

// setOption carries out `setoption name N value V`; names have blanks and any case.
func (s *Server) setOption(args []string) {
	name, value := splitOption(args)
	for _, o := range s.options {
		if !strings.EqualFold(o.name, name) {
			continue
		}
		if err := o.set(value); err != nil {
			s.infoString("option " + o.name + " is unchanged: " + err.Error())
		}
		return
	}
	s.infoString("unknown option: " + name)
}

func splitOption(args []string) (name, value string) {
	var names, values []string
	into := &names
	for i, w := range args {
		switch {
		case i == 0 && strings.EqualFold(w, "name"):
		case into == &names && strings.EqualFold(w, "value"):
			into = &values
		default:
			*into = append(*into, w)
		}
	}
	return strings.Join(names, " "), strings.Join(values, " ")
}

// clampInt reads a whole number, cutting what does not fit.
func clampInt(word string) (int64, bool) {
	n, err := strconv.ParseInt(word, 10, 64)
	if err == nil {
		return n, true
	}
	if numErr, ok := err.(*strconv.NumError); ok && numErr.Err == strconv.ErrRange {
		return n, true // ParseInt gives the nearest value
	}
	if f, err := strconv.ParseFloat(word, 64); err == nil && !math.IsNaN(f) {
		return int64(max(-1e15, min(1e15, f))), true // some GUIs send "1000.0"
	}
	return 0, false
}
