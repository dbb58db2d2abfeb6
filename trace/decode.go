package trace

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"tracecheck/internal/nearest"
)

// MaxDepth bounds the nesting of a line's arrays and objects.
const MaxDepth = 64

// Decoder decodes lines into events. The fields of many events share one arena,
// so decoding does not allocate per event. The zero value is ready. A Decoder
// is for one goroutine.
type Decoder struct {
	// Shapes makes it cheaper to read many lines; nil: there are none.
	Shapes *Shapes

	arena  []Field
	packed []byte // the compact forms of the events' values
	from   int    // where those of the current event begin
	clock  clock
	keys   keys
}

// usualFields is the number of fields for which the arena has room before each line. More
// are copied to a larger one.
const usualFields = 16

// Reset reuses the arena. The fields of all events decoded so far become
// invalid.
func (d *Decoder) Reset() { d.arena, d.packed = d.arena[:0], d.packed[:0] }

// pack makes the compact form of a value of the type Other, if its field has one. It returns
// where the event has that: the first byte in the high half, the end in the low half.
func (d *Decoder) pack(f FieldName, text string) int64 {
	if packs[f] == nil {
		return 0
	}
	from := len(d.packed)
	d.packed = packs[f](d.packed, text)
	return int64(from-d.from)<<32 | int64(len(d.packed)-d.from)
}

// Grow makes room for the fields of so many more events.
func (d *Decoder) Grow(events int) {
	if usual := 2 * events; cap(d.arena)-len(d.arena) < usual {
		d.arena = make([]Field, 0, usual)
	}
}

// Decode decodes one line, without its line end, into ev. The event refers to
// the line's bytes, which must not change while it is used. An error is a
// *Error.
func (d *Decoder) Decode(line []byte, pos Pos, ev *Event) error {
	*ev = Event{Pos: pos}
	ev.Raw = stringOf(line)
	if cap(d.arena)-len(d.arena) < usualFields {
		d.arena = make([]Field, 0, max(64, 2*cap(d.arena)))
	}
	first := len(d.arena)
	d.from = len(d.packed)
	if d.Shapes == nil || d.Shapes.misses > mostMisses || !d.shaped(ev) {
		*ev = Event{Pos: pos, Raw: ev.Raw}
		d.arena, d.packed = d.arena[:first], d.packed[:d.from]
		if err := d.unshaped(line, ev); err != nil {
			return err
		}
	}
	if first == 0 && len(d.arena) > 0 {
		decoded.Store(true)
	}
	ev.Hash = HashID(ev.ID)
	if len(d.packed) > d.from {
		ev.packed = stringOf(d.packed[d.from:])
	}
	// A full slice: a later append must not write into the next event's fields.
	ev.Fields = d.arena[first:len(d.arena):len(d.arena)]
	return nil
}

// unshaped reads a line, and learns its shape. It appends the fields to the arena.
func (d *Decoder) unshaped(line []byte, ev *Event) error {
	e := envelope{ev: ev, fields: d.arena[len(d.arena):]}
	plain := validText(ev.Raw) && d.plain(ev.Raw, &e) && e.check() == ""
	if !plain {
		*ev = Event{Pos: ev.Pos, Raw: ev.Raw}
		e = envelope{ev: ev, fields: d.arena[len(d.arena):]}
		if err := e.read(line); err != nil {
			return err
		}
	}
	if ev.HasSeq {
		ev.Print = e.print()
	}
	for i := range e.fields {
		if f := &e.fields[i]; f.Type == Other {
			f.Int = d.pack(f.Name, f.Str)
		}
	}
	d.arena = append(d.arena, e.fields...)
	if d.Shapes != nil && d.Shapes.misses <= mostMisses {
		if d.Shapes.misses += 2; plain {
			d.Shapes.learn(ev, len(e.fields))
		}
	}
	return nil
}

