package bot

import (
	"strconv"
	"strings"
	"time"

	"zeitnot/bot/record"
	"zeitnot/engine"
	"zeitnot/engine/book"
	"zeitnot/engine/opening"
	"zeitnot/engine/pgn"
	"zeitnot/engine/position"
	"zeitnot/lichess"
)

// plyNote is what is kept of one ply for the PGN.
type plyNote struct {
	clock    time.Duration // of the mover, after the move
	hasClock bool
	score    engine.Score // of our own search, from our side
	depth    int
	scored   bool
	// source is who found a move of ours that no search stands behind: book, tablebase, …
	source string
	book   *record.BookMove // what a book move is in the book
}

// noteClock remembers the mover's clock of the latest ply. Plies that came while we did
// not listen have none.
func (g *game) noteClock() {
	n := g.root.Len()
	if len(g.notes) > n {
		g.notes = g.notes[:n]
	}
	for len(g.notes) < n {
		g.notes = append(g.notes, plyNote{})
	}
	if n == 0 || !g.hasClock() {
		return
	}
	mover := lichess.Black
	if g.root.Position().SideToMove() == position.Black {
		mover = lichess.White
	}
	if note := &g.notes[n-1]; !note.hasClock {
		note.clock, note.hasClock = g.state.Time(mover).Duration(), true
	}
}

// noteOrigin remembers what our search said of a move that was played, or who else found it.
func (g *game) noteOrigin(p *pendingMove) {
	for len(g.notes) <= p.plies {
		g.notes = append(g.notes, plyNote{})
	}
	note := &g.notes[p.plies]
	if p.scored {
		note.score, note.depth, note.scored = p.Score, p.Depth, true
		return
	}
	note.source = p.Source
	if p.Source == "book" {
		note.book = &record.BookMove{Key: book.Key(p.turn.root), Move: book.Code(p.Best)}
	}
}

// keepPGN hands a finished game to the file.
func (d *Daemon) keepPGN(g *game, end ending) {
	if g.full == nil || end.lost || len(g.root.Keys()) == 0 {
		return // never seen, not ours, or of moves that we do not understand
	}
	record := g.pgn(end, d.options.SiteURL, &d.openings)
	d.pgns.add(gamePGN{id: g.id, text: []byte(record.String())})
}

// pgnWritten logs what became of a game's PGN, or without an id of the file. A fault touches no
// game, and is loud only once: it may last.
func (d *Daemon) pgnWritten(id string, err error) {
	trouble := ""
	if err != nil {
		trouble = err.Error()
	}
	before, _ := d.pgnTrouble.Swap(trouble).(string)
	e, what := d.log.Debug(), "game added to games.pgn"
	if err != nil {
		what = "game not added to games.pgn"
		if trouble != before {
			e = d.log.Error()
		}
	}
	if id == "" {
		what = "games.pgn cannot be used, no game will be added as long as this lasts"
	} else {
		e.Str("game", id)
	}
	e.Err(err).Msg(what)
}

// pgn is the finished game as PGN.
func (g *game) pgn(end ending, site string, openings *opening.Names) *pgn.Game {
	full := g.full
	record := pgn.NewGame(*g.root.Initial())
	created := time.UnixMilli(full.CreatedAt).UTC()
	record.Result = result(end)
	kind := "Casual"
	if full.Rated {
		kind = "Rated"
	}
	tag := record.Tags.Set
	tag("Event", strings.TrimSpace(kind+" "+string(full.Speed)+" game"))
	tag("Site", strings.TrimRight(site, "/")+"/"+g.id)
	tag("Date", created.Format("2006.01.02"))
	tag("Round", "-")
	tag("White", playerName(&full.White))
	tag("Black", playerName(&full.Black))
	tag("Result", record.Result)
	tag("GameId", g.id)
	tag("UTCDate", created.Format("2006.01.02"))
	tag("UTCTime", created.Format("15:04:05"))
	for _, side := range []struct {
		name   string
		player *lichess.Player
	}{{"White", &full.White}, {"Black", &full.Black}} {
		if side.player.Rating > 0 {
			tag(side.name+"Elo", strconv.Itoa(side.player.Rating))
		}
		if side.player.Title != "" {
			tag(side.name+"Title", side.player.Title)
		}
	}
	control := "-"
	if full.Clock != nil {
		control = pgn.TimeControl(full.Clock.Initial.Duration(), full.Clock.Increment.Duration())
	}
	tag("TimeControl", control)
	if name, ok := openings.Of(g.root); ok {
		tag("ECO", name.ECO)
		tag("Opening", name.Text)
	}
	tag("Termination", termination(end.status))
	for i, m := range g.root.Moves() {
		ply := pgn.Ply{Move: m}
		if i < len(g.notes) {
			g.notes[i].annotate(&ply, g.us)
		}
		record.Moves = append(record.Moves, ply)
	}
	return &record
}

// annotate writes the note beside its move; PGN sees scores from White.
func (n plyNote) annotate(ply *pgn.Ply, us position.Color) {
	if n.hasClock {
		clock := n.clock
		ply.Clock = &clock
	}
	if n.scored {
		score := n.score
		if us == position.Black {
			score = -score
		}
		ply.Eval = &pgn.Eval{Score: score, Depth: n.depth}
	}
	ply.Comment = n.source
}

// result is how PGN writes the outcome.
func result(end ending) string {
	switch {
	case end.winner == lichess.White:
		return pgn.WhiteWins
	case end.winner == lichess.Black:
		return pgn.BlackWins
	case end.status == lichess.StatusAborted || end.status == lichess.StatusUnknownFinish || end.status.ID() == 0:
		return pgn.Unknown
	}
	return pgn.Draw
}

// termination is how PGN words the end.
func termination(s lichess.Status) string {
	switch s {
	case lichess.StatusAborted:
		return "abandoned"
	case lichess.StatusOutOfTime:
		return "time forfeit"
	case lichess.StatusTimeout, lichess.StatusNoStart:
		return "abandoned"
	case lichess.StatusCheat:
		return "rules infraction"
	case lichess.StatusUnknownFinish, "":
		return "unterminated"
	}
	return "normal"
}

// playerName is a name for the PGN: an AI has none, an anonymous player neither.
func playerName(p *lichess.Player) string {
	switch {
	case p.Name != "":
		return p.Name
	case p.ID != "":
		return p.ID
	case p.AILevel > 0:
		return "lichess AI level " + strconv.Itoa(p.AILevel)
	}
	return "Anonymous"
}
