package config

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

const (
	// Credential is the name of the systemd credential that may hold the token.
	Credential = "lichess_token"
	// foreignToken is the name other bots use; it is read when nothing else is there.
	foreignToken = "LICHESS_BOT_TOKEN"
	// maxToken is far beyond the longest token.
	maxToken = 4096
)

// findToken looks in one place after the other: the first that is set counts, and if it is
// no good the others are not asked.
func (c *Config) findToken(given func(name string) (string, bool)) *Fault {
	var raw, source string
	switch credential := credentialFile(); {
	case strings.TrimSpace(c.Token.Reveal()) != "":
		raw, source = c.Token.Reveal(), Prefix+"_TOKEN"
	case c.TokenFile != "":
		source = Prefix + "_TOKEN_FILE"
		text, err := readFile(c.TokenFile, maxToken)
		if err != nil {
			return &Fault{
				Name: source, Value: &c.TokenFile, Problem: err.Error(),
				Allowed: "a readable file", Example: "/etc/zeitnot/token",
			}
		}
		raw = string(text)
	case credential != "":
		source = "systemd credential " + Credential
		text, err := readFile(credential, maxToken)
		if err != nil {
			return &Fault{Name: source, Problem: err.Error()}
		}
		raw = string(text)
	default:
		if raw, _ = given(foreignToken); strings.TrimSpace(raw) == "" {
			c.Token = Secret{}
			return nil
		}
		source = foreignToken
	}
	token := strings.TrimSpace(raw)
	if problem := tokenProblem(token); problem != "" {
		return &Fault{Name: source, Problem: problem}
	}
	c.Token, c.TokenSource = NewSecret(token), source
	return nil
}

// credentialFile is the file of the systemd credential, or empty when there is none.
func credentialFile() string {
	dir := os.Getenv("CREDENTIALS_DIRECTORY")
	if dir == "" {
		return ""
	}
	path := filepath.Join(dir, Credential)
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return ""
	}
	return path
}

// tokenProblem says why a trimmed text cannot be a token; it never shows it.
func tokenProblem(token string) string {
	if token == "" {
		return "holds no token"
	}
	if len(token) > maxToken {
		return "is too long for a token"
	}
	for _, r := range token {
		switch {
		case r < ' ' || r == 0x7f:
			return "has a control character in the middle of the token, perhaps a second line"
		case r == ' ':
			return "has a blank in the middle of the token"
		case r > 0x7f:
			return "has a character in the token that is not plain ASCII"
		}
	}
	return ""
}