// read reads any line, with gjson.
func (e *envelope) read(line []byte) error {
	ev := e.ev
	if reason := CheckJSON(line); reason != "" {
		return &Error{Pos: ev.Pos, Reason: reason}
	}
	root := gjson.Parse(ev.Raw)
	if !root.IsObject() {
		return &Error{Pos: ev.Pos, Reason: "an event is a JSON object; this line is " + excerpt(line)}
	}
	e.halves = HalfPair(ev.Raw) >= 0
	root.ForEach(e.member)
	if e.halves && ev.Kind == KindMeta { // all its values may contain names
		if object := ev.Object().Raw; HalfPair(object) >= 0 {
			e.refuse(notText("object", object))
		}
	}
	if e.bad == "" && e.hasTime { // of a repeated key, the last value counts
		if t, ok := parseTime(ev.Time); ok {
			ev.Nanos = nanos64(t)
		} else {
			e.refuse(fmt.Sprintf("time must be in RFC 3339, such as 2026-11-20T10:00:00.123Z, not %s", excerpt(ev.Time)))
		}
	}
	if e.bad == "" {
		e.bad = e.check()
	}
	if e.bad != "" {
		return &Error{Pos: ev.Pos, Stream: strings.Clone(ev.Stream), Reason: e.bad}
	}
	return nil
}

// envelope collects one line's members.
type envelope struct {
	ev      *Event
	fields  Fields
	hasKind bool
	hasTime bool   // where gjson reads the line
	kind    string // the name as written, for errors
	op      string
	object  ValueType
	halves  bool         // the line has an escape that is half of a surrogate pair
	others  uint64       // the fingerprints of the fields that format 1 does not define
	nested  nestedPrints // those of fields that are arrays or objects, where they are known
	bad     string       // the first reason to refuse the line
}

func (e *envelope) member(key, value gjson.Result) bool {
	ev := e.ev
	if e.halves && !e.names("", &key, &value, isName(key.Str)) {
		return true
	}
	switch key.Str {
	case "kind":
		if value.Type != gjson.String {
			return e.refuse("kind must be a string, not " + shown(value.Raw))
		}
		e.hasKind, e.kind, ev.Kind = true, value.Str, ParseKind(value.Str)
	case "op":
		e.op = e.text("op", &value)
		ev.Op = parseOp(e.op)
	case "id":
		ev.ID = e.text("id", &value)
	case "stream":
		ev.Stream = e.text("stream", &value)
	case "actor":
		ev.Actor = e.text("actor", &value)
	case "action":
		ev.Action = e.text("action", &value)
	case "time":
		ev.Time = e.text("time", &value)
		e.hasTime = value.Type != gjson.Null
	case "seq":
		ev.HasSeq, ev.Seq = false, 0
		if value.Type == gjson.Null {
			break
		}
		if v := valueOf(&value); v.Type == Int {
			ev.HasSeq, ev.Seq = true, v.Int
		} else {
			return e.refuse("seq must be an integer, not " + shown(value.Raw))
		}
	case "tx":
		switch v := valueOf(&value); v.Type {
		case Null:
			ev.Tx = Tx{}
		case String:
			ev.Tx = Tx{typ: String, text: v.Str}
		case Int:
			ev.Tx = Tx{typ: Int, number: v.Int}
		default:
			return e.refuse("tx must be a string or an integer, not " + shown(value.Raw))
		}
	case "object":
		e.fields, e.others = e.fields[:0], 0 // of a repeated key, the last value counts
		e.object = valueOf(&value).Type
		if value.IsObject() {
			e.object = Absent
			value.ForEach(e.field)
		}
	}
	return true // to the end: an error names the stream, wherever it is in the line
}

func (e *envelope) field(key, value gjson.Result) bool {
	f := fieldByName(key.Str)
	if e.halves {
		e.names("object.", &key, &value, f != noField)
	}
	v := valueOf(&value)
	if f != noField {
		e.fields = e.fields.set(f, v)
	} else {
		e.others += memberPrint(textPrint(key.Str), &v)
	}
	return true
}

// isName reports whether the envelope's member of that name is a name, or
// contains names.
func isName(member string) bool {
	switch member {
	case "kind", "op", "id", "stream", "tx", "actor", "action", "time":
		return true
	}
	return false
}

// names checks that a key, and a value that contains names, have no half of a
// surrogate pair. It reports whether the value may be read.
func (e *envelope) names(in string, key, value *gjson.Result, has bool) bool {
	if HalfPair(key.Raw) >= 0 {
		e.refuse(notText(in+"(a key)", key.Raw))
	}
	if !has || HalfPair(value.Raw) < 0 {
		return true
	}
	e.refuse(notText(in+key.Str, value.Raw))
	return false
}

