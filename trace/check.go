package trace

import (
	"fmt"
	"unicode/utf8"

	"github.com/tidwall/gjson"
)

// CheckJSON returns why a line of a trace or foreign log cannot be read, or "".
// It must be valid UTF-8 and JSON, and not nested too deeply.
func CheckJSON(line []byte) (reason string) {
	if reason := CheckText(line); reason != "" {
		return reason
	}
	switch {
	case tooDeep(line):
		return fmt.Sprintf("the line's arrays and objects nest deeper than %d", MaxDepth)
	case !gjson.ValidBytes(line):
		return "the line is not JSON: " + excerpt(line)
	}
	return ""
}

// CheckText returns why a line is not valid UTF-8, or "".
func CheckText(line []byte) (reason string) {
	if utf8.Valid(line) {
		return ""
	}
	return notUTF8(line)
}

// KnowsField reports whether format 1 defines a field of that name for some
// kind.
func KnowsField(name string) bool { return fieldByName(name) != noField }
