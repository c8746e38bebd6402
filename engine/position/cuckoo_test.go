package position

import "testing"

func TestEveryReversibleMoveHasItsPlace(t *testing.T) {
	found := 0
	for place, key := range reversibleKeys {
		if key == 0 {
			continue
		}
		found++
		if first, second := cuckooPlaces(key); place != first && place != second {
			t.Errorf("key %x lies at %d, want %d or %d", key, place, first, second)
		}
	}
	// The sum over knight, bishop, rook, queen and king of the pairs of squares that they
	// connect on an empty board, for both colours.
	if want := 2 * (168 + 280 + 448 + 728 + 210); found != want {
		t.Errorf("%d moves, want %d", found, want)
	}
}
