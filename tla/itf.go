package tla

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// document is a behaviour in the Informal Trace Format.
type document struct {
	Meta   documentMeta                 `json:"#meta"`
	Vars   []string                     `json:"vars"`
	States []map[string]json.RawMessage `json:"states"`
}

// documentMeta has what a trace's meta line says; other tools write other things
// there.
type documentMeta struct {
	Format      string                     `json:"format,omitempty"`
	Description string                     `json:"description,omitempty"`
	Spec        string                     `json:"spec,omitempty"`
	Steps       string                     `json:"steps,omitempty"`
	Instance    string                     `json:"instance,omitempty"` // the worker or namespace that the behaviour is of
	Constants   map[string]json.RawMessage `json:"constants,omitempty"`
}

// stateMeta says where in a trace a state is made.
type stateMeta struct {
	Index int    `json:"index"`
	File  string `json:"file,omitempty"`
	Line  int    `json:"line,omitempty"`
	Time  string `json:"time,omitempty"`

	// Anew are objects that the step deletes and makes anew: "task t1".
	Anew []string `json:"anew,omitempty"`
}

// topKeys are the members that a document may begin with.
var topKeys = []string{"#meta", "params", "vars", "loop", "states"}

// IsITF looks at the beginning of an input: whether it is a document, and
// whether that can be told yet.
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

// readDocument reads the whole of a document. Its states are in order.
func readDocument(r io.Reader) (*document, []map[string]value, error) {
	var doc document
	var top struct {
		Meta   json.RawMessage              `json:"#meta"`
		Vars   []string                     `json:"vars"`
		States []map[string]json.RawMessage `json:"states"`
	}
	d := json.NewDecoder(r)
	if err := d.Decode(&top); err != nil {
		return nil, nil, fmt.Errorf("the input is no ITF document: %w", err)
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, nil, fmt.Errorf("the input goes on after the ITF document")
	}
	if top.States == nil {
		return nil, nil, fmt.Errorf(`the ITF document has no "states"`)
	}
	doc.Vars, doc.States = top.Vars, top.States
	if json.Unmarshal(top.Meta, &doc.Meta) != nil {
		doc.Meta = documentMeta{} // another tool's
	}
	states := make([]map[string]value, len(top.States))
	for i, raw := range top.States {
		states[i] = map[string]value{}
		for name, v := range raw {
			if name == "#meta" {
				continue
			}
			var err error
			if states[i][name], err = decode(v); err != nil {
				return nil, nil, fmt.Errorf("state %d: %s: %w", i+1, name, err)
			}
		}
	}
	return &doc, states, nil
}

// decode reads one value.
func decode(raw json.RawMessage) (value, error) {
	switch trimmed := bytes.TrimSpace(raw); {
	case len(trimmed) == 0:
		return value{}, fmt.Errorf("there is no value")
	case trimmed[0] == '[':
		items, err := decodeAll(trimmed)
		return sequence(items...), err
	case trimmed[0] == '{':
		return decodeObject(trimmed)
	case trimmed[0] == '"':
		var s string
		err := json.Unmarshal(trimmed, &s)
		return str(s), err
	case string(trimmed) == "true", string(trimmed) == "false":
		return value{kind: aBoolean, text: string(trimmed)}, nil
	case string(trimmed) == "null":
		return value{}, fmt.Errorf("null is no value of TLA+")
	default:
		return number(string(trimmed))
	}
}

// number is an integer: TLA+ has others, but no variable of the specs.
func number(text string) (value, error) {
	digits := strings.TrimPrefix(text, "-")
	if digits == "" || strings.Trim(digits, "0123456789") != "" {
		return value{}, fmt.Errorf("%s is no integer", text)
	}
	return value{kind: anInteger, text: text}, nil
}

func decodeAll(raw json.RawMessage) ([]value, error) {
	var list []json.RawMessage
	if err := json.Unmarshal(raw, &list); err != nil {
		return nil, err
	}
	items := make([]value, len(list))
	for i := range list {
		var err error
		if items[i], err = decode(list[i]); err != nil {
			return nil, err
		}
	}
	return items, nil
}

func decodeObject(raw json.RawMessage) (value, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.Token() // the brace
	v := value{kind: aRecord}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return v, err
		}
		var member json.RawMessage
		if err := d.Decode(&member); err != nil {
			return v, err
		}
		switch name := key.(string); name {
		case "#bigint":
			var text string
			if err := json.Unmarshal(member, &text); err != nil {
				text = string(member)
			}
			return number(text)
		case "#set":
			items, err := decodeAll(member)
			return set(items...), err
		case "#tup":
			items, err := decodeAll(member)
			return sequence(items...), err
		case "#map":
			return decodeMap(member)
		case "#unserializable":
			return value{}, fmt.Errorf("a value that cannot be told in ITF: %s", member)
		default:
			item, err := decode(member)
			if err != nil {
				return v, fmt.Errorf("%s: %w", name, err)
			}
			v.names, v.items = append(v.names, name), append(v.items, item)
		}
	}
	return v, nil
}

func decodeMap(raw json.RawMessage) (value, error) {
	var pairs [][]json.RawMessage
	if err := json.Unmarshal(raw, &pairs); err != nil {
		return value{}, err
	}
	f := function()
	for _, p := range pairs {
		if len(p) != 2 {
			return f, fmt.Errorf("an entry of a #map has %d elements, not a key and a value", len(p))
		}
		key, err := decode(p[0])
		if err != nil {
			return f, err
		}
		item, err := decode(p[1])
		if err != nil {
			return f, err
		}
		f.put(key, item)
	}
	return f, nil
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
