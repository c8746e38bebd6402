package config

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/kelseyhightower/envconfig"
)

// Need is something that a command cannot do without.
type Need int

// What can be needed.
const (
	NeedToken Need = iota
	NeedStateDir
)

// testData names a folder that only tests read; it is no setting.
const testData = Prefix + "_TESTDATA"

// maxEnvFile is beyond any env file.
const maxEnvFile = 1 << 20

// Load reads the settings: the environment over the file over the defaults. An empty
// envFile is no file. The error is of type Faults and names everything that is wrong.
func Load(envFile string, needs ...Need) (*Config, error) {
	c := &Config{}
	all := settings(c)
	known := names(all)

	file := map[string]entry{}
	var faults Faults
	if envFile != "" {
		entries, wrong := readEnvFile(envFile)
		faults = append(faults, wrong...)
		for _, e := range entries {
			file[e.name] = e
			if !slices.Contains(known, e.name) && e.name != foreignToken {
				f := unknown(e.name, known)
				f.File, f.Line = envFile, e.line
				faults = append(faults, f)
			}
		}
	}
	faults = append(faults, unknownInEnvironment(known)...)

	broken := map[string]bool{}
	report := func(f Fault) {
		if e, fromFile := file[f.Name]; fromFile && !inEnvironment(f.Name) {
			f.File, f.Line = envFile, e.line
		}
		broken[f.Name] = true
		faults = append(faults, f)
	}
	for _, s := range all {
		var fromFile *string
		if e, ok := file[s.name]; ok {
			fromFile = &e.value
		}
		if f := s.read(fromFile); f != nil {
			report(*f)
		}
	}
	sound := slices.DeleteFunc(slices.Clone(all), func(s setting) bool { return broken[s.name] })
	for _, f := range crossed(sound) {
		report(f)
	}
	for _, f := range c.complete(all, broken) {
		report(f)
	}

	given := func(name string) (string, bool) {
		if v, ok := os.LookupEnv(name); ok {
			return v, true
		}
		e, ok := file[name]
		return e.value, ok
	}
	if f := c.findToken(given); f != nil {
		report(*f)
	} else if c.Token.Empty() && slices.Contains(needs, NeedToken) {
		report(Fault{
			Name: Prefix + "_TOKEN", Problem: "no token: make one with the scope bot:play at " + cmp.Or(c.URL, "https://lichess.org") +
				"/account/oauth/token, then set it, " + Prefix + "_TOKEN_FILE or the systemd credential " + Credential,
		})
	}
	if c.StateDir == "" && slices.Contains(needs, NeedStateDir) && !broken[Prefix+"_STATE_DIR"] {
		report(Fault{
			Name: Prefix + "_STATE_DIR", Problem: "not set, and the user has no home folder to take for it",
			Allowed: "an absolute path", Example: "/var/lib/zeitnot",
		})
	}
	if len(faults) > 0 {
		for i := range faults {
			faults[i] = faults[i].without(c.Token, c.OnlineToken)
		}
		return nil, faults
	}
	return c, nil
}

func readEnvFile(path string) ([]entry, []Fault) {
	text, err := readFile(path, maxEnvFile)
	if err != nil {
		return nil, []Fault{{Name: "settings file " + path, Problem: err.Error()}}
	}
	entries, faults := parseEnvFile(text)
	for i := range faults {
		faults[i].File = path
	}
	return entries, faults
}

// unknownInEnvironment finds the names with our prefix that are no setting.
func unknownInEnvironment(known []string) []Fault {
	var faults []Fault
	for _, assignment := range os.Environ() {
		name, _, _ := strings.Cut(assignment, "=")
		ours := strings.HasPrefix(strings.ToUpper(name), Prefix+"_")
		if ours && name != testData && !slices.Contains(known, name) {
			faults = append(faults, unknown(name, known))
		}
	}
	slices.SortFunc(faults, func(a, b Fault) int { return cmp.Compare(a.Name, b.Name) })
	return faults
}

func unknown(name string, known []string) Fault {
	return Fault{Name: name, Problem: "there is no such setting", Nearest: nearest(name, known)}
}

func inEnvironment(name string) bool {
	_, ok := os.LookupEnv(name)
	return ok
}

// read fills the setting: from the environment, else from the file, else its default.
// envconfig does one setting at a time, since it stops at the first fault; what the file
// says takes the place of the default.
func (s setting) read(fromFile *string) *Fault {
	tag := string(s.field.Tag)
	if fromFile != nil {
		// The first of two equal keys counts.
		tag = "default:" + strconv.Quote(*fromFile) + " " + tag
	}
	holder := reflect.New(reflect.StructOf([]reflect.StructField{{
		Name: s.field.Name, Type: s.field.Type, Tag: reflect.StructTag(tag),
	}}))

	value, given := os.LookupEnv(s.name)
	if !given && fromFile != nil {
		value, given = *fromFile, true
	}
	if given && strings.TrimSpace(value) == "" && !s.takesEmpty() {
		return new(s.faultOf(value, "empty"))
	}
	err := envconfig.Process(s.prefix, holder.Interface())
	s.value.Set(holder.Elem().Field(0))
	if err != nil {
		return new(s.malformed(value, err))
	}
	if problem := s.problem(); problem != "" {
		return new(s.faultOf(value, problem))
	}
	return nil
}

