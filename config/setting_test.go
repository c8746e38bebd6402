package config

import (
	"bytes"
	"os"
	"reflect"
	"testing"

	"github.com/kelseyhightower/envconfig"
)

// words must split names as envconfig does, which looks for them in the environment.
func TestNamesAreThoseOfEnvconfig(t *testing.T) {
	for _, s := range settings(&Config{}) {
		if s.tag("split_words") != "true" {
			t.Errorf("%s: without split_words envconfig looks for another name", s.name)
		}
		if s.tag("envconfig") != "" {
			t.Errorf("%s: an envconfig tag makes it read the bare name as well", s.name)
		}
		required := reflect.StructTag(`split_words:"true" required:"true"`)
		holder := reflect.New(reflect.StructOf([]reflect.StructField{{Name: s.field.Name, Type: s.field.Type, Tag: required}}))
		err := envconfig.Process(s.prefix, holder.Interface())
		if want := "required key " + s.name + " missing value"; err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// Every setting can be understood from the table: what it means, what it takes and an
// example that is allowed.
func TestEverySettingIsDescribed(t *testing.T) {
	for _, s := range settings(&Config{}) {
		t.Run(s.name, func(t *testing.T) {
			if s.meaning() == "" || (s.allowed() == "" && !s.secret()) || s.tag("example") == "" {
				t.Errorf("got meaning %q, allowed %q, example %q; want all three", s.meaning(), s.allowed(), s.tag("example"))
			}
			if fault := s.read(nil); fault != nil {
				t.Errorf("default: %v", fault)
			}
			if fault := s.read(new(s.tag("example"))); fault != nil {
				t.Errorf("example: %v", fault)
			}
		})
	}
}

func TestNearest(t *testing.T) {
	known := names(settings(&Config{}))
	for name, want := range map[string]string{
		"ZEITNOT_CONCURENCY":              "ZEITNOT_CONCURRENCY",
		"ZEITNOT_TOKNE":                   "ZEITNOT_TOKEN",
		"ZEITNOT_LOGLEVEL":                "ZEITNOT_LOG_LEVEL",
		"ZEITNOT_ACCEPT_HUMANS_SPEEDS":    "ZEITNOT_ACCEPT_HUMAN_SPEEDS",
		"zeitnot_listen":                  "ZEITNOT_LISTEN",
		"ZEITNOT_FOO":                     "",
		"ZEITNOT_":                        "",
		"PATH":                            "",
		"ZEITNOT_ACCEPT_BOT_MAX_INCREMNT": "ZEITNOT_ACCEPT_BOT_MAX_INCREMENT",
	} {
		if got := nearest(name, known); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
}

func TestDocumentationIsUpToDate(t *testing.T) {
	var want bytes.Buffer
	if err := WriteDocs(&want); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("../docs/configuration.md")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want.Bytes()) {
		t.Error("docs/configuration.md is not what `zeitnot config --docs` prints; run: go run ./cmd/zeitnot config --docs >docs/configuration.md")
	}
}
