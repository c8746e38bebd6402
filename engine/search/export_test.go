package search

// BenchFENs are the positions of the bench.
var BenchFENs = benchFENs
