// Package search is the engine's own searcher: iterative deepening over a principal
// variation search with a transposition table, a staged move picker and a quiescence
// search, by one thread or by several that share the table. It knows chess positions,
// limits and its own polled clock. It refuses to know what game it plays in: it never asks
// for a rating, an opponent or a time control, and without a deadline it does not read a
// clock at all.
package search
