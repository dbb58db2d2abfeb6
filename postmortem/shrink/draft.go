package shrink

import (
	"encoding/json"
	"strconv"

	"github.com/tidwall/gjson"

	"tracecheck/trace"
)

// draft is a trace that may become the result. Drafts share their units and
// lines, which do not change.
type draft struct {
	meta  meta
	units []*unit
	story *story // lines that must stay; nil: none
}

// unit is a step, or a run of snapshots.
type unit struct {
	number int       // the number of its transaction, if it has several lines
	tx     string    // raw JSON of its transaction's own name, where that is kept; "": it has its number
	origin int       // the number of its unit in the trace, from 1; 0: none
	last   trace.Pos // the last line of origin
	lines  []*line
}

// line is a line without its stream and seq.
type line struct {
	raw       string // as it is; "" where it is made of what follows
	event     trace.Event
	tx        string // with which event was made of the line
	made      bool
	kind      trace.Kind
	op        trace.Op
	id        string
	hasObject bool
	fields    []field // fields of the envelope come first
	stays     bool    // it belongs to the story
	parts     *line   // the same line with its fields; nil: not split yet
}

// field is a part of a line that can be removed.
type field struct {
	envelope bool
	name     string
	value    string // raw JSON
}

// meta is the first line.
type meta struct {
	spec, steps, profile string // "" is the default of each but spec
	stream               string
	constants            []field
	initially            map[trace.Kind]string // of the spec's objects, as in replay.Stream
	none                 bool                  // a log in another format has no meta line
}

func (m *meta) text() string {
	type object struct {
		Format    int             `json:"format"`
		Spec      []string        `json:"spec"`
		Profile   string          `json:"profile,omitempty"`
		Steps     string          `json:"steps,omitempty"`
		Constants json.RawMessage `json:"constants,omitempty"`
	}
	o := object{Format: 1, Spec: []string{m.spec}, Profile: m.profile, Steps: m.steps}
	if len(m.constants) > 0 {
		o.Constants = appendObject(nil, m.constants)
	}
	text, err := json.Marshal(struct {
		Stream string `json:"stream,omitempty"`
		Kind   string `json:"kind"`
		Object object `json:"object"`
	}{m.stream, trace.KindMeta.String(), o})
	if err != nil {
		panic("shrink: a meta line does not encode: " + err.Error()) // constants are JSON
	}
	return string(text)
}

func appendObject(b []byte, fields []field) []byte {
	b = append(b, '{')
	for i, f := range fields {
		if i > 0 {
			b = append(b, ',')
		}
		b = gjson.AppendJSONString(b, f.name)
		b = append(append(b, ':'), f.value...)
	}
	return append(b, '}')
}

// verbatim returns the event's line unchanged.
func verbatim(ev *trace.Event) *line {
	e := ev.Clone()
	return &line{raw: e.Raw, event: e, made: true, kind: e.Kind, op: e.Op, id: e.ID}
}

// decodedLine returns a line that was made of other lines.
func decodedLine(raw []byte) *line {
	var d trace.Decoder
	var ev trace.Event
	if err := d.Decode(raw, trace.Pos{}, &ev); err != nil {
		panic("shrink: a line does not decode: " + err.Error())
	}
	return verbatim(&ev)
}

// apart returns the line with its fields, without stream, seq and tx.
func (l *line) apart() *line {
	if l.raw == "" {
		return l
	}
	if l.parts != nil {
		return l.parts
	}
	part := &line{kind: l.kind, op: l.op, id: l.id, stays: l.stays}
	l.parts = part
	if l.kind == trace.KindLine {
		part.fields = leaves(gjson.Parse(l.raw), "")
		return part
	}
	var object []field
	gjson.Parse(l.raw).ForEach(func(key, value gjson.Result) bool {
		switch key.Str {
		case "time", "actor", "action":
			part.fields = set(part.fields, field{true, key.Str, value.Raw})
		case "object":
			part.hasObject, object = value.IsObject(), nil // the last one counts
			value.ForEach(func(key, value gjson.Result) bool {
				object = set(object, field{false, key.Str, value.Raw})
				return true
			})
		}
		return true
	})
	part.fields = append(part.fields, object...)
	return part
}

// set keeps the last value of a key.
func set(fields []field, f field) []field {
	for i := range fields {
		if fields[i].name == f.name {
			fields[i] = f
			return fields
		}
	}
	return append(fields, f)
}

