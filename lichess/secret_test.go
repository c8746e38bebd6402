package lichess_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"zeitnot/lichess"
)

func TestTokensAreTrimmed(t *testing.T) {
	for text, want := range map[string]string{
		"lip_abc": "lip_abc", "lip_abc\r\n": "lip_abc", " \tlip_abc\n\n": "lip_abc", "": "", " \n": "",
		strings.Repeat("a", 512): strings.Repeat("a", 512), strings.Repeat("b", 4096): strings.Repeat("b", 4096),
	} {
		s, err := lichess.NewSecret(text)
		if err != nil || s.Reveal() != want || s.IsZero() != (want == "") {
			t.Errorf("%q: got %q (zero %v), %v", text, s.Reveal(), s.IsZero(), err)
		}
	}
}

func TestTokensThatFitNoHeaderAreRefused(t *testing.T) {
	for text, want := range map[string]string{
		"lip_a\nbc": "control character 0x0a at place 6 of 8", "lip_a\x00": "control character", "lip_\x7f_": "control character",
		"lip a": "blank at place 4", "lip_é": "non-ASCII", strings.Repeat("x", 8193): "longer than",
	} {
		_, err := lichess.NewSecret(text)
		wantError(t, err, want)
		if err != nil && strings.Contains(err.Error(), text) {
			t.Errorf("error repeats the token: %v", err)
		}
	}
}

func TestSecretsPrintAsStars(t *testing.T) {
	s := secret(t, testToken)
	type holder struct {
		Open   lichess.Secret
		hidden lichess.Secret
		inner  *struct{ s lichess.Secret }
	}
	h := holder{s, s, &struct{ s lichess.Secret }{s}}
	var printed strings.Builder
	for _, format := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d", "%T %v"} {
		args := []any{s, &s, h, &h, []lichess.Secret{s}, map[string]lichess.Secret{"a": s}, lichess.Options{Token: s}}
		for _, a := range args {
			fmt.Fprintf(&printed, format+"\n", a)
		}
	}
	j, err := json.Marshal(h)
	if err != nil {
		t.Fatal(err)
	}
	printed.Write(j)
	var log bytes.Buffer
	logger := zerolog.New(&log)
	logger.Info().Object("t", s).Interface("i", s).Stringer("s", s).Any("h", h).Msg("")
	printed.Write(log.Bytes())

	hex := fmt.Sprintf("%x", testToken)
	for _, bad := range []string{testToken, "TESTTOKEN", hex} {
		if strings.Contains(printed.String(), bad) {
			t.Errorf("%q was printed:\n%s", bad, printed.String())
		}
	}
	if got := fmt.Sprint(s); got != "***" {
		t.Errorf("got %q, want ***", got)
	}
	if !strings.Contains(log.String(), `"s":"***","h":{"Open":"***"}`) {
		t.Errorf("log has no ***: %s", log.String())
	}
}
