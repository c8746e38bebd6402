package bot

import (
	"time"

	"zeitnot/bot/record"
	"zeitnot/engine/pgn"
)

// recordStart puts the game into the record, where it may be already.
func (g *game) recordStart() {
	full := g.full
	ours, theirs := full.Player(g.me), full.Player(g.me.Other())
	r := record.Game{
		ID: g.id, Created: time.UnixMilli(full.CreatedAt), Color: string(g.me), Rating: ours.Rating,
		Opponent: playerName(theirs), OpponentTitle: theirs.Title, OpponentRating: theirs.Rating,
		Speed: string(full.Speed), Variant: string(full.Variant.Key), Rated: full.Rated,
	}
	if full.InitialFEN != "startpos" {
		r.InitialFEN = full.InitialFEN
	}
	if c := full.Clock; c != nil {
		r.Control = &record.Control{Initial: c.Initial.Duration(), Increment: c.Increment.Duration()}
	}
	g.options.Record.GameStarted(r)
}

// recordMove puts a move that was played into the record, with what it cost.
func (g *game) recordMove(p *pendingMove, c cost) {
	r := record.Move{
		Game: g.id, Ply: p.plies + 1, UCI: p.uci,
		Soft: p.turn.budget.Soft, Hard: p.turn.budget.Hard, Used: p.used,
		Mode: p.mode(), Depth: p.Depth, Nodes: p.Nodes, Source: p.Source, Book: g.notes[p.plies].book,
	}
	if p.hasClock {
		r.Clock = &p.clock
	}
	if c.known && c.rejected == "" {
		r.Overhead = &c.overhead
	}
	switch {
	case !p.scored:
	case p.Score.IsMate():
		r.Mate = new(p.Score.MateMoves())
	default:
		r.Centipawns = new(int(p.Score))
	}
	g.options.Record.Move(r)
}

// mode is how the time of the move was spent.
func (p *pendingMove) mode() record.Mode {
	switch red := p.turn.budget.Red; {
	case red && p.pondered:
		return record.ModePremove
	case red:
		return record.ModeRed
	case p.pondered:
		return record.ModePonderHit
	}
	return record.ModeNormal
}

// recordEnd puts the end of the game into the record. A game that we have lost sight of is
// over as well, nobody knows how.
func (g *game) recordEnd(end ending) {
	if g.full == nil {
		return // never seen, or not ours
	}
	outcome := record.NoOutcome
	switch result(end) {
	case pgn.Draw:
		outcome = record.Draw
	case pgn.WhiteWins, pgn.BlackWins:
		outcome = record.Loss
		if end.winner == g.me {
			outcome = record.Win
		}
	}
	g.options.Record.GameEnded(record.End{
		Game: g.id, At: time.Now(), Status: string(end.status), Outcome: outcome, Plies: g.root.Len(),
	})
	if g.options.BookPlayed != nil {
		g.options.BookPlayed(g.bookMoves(), outcome)
	}
}

// bookMoves are those of our moves on the board that came from a book.
func (g *game) bookMoves() []record.BookMove {
	var moves []record.BookMove
	for _, n := range g.notes[:min(len(g.notes), g.root.Len())] {
		if n.book != nil {
			moves = append(moves, *n.book)
		}
	}
	return moves
}

// priorAge is how old a prior may be. Routes, hosters and providers change within months,
// and an old good one would be trusted with the clock; the round trips of the start-up
// requests are known anyway.
const priorAge = 30 * 24 * time.Hour

// resumePrior goes on from what an earlier process has learnt of the way to the server.
func (d *Daemon) resumePrior() {
	p, err := d.options.Record.Prior(d.options.SiteURL)
	if err == nil && !p.Saved.IsZero() {
		err = p.Estimator.Check()
	}
	age := time.Since(p.Saved)
	switch {
	case err != nil:
		d.log.Warn().Err(err).Msg("what was learnt of the network makes no sense, starting anew")
	case p.Saved.IsZero():
	case age > priorAge:
		d.log.Info().Time("saved", p.Saved).Msg("what was learnt of the network is too old, starting anew")
	default:
		d.log.Info().Time("saved", p.Saved).Dur("overhead_mean", brief(p.Estimator.Mean)).
			Dur("overhead_q90", brief(p.Estimator.Q90)).Msg("the network as it was")
		d.network.resume(p.Estimator)
	}
}

// savePrior keeps what was learnt of the way to the server, if there is anything new.
func (d *Daemon) savePrior() {
	if p, news := d.network.prior(); news {
		d.options.Record.SavePrior(record.Prior{Server: d.options.SiteURL, Saved: time.Now(), Estimator: p})
	}
}
