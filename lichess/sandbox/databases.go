package sandbox

import (
	"cmp"
	"net/http"
	"slices"
	"strings"
	"sync"

	"zeitnot/engine/position"
)

// The databases that Lichess has on servers of their own; here they are on the same one.
const (
	EndpointTablebase Endpoint = "tablebase"
	EndpointExplorer  Endpoint = "explorer"
	EndpointCloudEval Endpoint = "cloudEval"
)

// databases is what they know, made when it is wanted.
type databases struct {
	linesOnce             sync.Once
	lines                 *openingBook
	queenMates, rookMates mateTable
}

// databaseRoutes are the databases. The explorer wants a token, whatever its scopes.
func databaseRoutes() []route {
	return []route{
		{"GET", "/standard", EndpointTablebase, true, nil, (*call).tablebase},
		{"GET", "/masters", EndpointExplorer, false, nil, (*call).explorer},
		{"GET", "/lichess", EndpointExplorer, false, nil, (*call).explorer},
		{"GET", "/player", EndpointExplorer, false, nil, (*call).explorer},
		{"GET", "/api/cloud-eval", EndpointCloudEval, true, nil, (*call).cloudEval},
	}
}

// asked is the position that a query is about.
func (c *call) asked() (position.Position, *apiError) {
	fen := c.form.Get("fen")
	if fen == "" {
		fen = position.StartFEN
	}
	p, err := position.ParseFEN(strings.ReplaceAll(fen, "_", " "))
	if err != nil {
		return p, refuse(http.StatusBadRequest, "invalid fen: %v", err)
	}
	g := position.NewGame(p)
	for move := range strings.SplitSeq(c.form.Get("play"), ",") {
		if move == "" {
			continue
		}
		if g, err = g.PlayUCI(move); err != nil {
			return p, refuse(http.StatusBadRequest, "invalid move: %v", err)
		}
	}
	return *g.Position(), nil
}

type openingJSON struct {
	ECO  string `json:"eco"`
	Name string `json:"name"`
}

type explorerMoveJSON struct {
	UCI           string       `json:"uci"`
	SAN           string       `json:"san"`
	AverageRating int          `json:"averageRating"`
	White         int          `json:"white"`
	Draws         int          `json:"draws"`
	Black         int          `json:"black"`
	Game          *struct{}    `json:"game"`
	Opening       *openingJSON `json:"opening"`
}

type explorerJSON struct {
	Opening       *openingJSON       `json:"opening"`
	QueuePosition *int               `json:"queuePosition,omitempty"` // of a player's games
	White         int                `json:"white"`
	Draws         int                `json:"draws"`
	Black         int                `json:"black"`
	Moves         []explorerMoveJSON `json:"moves"`
	TopGames      []struct{}         `json:"topGames"`
}

// explorerRating is that of the players of every move.
const explorerRating = 2400

// explorer answers from the opening lines; games between all players are more than those of
// masters, and those of one player fewer.
func (c *call) explorer() reply {
	p, refused := c.asked()
	if refused != nil {
		return refused.reply()
	}
	times, of := 1, 1
	answer := explorerJSON{Moves: []explorerMoveJSON{}, TopGames: []struct{}{}}
	switch c.route.path {
	case "/lichess":
		times = 40
	case "/player":
		if c.s.account(c.form.Get("player")) == nil || c.form.Get("color") == "" {
			return refuse(http.StatusNotFound, "Not found.").reply()
		}
		of, answer.QueuePosition = 20, new(0)
	}
	here := c.s.openings().at[p.Key()]
	if here == nil {
		return jsonReply(http.StatusOK, answer)
	}
	answer.Opening = here.name
	for _, m := range here.moves {
		row := explorerMoveJSON{
			UCI: p.UCI(m.move, true), SAN: p.SAN(m.move), AverageRating: explorerRating,
			White: m.white * times / of, Draws: m.draws * times / of, Black: m.black * times / of,
		}
		answer.White, answer.Draws, answer.Black = answer.White+row.White, answer.Draws+row.Draws, answer.Black+row.Black
		answer.Moves = append(answer.Moves, row)
	}
	rep := jsonReply(http.StatusOK, answer)
	if answer.QueuePosition != nil {
		rep.kind, rep.body = "application/x-ndjson", append(rep.body, '\n')
	}
	return rep
}

type cloudPVJSON struct {
	Moves string `json:"moves"`
	CP    int    `json:"cp"`
}

