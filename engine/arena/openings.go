package arena

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"

	"zeitnot/engine/pgn"
	"zeitnot/engine/position"
)

// Opening is where a game begins: a position and the moves that led to it.
type Opening struct{ Game position.Game }

// Book is a collection of openings, kept as text until one is picked: some hold hundreds
// of thousands.
type Book struct {
	name    string
	entries []string
	parse   func(string) (position.Game, error)
}

// StandardStart is a book with nothing but the initial position.
func StandardStart() *Book {
	return &Book{"the initial position", []string{position.StartFEN}, parseEPD}
}

// OpenBook reads a file of openings: EPD or FEN lines (.epd, .fen, .txt) or PGN, also as the
// only such file within a .zip.
func OpenBook(path string) (*Book, error) {
	data, err := readRegular(path)
	if err != nil {
		return nil, fmt.Errorf("openings: %w", err)
	}
	name := filepath.Base(path)
	if strings.EqualFold(filepath.Ext(path), ".zip") {
		if name, data, err = unzip(data); err != nil {
			return nil, fmt.Errorf("openings %s: %w", path, err)
		}
	}
	b := &Book{name: path}
	switch strings.ToLower(filepath.Ext(name)) {
	case ".epd", ".fen", ".txt":
		b.parse, b.entries = parseEPD, lines(string(data))
	case ".pgn":
		b.parse, b.entries = parsePGN, games(string(data))
	default:
		return nil, fmt.Errorf("openings %s: %s is neither .epd nor .pgn", path, name)
	}
	if len(b.entries) == 0 {
		return nil, fmt.Errorf("openings %s: it is empty", path)
	}
	return b, nil
}

// readRegular reads a file that has an end.
func readRegular(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is not a regular file", path)
	}
	if err != nil {
		return nil, err
	}
	return os.ReadFile(path)
}

// maxBook bounds what is unpacked.
const maxBook = 1 << 30

// unzip finds the only book of an archive.
func unzip(data []byte) (name string, content []byte, err error) {
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return "", nil, err
	}
	var found *zip.File
	for _, f := range z.File {
		switch strings.ToLower(filepath.Ext(f.Name)) {
		case ".epd", ".pgn", ".fen", ".txt":
			if found != nil {
				return "", nil, fmt.Errorf("both %s and %s are in it", found.Name, f.Name)
			}
			found = f
		}
	}
	if found == nil {
		return "", nil, errors.New("no .epd or .pgn is in it")
	}
	r, err := found.Open()
	if err != nil {
		return "", nil, fmt.Errorf("%s: %w", found.Name, err)
	}
	defer r.Close()
	content, err = io.ReadAll(io.LimitReader(r, maxBook+1))
	if err == nil && len(content) > maxBook {
		err = fmt.Errorf("longer than %d bytes", maxBook)
	}
	if err != nil {
		return "", nil, fmt.Errorf("%s: %w", found.Name, err)
	}
	return found.Name, content, nil
}

// lines are the lines that hold anything.
func lines(text string) []string {
	var kept []string
	for l := range strings.Lines(text) {
		if l = strings.TrimSpace(l); l != "" && !strings.HasPrefix(l, "#") {
			kept = append(kept, l)
		}
	}
	return kept
}

// games cuts a PGN file before each tag section.
func games(text string) []string {
	var cut []string
	start, offset := 0, 0
	inMoves := false
	for l := range strings.Lines(text) {
		switch {
		case strings.HasPrefix(l, "[") && inMoves:
			cut = append(cut, text[start:offset])
			start, inMoves = offset, false
		case strings.TrimSpace(l) != "" && !strings.HasPrefix(l, "["):
			inMoves = true
		}
		offset += len(l)
	}
	if inMoves {
		cut = append(cut, text[start:])
	}
	return cut
}

func parseEPD(line string) (position.Game, error) {
	e, err := pgn.ParseEPD(line)
	if err != nil {
		return position.Game{}, err
	}
	return position.NewGame(e.Position), nil
}

func parsePGN(text string) (position.Game, error) {
	g, err := pgn.NewReader(strings.NewReader(text)).Next()
	if err != nil {
		return position.Game{}, err
	}
	return g.Play(), nil
}

// Len is the number of openings.
func (b *Book) Len() int { return len(b.entries) }

// Digest tells books of different entries apart.
func (b *Book) Digest() string {
	h := sha256.New()
	for _, e := range b.entries {
		io.WriteString(h, e+"\n")
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// Pick picks n openings at random, the same for the same seed; no opening comes twice
// before all have come, and a larger n only adds to the picked. Games that are over already
// are passed over.
func (b *Book) Pick(n int, seed uint64) ([]Opening, error) {
	order := rand.New(rand.NewPCG(seed, 0x6f70656e696e6773)).Perm(len(b.entries))
	var picked []Opening
	for _, i := range order {
		if len(picked) == n {
			break
		}
		g, err := b.parse(b.entries[i])
		if err != nil {
			return nil, fmt.Errorf("openings %s: entry %d: %w", b.name, i+1, err)
		}
		if result, _ := ended(&g); result == "" {
			picked = append(picked, Opening{g})
		}
	}
	if len(picked) == 0 {
		return nil, fmt.Errorf("openings %s: all games are over already", b.name)
	}
	for i := 0; len(picked) < n; i++ {
		picked = append(picked, picked[i])
	}
	return picked, nil
}
