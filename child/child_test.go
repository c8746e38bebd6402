package child_test

import (
	"os/exec"
	"runtime"
	"strings"
	"testing"

	"zeitnot/child"
	"zeitnot/leaktest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

func TestAProgramThatIsNotThereIsAnError(t *testing.T) {
	if p, err := child.Start(exec.Command("./nothing")); err == nil || p != nil {
		t.Errorf("got %v, %v; want an error alone", p, err)
	}
}

func TestWhatAProgramLeavesBehindEndsWithIt(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("process groups are used on Linux only")
	}
	for name, c := range map[string]struct {
		line  string
		end   func(*child.Process)
		state string
	}{
		"by itself":  {"sleep 1000 & exit 3", func(*child.Process) {}, "exit status 3"},
		"terminated": {"sleep 1000 & wait", (*child.Process).Terminate, "signal: terminated"},
		"killed":     {"trap '' TERM; sleep 1000 & wait", (*child.Process).Kill, "signal: killed"},
	} {
		var out child.Tail
		cmd := exec.Command("sh", "-c", c.line)
		cmd.Stdout = &out // held open by what is left behind: the end of that is the end of the output
		p, err := child.Start(cmd)
		if err != nil {
			t.Fatal(err)
		}
		c.end(p)
		<-p.Ended()
		if got := p.State(); got != c.state {
			t.Errorf("%s: got %s, want %s", name, got, c.state)
		}
		p.Terminate() // nobody is there any more
		p.Kill()
	}
}

func TestATailKeepsTheEnd(t *testing.T) {
	var tail child.Tail
	for _, text := range []string{"begin", strings.Repeat("a", 5000), strings.Repeat("b", 4000), "end"} {
		if n, err := tail.Write([]byte(text)); n != len(text) || err != nil {
			t.Errorf("got %d, %v; want all to be taken", n, err)
		}
	}
	if got, want := tail.String(), strings.Repeat("a", 93)+strings.Repeat("b", 4000)+"end"; got != want {
		t.Errorf("got %d bytes, from %q to %q", len(got), got[:3], got[len(got)-3:])
	}
}
