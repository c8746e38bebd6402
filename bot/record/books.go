package record

import (
	"database/sql"
	"net/url"

	"modernc.org/sqlite"
)

// BookResult is how the games went in which a book move was played.
type BookResult struct {
	BookMove
	// Games that were won, drawn or lost, and the points in them, a half each: 2 for a win, 1 for
	// a draw.
	Games, Points int
}

// BookResults sums up the book moves of all games in a file that a Store has opened. It reads
// only, and takes its time.
func BookResults(path string) ([]BookResult, error) {
	connector, err := sqlite.NewConnector(fileURL(path, url.Values{"mode": {"ro"}}))
	if err != nil {
		return nil, err
	}
	db := sql.OpenDB(connector)
	defer db.Close()
	rows, err := db.Query(`SELECT book_key, book_move, count(*), sum(CASE outcome WHEN 'win' THEN 2 WHEN 'draw' THEN 1 ELSE 0 END)
		FROM moves JOIN games ON games.id = moves.game
		WHERE book_key IS NOT NULL AND book_move BETWEEN 0 AND 65535 AND outcome IN ('win', 'draw', 'loss')
		GROUP BY book_key, book_move ORDER BY book_key, book_move`)
	if err != nil {
		return nil, about(path, err)
	}
	defer rows.Close()
	var results []BookResult
	for rows.Next() {
		var key, move int64
		var r BookResult
		if err := rows.Scan(&key, &move, &r.Games, &r.Points); err != nil {
			return nil, about(path, err)
		}
		r.Key, r.Move = uint64(key), uint16(move)
		results = append(results, r)
	}
	if err := rows.Err(); err != nil {
		return nil, about(path, err)
	}
	return results, nil
}
