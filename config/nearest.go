package config

import "strings"

// nearest is the known name that a mistyped one was probably meant to be: the one with the
// fewest letters wrong, as long as that is no more than a third of them; else empty. The
// prefix, which all have, does not count.
func nearest(name string, known []string) string {
	const prefix = Prefix + "_"
	own := strings.TrimPrefix(strings.ToUpper(name), prefix)
	best, least := "", len(own)/3+1
	for _, k := range known {
		if d := distance(own, strings.TrimPrefix(k, prefix)); d < least {
			best, least = k, d
		}
	}
	return best
}

// distance counts the letters to insert, remove, replace or swap with their neighbour
// that make one name of the other.
func distance(a, b string) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		before, last, row = last, row, before
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(row[j-1]+1, last[j]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
	}
	return row[len(b)]
}