type cloudJSON struct {
	FEN    string        `json:"fen"`
	KNodes int           `json:"knodes"`
	Depth  int           `json:"depth"`
	PVs    []cloudPVJSON `json:"pvs"`
}

// cloudDepth is the depth of every evaluation here, cloudLine the length of their lines.
const (
	cloudDepth = 36
	cloudLine  = 10
)

// cloudEval answers for the positions of the opening lines: the most played line, with the
// value at its end.
func (c *call) cloudEval() reply {
	p, refused := c.asked()
	if refused != nil {
		return refused.reply()
	}
	book := c.s.openings()
	here := book.at[p.Key()]
	if here == nil {
		return refuse(http.StatusNotFound, "No cloud evaluation available for that position").reply()
	}
	var line []string
	for at, next := p, here; next != nil && len(line) < cloudLine; next = book.at[at.Key()] {
		m := next.moves[0].move
		line = append(line, at.UCI(m, true))
		var child position.Position
		at.Make(m, &child)
		at = child
	}
	fen, _, _ := strings.Cut(p.FEN(), " ")
	return jsonReply(http.StatusOK, cloudJSON{
		FEN: fen, KNodes: 1_000_000, Depth: cloudDepth,
		PVs: []cloudPVJSON{{Moves: strings.Join(line, " "), CP: here.moves[0].value}},
	})
}

type tablebaseJSON struct {
	tableEntryJSON
	Moves []tableMoveJSON `json:"moves"`
}

type tableMoveJSON struct {
	UCI     string `json:"uci"`
	SAN     string `json:"san"`
	Zeroing bool   `json:"zeroing"`
	tableEntryJSON
}

type tableEntryJSON struct {
	Category     string `json:"category"`
	DTZ          *int   `json:"dtz"`
	PreciseDTZ   *int   `json:"precise_dtz"`
	DTM          *int   `json:"dtm"`
	Checkmate    bool   `json:"checkmate"`
	Stalemate    bool   `json:"stalemate"`
	Insufficient bool   `json:"insufficient_material"`
}

// tablebaseMen is the most men of a position that the tablebase looks at.
const tablebaseMen = 7

// tablebase knows queen and rook against a bare king and what is drawn for lack of material;
// any other ending is unknown to it, as larger ones are to the real one.
func (c *call) tablebase() reply {
	p, refused := c.asked()
	if refused != nil {
		return refused.reply()
	}
	answer := tablebaseJSON{tableEntryJSON: c.s.tableEntry(&p), Moves: []tableMoveJSON{}}
	var all position.MoveList
	p.Legal(&all)
	for _, m := range all.Slice() {
		var child position.Position
		p.Make(m, &child)
		answer.Moves = append(answer.Moves, tableMoveJSON{
			UCI: p.UCI(m, false), SAN: p.SAN(m), Zeroing: child.HalfmoveClock() == 0, tableEntryJSON: c.s.tableEntry(&child),
		})
	}
	slices.SortStableFunc(answer.Moves, func(a, b tableMoveJSON) int {
		order := []string{"loss", "draw", "unknown", "win"}
		by := cmp.Compare(slices.Index(order, a.Category), slices.Index(order, b.Category))
		if by == 0 && a.DTZ != nil && b.DTZ != nil {
			by = cmp.Compare(*b.DTZ, *a.DTZ) // a shorter loss has the larger number, as has a longer win
		}
		return by
	})
	return jsonReply(http.StatusOK, answer)
}

// tableEntry is the value of a position for the side to move.
func (d *databases) tableEntry(p *position.Position) tableEntryJSON {
	e := tableEntryJSON{Category: "unknown", Insufficient: p.InsufficientMaterial()}
	stuck := !p.HasLegalMove()
	e.Checkmate, e.Stalemate = stuck && p.InCheck(), stuck && !p.InCheck()
	plies, known := 0, false
	switch {
	case e.Checkmate:
		e.Category, e.DTZ = "loss", new(-1)
		e.DTM = new(0)
		e.PreciseDTZ = e.DTZ
		return e
	case e.Stalemate || e.Insufficient:
		known = true
	case p.Occupied().Count() <= tablebaseMen:
		plies, known = d.mates(p)
	}
	if !known {
		return e
	}
	e.DTZ = new(plies)
	switch {
	case plies > 0:
		e.Category = "win"
	case plies < 0:
		e.Category = "loss"
	default:
		e.Category = "draw"
	}
	e.PreciseDTZ, e.DTM = e.DTZ, e.DTZ
	return e
}
