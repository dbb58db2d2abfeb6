package trace

import (
	"fmt"
	"strings"

	"github.com/tidwall/gjson"
)

// Meta is the content of a meta line. It owns its bytes. Zero fields are
// absent.
type Meta struct {
	Specs     []string
	Steps     string // "atomic" or "batched"
	Profile   string
	Constants map[string]string // each constant's value as raw JSON
}

// ParseMeta parses a meta line. It checks the format and types of the fields.
// The judge checks the names of specs, profiles and constants. An error is a
// *Error.
func ParseMeta(ev *Event) (Meta, error) {
	var m Meta
	var bad string
	fail := func(format string, args ...any) bool {
		bad = fmt.Sprintf(format, args...)
		return false
	}
	ev.Object().ForEach(func(key, value gjson.Result) bool {
		if value.Type == gjson.Null {
			return true
		}
		switch key.Str {
		case "format":
			if v := valueOf(&value); v.Type != Int || v.Int != 1 {
				return fail("this is format %s; tracecheck reads format 1", value.Raw)
			}
		case "spec":
			if !value.IsArray() {
				return fail(`meta: "spec" must be an array of names, not %s`, value.Raw)
			}
			m.Specs = nil
			for _, s := range value.Array() {
				if s.Type != gjson.String {
					return fail(`meta: "spec" must be an array of names, not %s`, value.Raw)
				}
				m.Specs = append(m.Specs, strings.Clone(s.Str))
			}
		case "steps":
			if value.Str != "atomic" && value.Str != "batched" {
				return fail(`meta: "steps" must be "atomic" or "batched", not %s`, value.Raw)
			}
			m.Steps = strings.Clone(value.Str)
		case "profile":
			if value.Type != gjson.String {
				return fail(`meta: "profile" must be a string, not %s`, value.Raw)
			}
			m.Profile = strings.Clone(value.Str)
		case "constants":
			if !value.IsObject() {
				return fail(`meta: "constants" must be an object, not %s`, value.Raw)
			}
			m.Constants = map[string]string{}
			value.ForEach(func(k, v gjson.Result) bool {
				if v.Type != gjson.Null {
					m.Constants[strings.Clone(k.Str)] = strings.Clone(v.Raw)
				}
				return true
			})
		}
		return true
	})
	if bad != "" {
		return Meta{}, &Error{Pos: ev.Pos, Stream: ev.Stream, Reason: bad}
	}
	return m, nil
}