// without returns the line without the fields for which keep is false.
func (l *line) without(keep func(i int) bool) *line {
	less := &line{kind: l.kind, op: l.op, id: l.id, hasObject: l.hasObject, stays: l.stays}
	for i := range l.fields {
		if keep(i) {
			less.fields = append(less.fields, l.fields[i])
		}
	}
	return less
}

// object returns the object of the line.
func (l *line) object() objectKey { return objectKey{l.kind, l.id} }

// text returns the line with the transaction tx; "": none.
func (l *line) text(tx string) string {
	if l.raw != "" {
		return l.raw
	}
	if l.kind == trace.KindLine {
		return joined(l.fields)
	}
	var b []byte
	member := func(name, value string) {
		if b = append(b, ','); len(b) == 1 {
			b[0] = '{'
		}
		b = append(append(gjson.AppendJSONString(b, name), ':'), value...)
	}
	named := func(name, value string) { member(name, string(gjson.AppendJSONString(nil, value))) }
	object := len(l.fields)
	for i, f := range l.fields {
		if !f.envelope {
			object = i
			break
		}
		if f.name == "time" {
			member(f.name, f.value)
		}
	}
	if tx != "" {
		member("tx", tx)
	}
	named("kind", l.kind.String())
	named("op", l.op.String())
	if l.id != "" {
		named("id", l.id)
	}
	for _, f := range l.fields[:object] {
		if f.name != "time" {
			member(f.name, f.value)
		}
	}
	if l.hasObject {
		member("object", string(appendObject(nil, l.fields[object:])))
	}
	return string(append(b, '}'))
}

// decoded returns the line's event with the transaction.
func (l *line) decoded(tx string) *trace.Event {
	if !l.made || l.raw == "" && l.tx != tx {
		l.event = decodedLine([]byte(l.text(tx))).event
		l.made, l.tx = true, tx
	}
	return &l.event
}

// transaction returns the raw JSON of the unit's tx.
func (u *unit) transaction() string {
	switch {
	case u.tx != "":
		return u.tx
	case len(u.lines) < 2 || u.isSnapshots():
		return ""
	}
	return strconv.Itoa(u.number)
}

// of returns the unit with other lines.
func (u *unit) of(lines []*line) *unit {
	changed := *u
	changed.lines = lines
	return &changed
}

func (u *unit) isSnapshots() bool { return u.lines[0].op == trace.OpSnapshot }

// each yields the lines.
func (d *draft) each(yield func(*line)) {
	for _, u := range d.units {
		for _, l := range u.lines {
			yield(l)
		}
	}
}

// events returns the events of all lines, numbered from 1.
func (d *draft) events() []trace.Event {
	list := []trace.Event{decodedLine([]byte(d.meta.text())).event}
	for _, u := range d.units {
		for _, l := range u.lines {
			list = append(list, *l.decoded(u.transaction()))
		}
	}
	for i := range list {
		list[i].Pos = trace.Pos{Line: i + 1}
	}
	return list
}

// text returns the draft's lines.
func (d *draft) text() []string {
	var list []string
	if !d.meta.none {
		list = append(list, d.meta.text())
	}
	for _, u := range d.units {
		for _, l := range u.lines {
			list = append(list, l.text(u.transaction()))
		}
	}
	return list
}

// numbered returns the draft with the transactions 1, 2, ….
func (d *draft) numbered() *draft {
	list := &draft{meta: d.meta, story: d.story}
	n := 0
	for _, u := range d.units {
		u = u.of(u.lines)
		u.number = 0
		if len(u.lines) > 1 && !u.isSnapshots() {
			n++
			u.number = n
		}
		list.units = append(list.units, u)
	}
	return list
}

// with returns the draft with only the lines for which keep is true.
func (d *draft) with(keep func(*unit, *line) bool) *draft {
	less := &draft{meta: d.meta, story: d.story}
	for _, u := range d.units {
		var lines []*line
		for _, l := range u.lines {
			if keep(u, l) {
				lines = append(lines, l)
			}
		}
		switch {
		case len(lines) == len(u.lines):
			less.units = append(less.units, u)
		case len(lines) > 0:
			less.units = append(less.units, u.of(lines))
		}
	}
	return less
}
