package config

import (
	"encoding"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// setting is one leaf of Config: a name in the environment and the field behind it.
type setting struct {
	name   string // with the prefix
	prefix string // what the name has before the field's own words, for envconfig
	who    string // whom the settings of one group are about
	field  reflect.StructField
	value  reflect.Value
}

// settings lists the leaves of a Config in their order.
func settings(c *Config) []setting { return leaves(reflect.ValueOf(c).Elem(), Prefix, "") }

func leaves(group reflect.Value, prefix, who string) []setting {
	var all []setting
	for i := range group.NumField() {
		f := group.Type().Field(i)
		if f.Tag.Get("ignored") == "true" {
			continue
		}
		name := prefix + "_" + words(f.Name)
		if f.Type.Kind() == reflect.Struct && f.Type != reflect.TypeFor[Secret]() {
			all = append(all, leaves(group.Field(i), name, f.Tag.Get("who"))...)
			continue
		}
		all = append(all, setting{name: name, prefix: prefix, who: who, field: f, value: group.Field(i)})
	}
	return all
}

// A word is capitals, or a capital and the small letters after it. envconfig splits the
// same way; a test holds the two together.
var word = regexp.MustCompile(`[A-Z]+[^A-Z]*`)

func words(field string) string {
	return strings.ToUpper(strings.Join(word.FindAllString(field, -1), "_"))
}

func names(all []setting) []string {
	list := make([]string, len(all))
	for i, s := range all {
		list[i] = s.name
	}
	return list
}

func (s setting) tag(key string) string { return s.field.Tag.Get(key) }

func (s setting) secret() bool { return s.field.Type == reflect.TypeFor[Secret]() }

// takesEmpty tells whether an empty value means something.
func (s setting) takesEmpty() bool {
	switch s.field.Type.Kind() {
	case reflect.String, reflect.Slice, reflect.Struct:
		return true
	}
	return false
}

// text is the value as an env file would give it.
func (s setting) text() string { return text(s.value) }

func text(v reflect.Value) string {
	switch x := v.Interface().(type) {
	case time.Duration:
		return durationText(x)
	case encoding.TextMarshaler:
		b, _ := x.MarshalText() // ours never fail
		return string(b)
	}
	switch v.Kind() {
	case reflect.String:
		return v.String()
	case reflect.Int:
		return strconv.FormatInt(v.Int(), 10)
	case reflect.Bool:
		return strconv.FormatBool(v.Bool())
	case reflect.Slice:
		items := make([]string, v.Len())
		for i := range items {
			items[i] = text(v.Index(i))
		}
		return strings.Join(items, ",")
	}
	panic("config: no text for a setting of type " + v.Type().String())
}

// durationText is 2h for 2h0m0s.
func durationText(d time.Duration) string {
	t := d.String()
	if strings.HasSuffix(t, "m0s") {
		t = strings.TrimSuffix(t, "0s")
	}
	if strings.HasSuffix(t, "h0m") {
		t = strings.TrimSuffix(t, "0m")
	}
	return t
}
