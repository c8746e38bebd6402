package clocksim

import (
	"bufio"
	"embed"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"zeitnot/engine/pgn"
)

// tables holds the survival curves that `zeitnot clock lengths` derived from collections of
// real games; the head of each says from which.
//
//go:embed lengths/*.tsv
var tables embed.FS

// Survival is the lengths of real games: what share of them has at least so many own moves.
type Survival struct {
	name  string
	share [MaxMoves + 2]float64 // by own moves; [0] is 1, [MaxMoves+1] is 0
}

// LengthByName is the named way to draw lengths: "model", a table of real games, or a
// number of own moves that every game has.
func LengthByName(name string) (Length, error) {
	if name == (ModelLength{}).Name() {
		return ModelLength{}, nil
	}
	if n, err := strconv.Atoi(name); err == nil {
		if n < 1 || n > MaxMoves {
			return nil, fmt.Errorf("game length %d: want 1 to %d own moves", n, MaxMoves)
		}
		return FixedLength(n), nil
	}
	files, err := tables.ReadDir("lengths")
	if err != nil {
		return nil, fmt.Errorf("game lengths: %w", err)
	}
	names := []string{ModelLength{}.Name()}
	for _, f := range files {
		table := strings.TrimSuffix(f.Name(), ".tsv")
		if names = append(names, table); table != name {
			continue
		}
		file, err := tables.Open("lengths/" + f.Name())
		if err != nil {
			return nil, fmt.Errorf("game lengths: %w", err)
		}
		defer file.Close()
		return ReadSurvival(name, file)
	}
	return nil, fmt.Errorf("game length %q: want a number of own moves or one of %s", name, strings.Join(names, ", "))
}

// ReadSurvival reads a table: own moves and the share of games with at least as many, from
// 0 and 1 on, moves rising and shares falling. Between its lines it is straight.
func ReadSurvival(name string, r io.Reader) (*Survival, error) {
	s := &Survival{name: name}
	s.share[0] = 1
	last := 0
	lines := bufio.NewScanner(r)
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSpace(lines.Text())
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		var moves int
		var share float64
		if _, err := fmt.Sscan(line, &moves, &share); err != nil {
			return nil, fmt.Errorf("game lengths %s, line %d: %q: want own moves and a share", name, n, line)
		}
		if moves == 0 && share == 1 && last == 0 {
			continue
		}
		if moves <= last || moves > MaxMoves || !(share >= 0 && share <= s.share[last]) {
			return nil, fmt.Errorf("game lengths %s, line %d: %q: want more moves and a smaller share than before", name, n, line)
		}
		for k := last + 1; k <= moves; k++ {
			s.share[k] = s.share[last] + (share-s.share[last])*float64(k-last)/float64(moves-last)
		}
		s.share[moves], last = share, moves // exactly, whatever the steps came to
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("game lengths %s: %w", name, err)
	}
	if last == 0 {
		return nil, fmt.Errorf("game lengths %s: no lines", name)
	}
	return s, nil
}

// Name implements Length.
func (s *Survival) Name() string { return s.name }

// Draw implements Length. The longest game of a table is one that the table ends with.
func (s *Survival) Draw(source *rand.Rand) int {
	u := source.Float64() // the game has the most moves whose share is above u
	low, high := 0, MaxMoves+1
	for high-low > 1 {
		if mid := (low + high) / 2; s.share[mid] > u {
			low = mid
		} else {
			high = mid
		}
	}
	return max(1, low)
}

// LengthCount counts games by their own moves.
type LengthCount struct {
	games [MaxMoves + 1]int
	total int
}

// longestLine is how many bytes a game on one line may have.
const longestLine = 1 << 20

// Add counts the games of a file: PGN, or one game a line, a result and moves in UCI
// notation. Games of less than two plies are none, but a file without any other is an error.
// PGN games that cannot be read are passed over, and so are variants.
func (c *LengthCount) Add(r io.Reader) error {
	before := c.total
	in := bufio.NewReader(r)
	head, err := in.Peek(4)
	if err == nil || errors.Is(err, io.EOF) {
		if strings.Contains(string(head), "[") {
			err = c.addPGN(in)
		} else {
			err = c.addLines(in)
		}
	}
	if err == nil && c.total == before {
		err = errors.New("no games: want PGN, or lines of " + gameOnALine)
	}
	if err != nil {
		return fmt.Errorf("count game lengths: %w", err)
	}
	return nil
}

// gameOnALine is what stands on a line that is a game.
const gameOnALine = "a result (1, 0 or =) and moves such as e2e4"

func (c *LengthCount) addLines(r io.Reader) error {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, longestLine)
	number := 1
	for ; lines.Scan(); number++ {
		fields := strings.Fields(lines.Text())
		if len(fields) == 0 {
			continue
		}
		if !isResult(fields[0]) {
			return fmt.Errorf("line %d: %.20q: want %s", number, fields[0], gameOnALine)
		}
		moves := fields[1:]
		if i := slices.IndexFunc(moves, isNoMove); i >= 0 {
			return fmt.Errorf("line %d, move %d: %.20q: want %s", number, i+1, moves[i], gameOnALine)
		}
		c.addPlies(len(moves))
	}
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		return fmt.Errorf("line %d: it has more than %d bytes: want %s", number, longestLine, gameOnALine)
	}
	return lines.Err()
}

func isResult(word string) bool { return word == "1" || word == "0" || word == "=" }

// isNoMove tells whether a word cannot be a move in UCI notation; nobody asks whether it is legal.
func isNoMove(word string) bool {
	square := func(s string) bool { return 'a' <= s[0] && s[0] <= 'h' && '1' <= s[1] && s[1] <= '8' }
	promotes := len(word) == 5 && strings.ContainsRune("nbrq", rune(word[4]))
	return len(word) != 4 && !promotes || !square(word) || !square(word[2:])
}

func (c *LengthCount) addPGN(r io.Reader) error {
	games := pgn.NewReader(r)
	for {
		g, err := games.Next()
		var bad *pgn.GameError
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case errors.As(err, &bad):
			continue
		case err != nil:
			return err
		}
		c.addPlies(len(g.Moves))
	}
}

func (c *LengthCount) addPlies(plies int) {
	if plies >= 2 {
		c.games[min((plies+1)/2, MaxMoves)]++ // own moves of the side that began
		c.total++
	}
}

// Games is the number counted.
func (c *LengthCount) Games() int { return c.total }

// Write writes the table that ReadSurvival reads, in steps of five moves up to the length
// of the longest game.
func (c *LengthCount) Write(w io.Writer) error {
	if c.total == 0 {
		return errors.New("no games to count")
	}
	if _, err := fmt.Fprintf(w, "# %d games: own moves, share of games with at least as many\n0\t1\n", c.total); err != nil {
		return err
	}
	left := c.total
	for n := 1; n <= MaxMoves && left > 0; n++ {
		// left is the number of games with at least n moves; there is no game of 0 moves.
		last := n == MaxMoves || left == c.games[n]
		if n%5 == 0 || last {
			if _, err := fmt.Fprintf(w, "%d\t%s\n", n, strconv.FormatFloat(round(float64(left)/float64(c.total)), 'f', -1, 64)); err != nil {
				return err
			}
		}
		left -= c.games[n]
	}
	return nil
}

// round keeps six decimals, enough for the longest game of a million.
func round(share float64) float64 { return math.Round(share*1e6) / 1e6 }
