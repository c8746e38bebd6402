package systemd_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const program = "/usr/local/bin/zeitnot"

func unit(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("zeitnot.service")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// The program need not be installed for the test: any that exists takes its place.
func TestUnitVerifiesWithoutAMessage(t *testing.T) {
	analyze, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Skip("needs systemd-analyze, which is not installed")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	text := unit(t)
	if !strings.Contains(text, "ExecStart="+program+" run ") {
		t.Fatalf("the unit does not start %s", program)
	}
	path := filepath.Join(t.TempDir(), "zeitnot.service")
	if err := os.WriteFile(path, []byte(strings.ReplaceAll(text, program, self)), 0o644); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(analyze, "verify", path).CombinedOutput()
	if err != nil || len(out) > 0 {
		t.Errorf("got %v with the message:\n%s", err, out)
	}
}

// A service must not be started again and again for what only its owner can mend.
func TestUnitDoesNotRestartForTheOwnersFaults(t *testing.T) {
	if want := "\nRestartPreventExitStatus=64 77 78\n"; !strings.Contains(unit(t), want) {
		t.Errorf("the unit has no line %q", strings.TrimSpace(want))
	}
}

// Every restriction says what it is for: a comment above it, or above the lines it is
// grouped with.
func TestEveryRestrictionHasItsReason(t *testing.T) {
	_, restrictions, found := strings.Cut(unit(t), "\n# --- ")
	_, restrictions, _ = strings.Cut(restrictions, "\n")
	if !found {
		t.Fatal("the unit has no section of restrictions")
	}
	explained := false
	for line := range strings.SplitSeq(restrictions, "\n") {
		switch {
		case line == "":
			explained = false
		case strings.HasPrefix(line, "#"):
			explained = true
		case strings.HasPrefix(line, "["):
			return
		case !explained:
			t.Errorf("%s: no reason given", line)
		}
	}
}
