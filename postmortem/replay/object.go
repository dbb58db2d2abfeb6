package replay

import (
	"strings"

	"github.com/tidwall/gjson"

	"tracecheck/trace"
)

// Object is a live object with all its fields, including those that no spec reads.
type Object struct {
	Kind   trace.Kind
	ID     string
	Made   trace.Pos // the event that created it, or its first snapshot
	Last   trace.Pos // its last event
	Time   string    // of that event; "" is none
	Fields []Field   // in the order of their first appearance
	init   string    // what Init has of it, as JSON; "" if it was not there
}

// Field is a field of an object. Its value is JSON, and never null: a null field is absent.
type Field struct {
	Name  string
	Value string
}

// Get returns the field's value as JSON, "" if the object lacks the field.
func (o *Object) Get(name string) string {
	for i := range o.Fields {
		if o.Fields[i].Name == name {
			return o.Fields[i].Value
		}
	}
	return ""
}

// JSON returns the whole object.
func (o *Object) JSON() []byte { return encode(o.Fields) }

func encode(fields []Field) []byte {
	b := []byte{'{'}
	for i, f := range fields {
		if i > 0 {
			b = append(b, ',')
		}
		b = gjson.AppendJSONString(b, f.Name)
		b = append(b, ':')
		b = append(b, f.Value...)
	}
	return append(b, '}')
}

// merge applies a JSON merge patch (RFC 7396). Fields that are there keep their
// places, others follow in the order of the patch. The result owns its bytes.
func merge(old []Field, patch gjson.Result) []Field {
	changes := members(patch)
	at := make(map[string]int, len(old))
	for i := range old {
		at[old[i].Name] = i
	}
	for _, c := range changes {
		i, has := at[c.Name]
		switch {
		case c.value.Type == gjson.Null && has:
			old[i].Value = ""
		case c.value.Type == gjson.Null:
		case has:
			old[i].Value = patched(old[i].Value, c.value)
		default:
			old = append(old, Field{strings.Clone(c.Name), patched("", c.value)})
		}
	}
	kept := old[:0]
	for _, f := range old {
		if f.Value != "" {
			kept = append(kept, f)
		}
	}
	return kept
}

// patched returns a value after the patch.
func patched(old string, patch gjson.Result) string {
	if !patch.IsObject() {
		return strings.Clone(patch.Raw)
	}
	var fields []Field
	if was := gjson.Parse(old); was.IsObject() {
		for _, m := range members(was) {
			fields = append(fields, Field{m.Name, m.value.Raw})
		}
	}
	return string(encode(merge(fields, patch)))
}

type member struct {
	Name  string
	value gjson.Result
}

// members returns the members of a JSON object. Of repeated keys, the last counts.
func members(object gjson.Result) []member {
	var list []member
	if !object.IsObject() {
		return nil
	}
	at := map[string]int{}
	object.ForEach(func(key, value gjson.Result) bool {
		if i, has := at[key.Str]; has {
			list[i].value = value
			return true
		}
		at[key.Str] = len(list)
		list = append(list, member{key.Str, value})
		return true
	})
	return list
}
