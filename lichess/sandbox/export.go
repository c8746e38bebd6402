package sandbox

import (
	"fmt"
	"net/http"
	"strings"
	"time"
)

// export writes a game as PGN.
func (c *call) export() reply {
	g := c.s.game(c.gameID)
	if g == nil {
		return refuse(http.StatusNotFound, "Not found.").reply()
	}
	g.mu.Lock()
	r := g.record()
	g.mu.Unlock()
	return reply{status: http.StatusOK, kind: "application/x-chess-pgn", body: []byte(r.pgn(c.s.opts.URL, isYes(c.form.Get("clocks"))))}
}

// PGN is the game in the server's export format.
func (r GameRecord) PGN() string { return r.pgn("https://lichess.org", false) }

func (r GameRecord) pgn(url string, clocks bool) string {
	var b strings.Builder
	tag := func(name, value string) {
		value = strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(value)
		fmt.Fprintf(&b, "[%s \"%s\"]\n", name, value)
	}
	mode := "casual"
	if r.Rated {
		mode = "rated"
	}
	speed := r.Speed
	if r.Variant == Chess960 {
		speed = "Chess960"
	}
	at := r.Created.UTC()
	tag("Event", mode+" "+speed+" game")
	tag("Site", url+"/"+r.ID)
	tag("Date", at.Format("2006.01.02"))
	tag("Round", "-")
	tag("White", r.White)
	tag("Black", r.Black)
	tag("Result", r.Result())
	tag("GameId", r.ID)
	tag("UTCDate", at.Format("2006.01.02"))
	tag("UTCTime", at.Format("15:04:05"))
	tag("WhiteElo", fmt.Sprint(r.WhiteRating))
	tag("BlackElo", fmt.Sprint(r.BlackRating))
	if r.Rated && r.Over() {
		tag("WhiteRatingDiff", fmt.Sprintf("%+d", r.WhiteDiff))
		tag("BlackRatingDiff", fmt.Sprintf("%+d", r.BlackDiff))
	}
	if r.WhiteTitle != "" {
		tag("WhiteTitle", r.WhiteTitle)
	}
	if r.BlackTitle != "" {
		tag("BlackTitle", r.BlackTitle)
	}
	tag("Variant", variantNames[r.Variant][0])
	tag("TimeControl", r.Control.pgn())
	if r.InitialFEN != "" {
		tag("FEN", r.InitialFEN)
		tag("SetUp", "1")
	}
	tag("Termination", r.termination())
	b.WriteByte('\n')
	number, black := startNumber(r.InitialFEN)
	for i, m := range r.Moves {
		white := (i%2 == 0) != black
		n := number + (i+btoi(black))/2
		switch {
		case white:
			fmt.Fprintf(&b, "%d. ", n)
		case i == 0 || clocks:
			fmt.Fprintf(&b, "%d... ", n)
		}
		b.WriteString(m.SAN + " ")
		if clocks && r.Control.Clock {
			left := m.White
			if !white {
				left = m.Black
			}
			s := int(left / time.Second)
			fmt.Fprintf(&b, "{ [%%clk %d:%02d:%02d] } ", s/3600, s/60%60, s%60)
		}
	}
	b.WriteString(r.Result() + "\n\n\n")
	return b.String()
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// startNumber is the first move's number and whether Black makes it.
func startNumber(fen string) (number int, black bool) {
	fields := strings.Fields(fen)
	number = 1
	if len(fields) >= 6 {
		if _, err := fmt.Sscan(fields[5], &number); err != nil {
			number = 1
		}
	}
	return number, len(fields) > 1 && fields[1] == "b"
}

func (t TimeControl) pgn() string {
	if !t.Clock {
		return "-"
	}
	return fmt.Sprintf("%d+%d", int(t.Limit/time.Second), int(t.Increment/time.Second))
}

// Result is the PGN result: "*" for a running or aborted game.
func (r GameRecord) Result() string {
	switch {
	case !r.Over() || r.Status == Aborted:
		return "*"
	case r.Winner == "white":
		return "1-0"
	case r.Winner == "black":
		return "0-1"
	}
	return "1/2-1/2"
}

func (r GameRecord) termination() string {
	switch r.Status {
	case OutOfTime, NoStart:
		return "Time forfeit"
	case Timeout:
		return "Abandoned"
	case Cheat:
		return "Rules infraction"
	case Created, Started, Aborted:
		return "Unterminated"
	}
	return "Normal"
}
