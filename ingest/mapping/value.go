package mapping

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/tidwall/gjson"
)

// value computes one member of an event: its source, and its conversions.
type value struct {
	what     string // the member's name, for errors: "id", "object.state"
	constant []byte // as JSON; nil: it is not constant
	fields   []field
	object   bool // it is made of fields
	path     int  // -1: the source is text
	text     []part

	match     *regexp.Regexp // its group is the value; nil: the whole value
	table     *table
	otherwise []byte // for a value that is not in the table; nil: an error
	convert   conversion
	missing   []byte // the default for a missing value; nil: an error, or left out if optional
	optional  bool
}

// field is a member of an object.
type field struct {
	key   []byte // with its quotes and colon
	value value
}

// part is a piece of a template: literal text, then a path.
type part struct {
	literal string
	path    int // -1: no path follows
}

// append appends the value as JSON. It appends nothing for an optional missing value. An
// error describes the fault of the line.
func (v *value) append(dst []byte, l *line) ([]byte, error) {
	switch {
	case v.constant != nil:
		return append(dst, v.constant...), nil
	case v.object:
		return appendFields(dst, l, v.fields)
	}
	r, at := v.source(l)
	if r.Exists() && v.match != nil {
		r = v.group(r)
		if !r.Exists() {
			at = fmt.Sprintf("what %s matches", v.match)
		}
	}
	switch {
	case !r.Exists() && v.missing != nil:
		return append(dst, v.missing...), nil
	case !r.Exists() && v.optional:
		return dst, nil
	case !r.Exists():
		return dst, fmt.Errorf("%s: the line does not have %s; if it is not always there, set optional or default", v.what, at)
	case v.table != nil:
		out := v.table.lookup(&r)
		if out == nil {
			out = v.otherwise
		}
		if out == nil {
			return dst, fmt.Errorf("%s: the table has no %s; to accept other values, set otherwise", v.what, excerpt(string(appendRaw(nil, &r))))
		}
		return append(dst, out...), nil
	case v.convert.to != asItIs && r.Type != gjson.Null:
		out, err := v.convert.append(dst, &r)
		if err != nil {
			return dst, fmt.Errorf("%s: %w", v.what, err)
		}
		return out, nil
	}
	return appendRaw(dst, &r), nil
}

// source returns the value in the line. If there is none, at names what is missing.
func (v *value) source(l *line) (r gjson.Result, at string) {
	if v.path >= 0 {
		if r = l.get(v.path); !r.Exists() {
			at = l.paths[v.path].path
		}
		return r, at
	}
	start := len(l.text)
	for i := range v.text {
		l.text = append(l.text, v.text[i].literal...)
		if v.text[i].path < 0 {
			continue
		}
		one := l.get(v.text[i].path)
		text, ok := plainText(&one)
		if !ok {
			return gjson.Result{}, l.paths[v.text[i].path].path + " as text"
		}
		l.text = append(l.text, text...)
	}
	return textResult(l.since(start)), ""
}

// group returns the part of the text in the brackets of match.
func (v *value) group(r gjson.Result) gjson.Result {
	text, ok := plainText(&r)
	if !ok {
		return gjson.Result{}
	}
	found := v.match.FindStringSubmatchIndex(text)
	if found == nil || found[2] < 0 {
		return gjson.Result{}
	}
	return textResult(text[found[2]:found[3]])
}

// textResult returns a string that does not come from JSON, so without Raw.
func textResult(text string) gjson.Result {
	return gjson.Result{Type: gjson.String, Str: text}
}

// appendRaw appends the JSON of a value, on one line.
func appendRaw(dst []byte, r *gjson.Result) []byte {
	switch {
	case r.Raw == "":
		return gjson.AppendJSONString(dst, r.Str)
	case strings.ContainsAny(r.Raw, "\n\r"): // a path may end in @pretty
		return append(dst, gjson.Get(r.Raw, "@ugly").Raw...)
	}
	return append(dst, r.Raw...)
}

// appendEvent appends an event's line.
func appendEvent(dst []byte, l *line, members []field) ([]byte, error) {
	start := len(dst)
	dst, err := appendFields(dst, l, members)
	if l.halves {
		dst = append(dst[:start], putHalves(dst[start:])...)
	}
	return dst, err
}

// appendFields appends an object of the fields that have values.
func appendFields(dst []byte, l *line, fields []field) ([]byte, error) {
	dst = append(dst, '{')
	first := true
	for i := range fields {
		f := &fields[i]
		start := len(dst)
		if !first {
			dst = append(dst, ',')
		}
		dst = append(dst, f.key...)
		before := len(dst)
		var err error
		if dst, err = f.value.append(dst, l); err != nil {
			return dst, err
		}
		if len(dst) == before || f.value.what == "time" && string(dst[before:]) == `""` {
			dst = dst[:start] // an optional missing value, or a log's empty text for no time
			continue
		}
		first = false
	}
	return append(dst, '}'), nil
}
