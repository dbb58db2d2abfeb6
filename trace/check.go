package trace

import (
	"fmt"
	"unicode/utf8"

	"github.com/tidwall/gjson"
)

// CheckJSON says why a line, of a trace or of a foreign log, cannot be read, ""
// where it can: it is JSON, valid UTF-8 and not nested too deeply.
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

// CheckText says why a line is no text, "" where it is valid UTF-8.
func CheckText(line []byte) (reason string) {
	if utf8.Valid(line) {
		return ""
	}
	return notUTF8(line)
}

// KnowsField reports whether format 1 gives meaning to a field of that name, in
// the object of some kind.
func KnowsField(name string) bool { return fieldByName(name) != noField }
