package export

import (
	"bytes"
	"encoding/json"
	"strings"
)

// document is a behaviour in the Informal Trace Format.
type document struct {
	meta   documentMeta
	states []stateRead
}

// stateRead is one of a document's.
type stateRead struct {
	meta stateMeta
	vars map[string]value
}

// documentMeta has the contents of a trace's meta line; other tools write other things
// there.
type documentMeta struct {
	Format      string                     `json:"format,omitempty"`
	Description string                     `json:"description,omitempty"`
	Spec        string                     `json:"spec,omitempty"`
	Profile     string                     `json:"profile,omitempty"`
	Steps       string                     `json:"steps,omitempty"`
	Instance    string                     `json:"instance,omitempty"` // the worker or namespace that the behaviour is of
	Constants   map[string]json.RawMessage `json:"constants,omitempty"`
}

// stateMeta has the position in the trace at which a state was made.
type stateMeta struct {
	Index int    `json:"index"`
	File  string `json:"file,omitempty"`
	Line  int    `json:"line,omitempty"`
	Time  string `json:"time,omitempty"`

	Action string `json:"action,omitempty"` // that made it, if a bind file names it

	// Recreated are objects that the step deletes and creates: "task t1".
	Recreated []string `json:"recreated,omitempty"`
}

// topKeys are the members that a document may begin with.
var topKeys = []string{"#meta", "params", "vars", "loop", "states"}

// IsITF looks at the beginning of an input: whether it is a document, and
// whether that is known yet.
func IsITF(start []byte) (is, known bool) {
	rest := bytes.TrimLeft(bytes.TrimPrefix(start, []byte("\uFEFF")), " \t\r\n")
	if len(rest) == 0 {
		return false, false
	}
	if rest[0] != '{' {
		return false, true
	}
	rest = bytes.TrimLeft(rest[1:], " \t\r\n")
	for _, key := range topKeys {
		quoted := []byte(`"` + key + `"`)
		if bytes.HasPrefix(rest, quoted) {
			return true, true
		}
		if bytes.HasPrefix(quoted, rest) {
			return false, false
		}
	}
	return false, true
}

// appendITF appends the value in ITF.
func appendITF(b []byte, v value) []byte {
	list := func(before string, items []value, after string) {
		b = append(b, before...)
		for i, item := range items {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendITF(b, item)
		}
		b = append(b, after...)
	}
	switch v.kind {
	case anInteger:
		b = append(append(append(b, `{"#bigint":"`...), v.text...), `"}`...)
	case aBoolean:
		b = append(b, v.text...)
	case aSet:
		list(`{"#set":[`, v.items, "]}")
	case aSequence:
		if v.sort == isTuple {
			list(`{"#tup":[`, v.items, "]}")
		} else {
			list("[", v.items, "]")
		}
	case aRecord:
		b = append(b, '{')
		for i, item := range v.items {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(append(b, quoted(v.names[i])...), ':')
			b = appendITF(b, item)
		}
		b = append(b, '}')
	case aFunction:
		b = append(b, `{"#map":[`...)
		for i, item := range v.items {
			if i > 0 {
				b = append(b, ',')
			}
			list("[", []value{v.keys[i], item}, "]")
		}
		b = append(b, "]}"...)
	case aFormula:
		b = append(append(append(b, `{"#unserializable":`...), quoted(v.text)...), '}')
	default:
		b = append(b, quoted(v.text)...)
	}
	return b
}

// quoted is the text as a JSON string.
func quoted(s string) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.Encode(s) // a string always encodes
	return strings.TrimSuffix(b.String(), "\n")
}
