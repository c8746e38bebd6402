package record_test

import (
	"database/sql"
	"math"
	"testing"
	"time"

	"zeitnot/bot/record"
)

// read reads a record as anybody may, with SQL alone.
func read(t *testing.T, path string) []record.Remembered {
	t.Helper()
	db := connect(t, path)
	defer db.Close()
	rows, err := db.Query(`SELECT id, created_at, color, ifnull(rating, 0), opponent, ifnull(opponent_title, ''),
		ifnull(opponent_rating, 0), speed, variant, ifnull(initial_fen, ''), rated, initial_ms, increment_ms,
		ended_at, ifnull(status, ''), outcome, plies FROM games ORDER BY rowid`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var games []record.Remembered
	for rows.Next() {
		var g record.Remembered
		var created string
		var initial, increment, plies *int64
		var ended, outcome *string
		var status string
		if err := rows.Scan(&g.ID, &created, &g.Color, &g.Rating, &g.Opponent, &g.OpponentTitle, &g.OpponentRating, &g.Speed,
			&g.Variant, &g.InitialFEN, &g.Rated, &initial, &increment, &ended, &status, &outcome, &plies); err != nil {
			t.Fatal(err)
		}
		g.Created = at(t, created)
		if initial != nil {
			g.Control = &record.Control{Initial: ms(float64(*initial)), Increment: ms(float64(*increment))}
		}
		if ended != nil {
			g.End = &record.End{Game: g.ID, At: at(t, *ended), Status: status, Outcome: record.Outcome(*outcome), Plies: int(*plies)}
		}
		games = append(games, g)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	for i := range games {
		games[i].Moves = readMoves(t, db, games[i].ID)
	}
	return games
}

func readMoves(t *testing.T, db *sql.DB, id string) (moves []record.Move) {
	t.Helper()
	rows, err := db.Query(`SELECT game, ply, uci, clock_ms, soft_ms, hard_ms, used_ms, overhead_ms, mode, depth, nodes,
		score_cp, score_mate, source, book_key, book_move FROM moves WHERE game = ? ORDER BY ply`, id)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var m record.Move
		var left, overhead *float64
		var soft, hard, used float64
		var key, move *int64
		if err := rows.Scan(&m.Game, &m.Ply, &m.UCI, &left, &soft, &hard, &used, &overhead, &m.Mode, &m.Depth, &m.Nodes,
			&m.Centipawns, &m.Mate, &m.Source, &key, &move); err != nil {
			t.Fatal(err)
		}
		if key != nil {
			m.Book = &record.BookMove{Key: uint64(*key), Move: uint16(*move)}
		}
		m.Soft, m.Hard, m.Used = ms(soft), ms(hard), ms(used)
		if left != nil {
			m.Clock = new(ms(*left))
		}
		if overhead != nil {
			m.Overhead = new(ms(*overhead))
		}
		moves = append(moves, m)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return moves
}

// connect opens the file beside the store.
func connect(t *testing.T, path string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+path+"?_txlock=immediate")
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	return db
}

func at(t *testing.T, text string) time.Time {
	t.Helper()
	v, err := time.Parse("2006-01-02 15:04:05.000", text)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func ms(v float64) time.Duration { return time.Duration(math.Round(v*1000)) * time.Microsecond }
