//go:build race

package bot_test

// underRace: the race detector makes searches ten times slower.
const underRace = true
