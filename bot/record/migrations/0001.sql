-- Times of day are UTC, as text that sorts and that SQLite's date functions read. Lengths
-- of time are milliseconds. NULL is "there is none" or "not known".

CREATE TABLE games (
    id              TEXT PRIMARY KEY,
    created_at      TEXT NOT NULL,    -- by the server
    color           TEXT NOT NULL,    -- ours: white, black
    rating          INTEGER,          -- ours
    opponent        TEXT NOT NULL,
    opponent_title  TEXT,
    opponent_rating INTEGER,
    speed           TEXT NOT NULL,
    variant         TEXT NOT NULL,
    initial_fen     TEXT,             -- NULL: the usual initial position
    rated           INTEGER NOT NULL, -- 1, 0 is casual
    initial_ms      INTEGER,          -- NULL: no clock that runs
    increment_ms    INTEGER,
    ended_at        TEXT,             -- NULL: has not ended, as far as we know
    status          TEXT,             -- the server's word for how it ended
    outcome         TEXT,             -- for us: win, draw, loss, none
    plies           INTEGER           -- of the whole game
) STRICT;

CREATE INDEX games_by_time ON games (created_at);
CREATE INDEX games_by_opponent ON games (opponent COLLATE NOCASE);

-- Our own moves, as they stood in the game when it ended.
CREATE TABLE moves (
    game        TEXT NOT NULL REFERENCES games (id) ON DELETE CASCADE,
    ply         INTEGER NOT NULL,     -- of the game, from 1
    uci         TEXT NOT NULL,
    clock_ms    INTEGER,              -- ours when our turn began
    soft_ms     REAL NOT NULL,        -- the budget
    hard_ms     REAL NOT NULL,
    used_ms     REAL NOT NULL,        -- of it
    overhead_ms REAL,                 -- what the server charged on top of our own time
    mode        TEXT NOT NULL,        -- normal, red, ponderhit, premove
    depth       INTEGER NOT NULL,
    nodes       INTEGER NOT NULL,
    score_cp    INTEGER,              -- for us, centipawns
    score_mate  INTEGER,              -- moves to mate, negative when we are mated
    source      TEXT NOT NULL,        -- search, book, tablebase, …
    PRIMARY KEY (game, ply)
) STRICT, WITHOUT ROWID;

-- What was learnt of the way to a server.
CREATE TABLE priors (
    server    TEXT PRIMARY KEY,       -- its URL
    saved_at  TEXT NOT NULL,
    estimator TEXT NOT NULL           -- JSON, times in nanoseconds
) STRICT, WITHOUT ROWID;
