package mapping

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"tracecheck/internal/yamldoc"
	"tracecheck/trace"
)

// eventKeys are the members of an event, in the order in which they are
// written.
var eventKeys = []string{"stream", "seq", "time", "tx", "kind", "op", "id", "actor", "action", "object"}

// event makes one event of a line.
type event struct {
	line    int
	members []field // in the order of eventKeys
	tx      bool    // the members have one
}

// draft has the values of an event that were read so far, by key.
type draft map[string]*yaml.Node

// with returns the draft with further pairs. null removes a key.
func (d draft) with(list []yamldoc.Pair) draft {
	out := draft{}
	for key, n := range d {
		out[key] = n
	}
	for _, m := range list {
		if slices.Contains(eventKeys, m.Name) {
			if out[m.Name] = m.Value; m.Value.ShortTag() == "!!null" {
				delete(out, m.Name)
			}
		}
	}
	return out
}

// event compiles a draft. n is its place in the file.
func (p *parser) event(n *yaml.Node, d draft) event {
	e := event{line: n.Line}
	faults := p.Faults()
	for _, key := range eventKeys {
		m := d[key]
		if m == nil {
			continue
		}
		var v value
		if key == "object" && m.Kind == yaml.MappingNode && !p.isLong(m) {
			v = value{what: key, path: -1, object: true, fields: p.objectFields(m)}
		} else {
			v = p.value(m, key)
		}
		if key == "kind" && v.optional {
			p.Fault(m, "kind cannot be optional: every event has one")
		}
		e.tx = e.tx || key == "tx"
		e.members = append(e.members, field{key: jsonKey(key), value: v})
	}
	if p.Faults() == faults {
		p.try(n, &e)
	}
	return e
}

// isLong reports whether a mapping is a value's long form. No field has one of these
// names, so this is unambiguous.
func (p *parser) isLong(n *yaml.Node) bool {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if slices.Contains(sourceKeys, n.Content[i].Value) {
			return true
		}
	}
	return false
}

func (p *parser) objectFields(n *yaml.Node) []field {
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		w := Warning{key.Line, "no spec reads a field " + key.Value + " of any object: it will only be shown"}
		for _, hint := range trace.Misnamed(`{"object":{` + string(jsonKey(key.Value)) + `0}}`) {
			_, meant, _ := strings.Cut(hint, "ignored: ")
			w.Text += "; " + meant
		}
		if !trace.KnowsField(key.Value) {
			p.warn(w)
		}
	}
	return p.fields(n, "object")
}

// examples replace values that depend on the line.
var examples = map[string]string{"kind": `"meta"`, "op": `"update"`, "id": `"x"`}

// try decodes the event without a line, to find errors early. It uses the constants, and
// examples for the rest.
func (p *parser) try(n *yaml.Node, e *event) {
	text := []byte{'{'}
	for i := range e.members {
		key := e.members[i].key
		example := []byte(examples[string(key[1:len(key)-2])])
		if c := e.members[i].value.constant; c != nil {
			example = c
		}
		if len(example) > 0 {
			if len(text) > 1 {
				text = append(text, ',')
			}
			text = append(append(text, key...), example...)
		}
	}
	var d trace.Decoder
	var ev trace.Event
	if err := d.Decode(append(text, '}'), trace.Pos{}, &ev); err != nil {
		p.Fault(n, "such an event is invalid: %v", err)
	}
}