// text reads an optional string. null counts as absent.
func (e *envelope) text(name string, value *gjson.Result) string {
	switch value.Type {
	case gjson.String:
		return value.Str
	case gjson.Null:
		return ""
	}
	in := ""
	if name == "time" {
		in = " in RFC 3339, such as 2026-11-20T10:00:00.123Z"
	}
	e.refuse(name + " must be a string" + in + ", not " + shown(value.Raw))
	return ""
}

func (e *envelope) refuse(reason string) bool {
	if e.bad == "" {
		e.bad = reason
	}
	return true
}

// check returns what the line lacks.
func (e *envelope) check() string {
	ev := e.ev
	switch {
	case !e.hasKind:
		return `the line has no "kind"`
	case ev.Kind == KindNone, ev.Kind == KindLine, ev.Kind == KindVariable:
		return unknownKind(e.kind)
	case e.object != Absent && e.object != Null:
		return `"object" must be a JSON object`
	case ev.Kind == KindMeta:
		return ""
	case e.op == "":
		return fmt.Sprintf(`the %s line has no "op": snapshot, create, update, delete or reject`, ev.Kind)
	case ev.Op == OpNone:
		return "unknown op " + excerpt(e.op) + ": " + nearest.Or(e.op, opNames[1:], "expected snapshot, create, update, delete or reject")
	case ev.ID == "" && !ev.Kind.IsSingleton():
		return fmt.Sprintf(`the %s line has no "id"`, ev.Kind)
	}
	if key, twice := e.fields.repeats(ev.Kind); twice {
		return fmt.Sprintf("object.%s has %q twice", distinct[ev.Kind], key)
	}
	return ""
}

// unknownKind is the error of an unknown kind. It suggests the nearest one, and
// lists all.
func unknownKind(name string) string {
	known := KindNames()
	list := "nown are " + strings.Join(known, ", ")
	if hint := nearest.Hint(name, known); hint != "" {
		return "unknown kind " + excerpt(name) + hint + " K" + list
	}
	return "unknown kind " + excerpt(name) + ": k" + list
}

// repeats returns a repeated key of the field that is a map in objects of the kind.
func (f Fields) repeats(kind Kind) (key string, twice bool) {
	if distinct[kind] == noField {
		return "", false
	}
	return repeated(f.Get(distinct[kind]))
}

// repeated returns a repeated key of an object.
func repeated(object Value) (key string, twice bool) {
	if !object.begins('{') || strings.IndexByte(object.Str, ',') < 0 {
		return "", false // it has one key at most
	}
	var room [16]string
	keys := room[:0]
	for key := range object.Each {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	for i := 1; i < len(keys); i++ {
		if keys[i] == keys[i-1] {
			return keys[i], true
		}
	}
	return "", false
}

// tooDeep counts brackets only if there may be too many.
func tooDeep(line []byte) bool {
	if bytes.Count(line, []byte{'{'})+bytes.Count(line, []byte{'['}) <= MaxDepth {
		return false
	}
	depth, inString := 0, false
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case inString && c == '\\':
			i++
		case c == '"':
			inString = !inString
		case inString:
		case c == '{' || c == '[':
			if depth++; depth > MaxDepth {
				return true
			}
		case c == '}' || c == ']':
			depth--
		}
	}
	return false
}

// excerptBytes bounds the text that an error quotes.
const excerptBytes = 60

// excerpt is the start of a text, for an error.
func excerpt[T string | []byte](text T) string {
	if len(text) > excerptBytes {
		return fmt.Sprintf("%q…", text[:excerptBytes])
	}
	return fmt.Sprintf("%q", text)
}

// shown is a value of valid JSON for an error.
func shown(json string) string {
	if len(json) > excerptBytes || strings.ContainsAny(json, "\n\r\t") {
		return excerpt(json)
	}
	return json
}

// nanos64 is the time as an int64, which covers the years 1678 to 2261. Times
// outside are clamped.
func nanos64(t time.Time) int64 {
	const most = math.MaxInt64 / int64(time.Second)
	switch s := t.Unix(); {
	case s >= most:
		return math.MaxInt64
	case s <= -most:
		return -math.MaxInt64
	}
	return t.UnixNano()
}
