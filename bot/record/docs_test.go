package record_test

import (
	"os"
	"regexp"
	"testing"

	"zeitnot/bot/record"
)

// The commands that the documentation gives do what it says.
func TestDocumentedStatementsWork(t *testing.T) {
	text, err := os.ReadFile("../../docs/operations.md")
	if err != nil {
		t.Fatal(err)
	}
	statements := regexp.MustCompile(`(?s)(?:-cmd "\.timeout (\d+)" )?zeitnot\.db "(.*?)"`).FindAllSubmatch(text, -1)
	if len(statements) < 5 {
		t.Fatalf("statements in the documentation: got %d, want at least 5", len(statements))
	}
	t.Chdir(t.TempDir())
	s := open(t, "zeitnot.db")
	defer s.Close()
	s.GameStarted(blitz("abcd1234")) // of some year, which a DELETE may reach
	s.GameEnded(record.End{Game: "abcd1234", At: noon, Outcome: record.Loss, Status: "outoftime"})
	for _, statement := range statements { // while the store is open and may be writing
		wait := "0" // as sqlite3 waits without the option
		if len(statement[1]) > 0 {
			wait = string(statement[1])
		}
		change(t, "zeitnot.db", "PRAGMA busy_timeout = "+wait+";"+string(statement[2]))
	}
	if info, err := os.Stat("copy.db"); err != nil || info.Size() == 0 {
		t.Errorf("copy: got %v, %v; want a file", info, err)
	}
}
