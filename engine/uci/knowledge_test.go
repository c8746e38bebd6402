package uci_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// reader is an engine with a book and tables.
type reader struct {
	stub
	told []string
}

func (r *reader) SetOwnBook(on bool) error {
	r.told = append(r.told, fmt.Sprint("own ", on))
	return nil
}

func (r *reader) SetBookFile(path string) error {
	r.told = append(r.told, "book "+path)
	if path == "broken" {
		return errors.New("no book")
	}
	return nil
}

func (r *reader) SetSyzygyPath(folders string) error {
	r.told = append(r.told, "tables "+folders)
	return nil
}

func TestBookAndTablesAreOfferedByEnginesThatHaveThem(t *testing.T) {
	want := []string{
		"option name OwnBook type check default false",
		"option name BookFile type string default <empty>",
		"option name SyzygyPath type string default <empty>",
	}
	offered := func(lines []string) []string {
		return slices.DeleteFunc(only(lines, "option"), func(l string) bool { return !slices.Contains(want, l) })
	}
	if diff := cmp.Diff(want, offered(script(t, newServer(&reader{}), "uci"))); diff != "" {
		t.Errorf("options (-want +got):\n%s", diff)
	}
	if got := offered(script(t, newServer(&stub{}), "uci")); len(got) != 0 {
		t.Errorf("an engine without book and tables offers %q", got)
	}
}

func TestBookAndTableOptionsReachTheEngine(t *testing.T) {
	r := &reader{}
	got := script(t, newServer(r),
		"setoption name OwnBook value true", "setoption name bookfile value /my books/a.bin", "setoption name BookFile value <empty>",
		"setoption name BookFile value broken", "setoption name SyzygyPath value /a:/b", "setoption name SyzygyPath value",
		"setoption name OwnBook value perhaps")
	want := []string{"own true", "book /my books/a.bin", "book ", "book broken", "tables /a:/b", "tables "}
	if diff := cmp.Diff(want, r.told); diff != "" {
		t.Errorf("the engine was told (-want +got):\n%s", diff)
	}
	complaints := []string{
		"info string option BookFile is unchanged: no book",
		`info string option OwnBook is unchanged: "perhaps" is neither true nor false`,
	}
	if diff := cmp.Diff(complaints, got); diff != "" {
		t.Errorf("complaints (-want +got):\n%s", diff)
	}
}
