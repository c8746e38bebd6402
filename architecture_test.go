// Package zeitnot holds no code, only the test of how the packages below depend on each
// other.
package zeitnot

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// layer is what the packages of one folder, and of the folders below it that have no layer
// of their own, may import.
type layer struct {
	// folder is the path below the module; the longest that fits counts.
	folder string
	// ours are folders of the module whose packages may be imported.
	ours []string
	// standardOnly forbids the modules of others.
	standardOnly bool
}

// layers point down only: the parts that know most stand last.
var layers = []layer{
	{folder: "config"},
	{folder: "systemd", standardOnly: true},
	{folder: "clock", standardOnly: true},
	{folder: "plot", standardOnly: true},
	{folder: "leaktest"},
	{folder: "child"},
	{folder: "clock/clocksim", ours: []string{"clock", "engine/pgn", "engine/position", "plot"}},
	{folder: "engine/position", standardOnly: true},
	{folder: "engine", ours: []string{"engine"}},
	{folder: "engine/uci", ours: []string{"engine", "child"}},
	{folder: "lichess"},
	{folder: "lichess/sandbox", ours: []string{"lichess", "engine/position"}},
	{folder: "lichess/sandbox/guest", ours: []string{"child"}},
	{folder: "lichess/sandbox/measure", ours: []string{"lichess/sandbox", "engine/position", "plot"}},
	{folder: "bot", ours: []string{"bot", "lichess", "engine", "clock"}},
	{folder: "cmd", ours: []string{"config", "systemd", "clock", "engine", "lichess", "bot", "cmd"}},
}

// strangers are packages that a layer may not import although their folder is allowed.
var strangers = map[string][]string{
	"engine": {"engine/enginetest"},
	"bot":    {"lichess/sandbox", "clock/clocksim", "engine/enginetest"},
	"cmd":    {"engine/enginetest"},
}

// owned are modules of others that one package of ours keeps to itself.
var owned = map[string]string{"modernc.org": "bot/record"}

func within(pkg, folder string) bool { return pkg == folder || strings.HasPrefix(pkg, folder+"/") }

// layerOf finds the layer of a package, the most special one.
func layerOf(pkg string) (found layer, ok bool) {
	for _, l := range layers {
		if within(pkg, l.folder) && len(l.folder) >= len(found.folder) {
			found, ok = l, true
		}
	}
	return found, ok
}

// fault says why one import of a package is wrong; empty if it is right.
func (l layer) fault(pkg, imported string) string {
	own, isOurs := strings.CutPrefix(imported, "zeitnot/")
	owner, isOwned := owned[strings.Split(imported, "/")[0]]
	switch {
	case isOwned && pkg != owner:
		return "is for " + owner + " only"
	case isOurs:
		allowed := func(folder string) bool { return within(own, folder) }
		if !slices.ContainsFunc(l.ours, allowed) && own != pkg {
			return "is not below it"
		}
		if slices.ContainsFunc(strangers[l.folder], allowed) {
			return "is for tests and tools"
		}
	case l.standardOnly && strings.Contains(strings.Split(imported, "/")[0], "."):
		return "is not in the standard library"
	}
	return ""
}