// malformed is the fault of a value that does not even have the right form.
func (s setting) malformed(value string, err error) Fault {
	var problem string
	switch s.field.Type {
	case reflect.TypeFor[int]():
		problem = "not a whole number"
	case reflect.TypeFor[bool]():
		problem = "neither true nor false"
	case reflect.TypeFor[time.Duration]():
		problem = "not a duration with its unit"
	default:
		if parse := (*envconfig.ParseError)(nil); errors.As(err, &parse) {
			err = parse.Err
		}
		problem = err.Error()
	}
	return s.faultOf(value, problem)
}

// faultOf is a fault of this setting with the value as it was written.
func (s setting) faultOf(value, problem string) Fault {
	f := s.fault(problem)
	if s.tag("check") == "url" {
		value = userInURL.ReplaceAllString(value, "${1}"+Hidden+"@")
	}
	f.Value = &value
	return f
}

// userInURL matches all that may be the user name and password of a URL, also if it is none.
var userInURL = regexp.MustCompile(`(?s)^(\s*https?://)?.*@`)

// fault is a fault of this setting as it stands.
func (s setting) fault(problem string) Fault {
	f := Fault{Name: s.name, Problem: problem, Allowed: s.allowed(), Example: s.tag("example")}
	if !s.secret() {
		f.Value = new(s.text())
	}
	return f
}

// complete adds what is not written in the settings themselves: the lists in files and the
// folder for the state.
func (c *Config) complete(all []setting, broken map[string]bool) []Fault {
	var faults []Fault
	for _, list := range []struct {
		file  string
		users *[]string
	}{{"BLOCK_FILE", &c.Block}, {"ALLOW_FILE", &c.Allow}} {
		s := all[slices.IndexFunc(all, func(s setting) bool { return s.name == Prefix+"_"+list.file })]
		if s.text() == "" {
			continue
		}
		users, problem := usersFrom(s.text())
		if problem != "" {
			faults = append(faults, s.fault(problem))
			broken[Prefix+"_ALLOW"] = true
			continue
		}
		*list.users = merge(*list.users, users)
	}
	if c.AllowOnly && len(c.Allow) == 0 && !broken[Prefix+"_ALLOW"] {
		faults = append(faults, Fault{
			Name: Prefix + "_ALLOW_ONLY", Value: new("true"), Problem: "nobody is on " + Prefix + "_ALLOW, so nobody could play",
			Allowed: "true with names on " + Prefix + "_ALLOW", Example: "false",
		})
	}
	if c.StateDir == "" {
		c.StateDir = defaultStateDir()
	}
	if c.BookLearn && c.Record == "off" && !broken[Prefix+"_RECORD"] {
		faults = append(faults, Fault{
			Name: Prefix + "_BOOK_LEARN", Value: new("true"), Problem: "without a record of own games there is nothing to learn from",
			Allowed: "true with " + Prefix + "_RECORD on or required", Example: "false",
		})
	}
	faults = append(faults, c.onlineFaults(broken)...)
	return append(faults, c.engineFaults(all, broken)...)
}

// onlineFaults are settings of the explorer without which it cannot be asked.
func (c *Config) onlineFaults(broken map[string]bool) []Fault {
	var faults []Fault
	if !slices.Contains(c.Online, "explorer") || broken[Prefix+"_ONLINE"] {
		return nil
	}
	if c.OnlineGames == "player" && c.OnlinePlayer == "" && !broken[Prefix+"_ONLINE_PLAYER"] {
		faults = append(faults, Fault{
			Name: Prefix + "_ONLINE_PLAYER", Problem: "not set, while " + Prefix + "_ONLINE_GAMES is player",
			Allowed: "a user name", Example: "alice",
		})
	}
	if token := strings.TrimSpace(c.OnlineToken.Reveal()); token != "" {
		if problem := tokenProblem(token); problem != "" {
			faults = append(faults, Fault{Name: Prefix + "_ONLINE_TOKEN", Problem: problem})
		}
		c.OnlineToken = NewSecret(token)
	}
	return faults
}

// engineFaults are settings that say nothing without, or nothing with, another engine.
func (c *Config) engineFaults(all []setting, broken map[string]bool) []Fault {
	if broken[Prefix+"_ENGINE"] {
		return nil
	}
	var faults []Fault
	for _, s := range all {
		given := s.text() != s.tag("default") && !broken[s.name]
		switch {
		case c.Engine == "" && strings.HasPrefix(s.name, Prefix+"_ENGINE_") && given:
			faults = append(faults, s.fault("there is no "+Prefix+"_ENGINE for which this could be"))
		case c.Engine != "" && s.field.Name == "LimitElo" && given:
			f := s.fault("is for the engine inside the program, not for " + Prefix + "_ENGINE")
			f.Allowed = "empty; many engines have the options UCI_LimitStrength and UCI_Elo"
			f.Example = ""
			faults = append(faults, f)
		}
	}
	return faults
}

// defaultStateDir is the folder that the service manager made for us, else the user's;
// empty when there is neither.
func defaultStateDir() string {
	if dirs := os.Getenv("STATE_DIRECTORY"); dirs != "" {
		first, _, _ := strings.Cut(dirs, ":")
		return first
	}
	if dir := os.Getenv("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "zeitnot")
	}
	home := os.Getenv("HOME")
	if u, err := user.Current(); home == "" && err == nil {
		home = u.HomeDir
	}
	if !filepath.IsAbs(home) {
		return ""
	}
	return filepath.Join(home, ".local", "state", "zeitnot")
}

// reason is a file error without operation and path.
func reason(err error) error {
	if pathErr := (*fs.PathError)(nil); errors.As(err, &pathErr) {
		return pathErr.Err
	}
	return err
}
