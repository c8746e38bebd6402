// Package lichess speaks the Lichess bot protocol: requests, NDJSON streams, typed errors,
// and the wire types. These can be written as well as read, so that tests see that no field
// of a line is lost.
//
// It speaks wire types only: moves are UCI strings, clocks are milliseconds, and it knows
// no rules of chess, no policy and no game loop. It retries nothing by itself: what may be
// repeated and how long to wait are two functions (Retryable, Backoff) for the caller.
//
// Absent, null and false differ on this wire. A field's comment says what its zero value
// means; pointers are used only where zero is a value of its own.
package lichess