// sourceFiles are the files of all packages, without tests and tools.
func sourceFiles(t *testing.T) []string {
	t.Helper()
	var files []string
	err := filepath.WalkDir(".", func(file string, d fs.DirEntry, err error) error {
		name := d.Name()
		switch {
		case err != nil:
			return err
		case d.IsDir() && file != "." && (name[0] == '.' || name[0] == '_' || name == "testdata" || name == "tools"):
			return fs.SkipDir
		case !d.IsDir() && strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go"):
			files = append(files, file)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Fatal("there are no files")
	}
	return files
}

func TestImportsPointDownOnly(t *testing.T) {
	for _, file := range sourceFiles(t) {
		pkg := path.Dir(filepath.ToSlash(file))
		l, ok := layerOf(pkg)
		if !ok {
			t.Errorf("%s: the package is in no layer", file)
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, spec := range parsed.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			if fault := l.fault(pkg, imported); fault != "" {
				t.Errorf("%s imports %s, which %s", file, imported, fault)
			}
			if spec.Name != nil && spec.Name.Name == "_" && imported != "embed" {
				t.Errorf("%s imports %s for its side effects", file, imported)
			}
			if spec.Name != nil && spec.Name.Name == "." {
				t.Errorf("%s imports the names of %s into its own", file, imported)
			}
		}
	}
}

// The rules themselves, so that a change of the table cannot make them say nothing.
func TestLayersForbidWhatTheyShould(t *testing.T) {
	for _, wrong := range []struct{ pkg, imported string }{
		{"clock", "zeitnot/engine"},
		{"clock", "github.com/rs/zerolog"},
		{"clock/clocksim", "zeitnot/bot"},
		{"engine/position", "zeitnot/engine"},
		{"engine/position", "golang.org/x/sys/cpu"},
		{"engine", "zeitnot/clock"},
		{"engine/search", "zeitnot/clock"},
		{"engine/search", "zeitnot/lichess"},
		{"engine/uci", "zeitnot/bot"},
		{"engine/search", "zeitnot/engine/enginetest"},
		{"cmd/zeitnot", "zeitnot/engine/enginetest"},
		{"lichess", "zeitnot/engine/position"},
		{"lichess", "zeitnot/config"},
		{"lichess/sandbox", "zeitnot/engine/search"},
		{"lichess/sandbox", "zeitnot/bot"},
		{"bot", "zeitnot/config"},
		{"bot", "zeitnot/systemd"},
		{"bot", "zeitnot/lichess/sandbox"},
		{"bot/record", "zeitnot/cmd/zeitnot"},
		{"bot", "modernc.org/sqlite"},
		{"cmd/zeitnot", "modernc.org/sqlite"},
		{"config", "zeitnot/lichess"},
		{"systemd", "zeitnot/config"},
		{"systemd", "github.com/rs/zerolog"},
	} {
		l, ok := layerOf(wrong.pkg)
		if !ok || l.fault(wrong.pkg, wrong.imported) == "" {
			t.Errorf("%s may import %s", wrong.pkg, wrong.imported)
		}
	}
	for _, right := range []struct{ pkg, imported string }{
		{"clock", "math"},
		{"engine/search", "zeitnot/engine/position"},
		{"engine/search", "zeitnot/engine"},
		{"engine", "zeitnot/engine/position"},
		{"lichess", "golang.org/x/time/rate"},
		{"lichess/sandbox", "zeitnot/lichess"},
		{"bot", "zeitnot/clock"},
		{"bot", "zeitnot/engine/position"},
		{"bot", "zeitnot/bot/record"},
		{"bot/record", "modernc.org/sqlite/lib"},
		{"cmd/zeitnot", "zeitnot/lichess/sandbox"},
	} {
		l, ok := layerOf(right.pkg)
		if fault := l.fault(right.pkg, right.imported); !ok || fault != "" {
			t.Errorf("%s may not import %s: %s", right.pkg, right.imported, fault)
		}
	}
}

// The README's list of rooms names every package, and no folder that is not there.
func TestReadmeNamesEveryPackage(t *testing.T) {
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, list, found := strings.Cut(string(text), "## Where things are\n")
	if !found {
		t.Fatal("README.md has no list of where things are")
	}
	named := map[string]bool{}
	for line := range strings.Lines(list) {
		if !strings.HasPrefix(line, "    ") {
			continue
		}
		for word := range strings.FieldsSeq(line) {
			folder, ok := strings.CutSuffix(word, "/")
			if !ok {
				continue
			}
			named[folder] = true
			if info, err := os.Stat(folder); err != nil || !info.IsDir() {
				t.Errorf("README.md names the folder %s, which is not there", word)
			}
		}
	}
	for _, file := range sourceFiles(t) {
		if pkg := path.Dir(filepath.ToSlash(file)); !named[pkg] {
			named[pkg] = true
			t.Errorf("README.md does not name %s", pkg)
		}
	}
}
