//go:build !race

package bot_test

const underRace = false
