package eval

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"math"
	"math/big"
	"strconv"

	"tracecheck/tlaplus/value"
)

// The module Json: arrays are sequences, objects records.

func (lib library) json() {
	lib.register("Json", nil,
		one("ndJsonDeserialize", func(r *Run, name value.Value) value.Value {
			var out []value.Value
			lines := bufio.NewReader(bytes.NewReader(r.file(name)))
			for n := 1; ; n++ {
				line, err := lines.ReadBytes('\n')
				if line = bytes.TrimSpace(line); len(line) > 0 {
					v, bad := r.FromJSON(line)
					if bad != nil {
						value.Fail("%s:%d: %v", text(name), n, bad)
					}
					out = append(out, v)
				}
				if err != nil {
					return value.NewTuple(out...)
				}
			}
		}),
		one("JsonDeserialize", func(r *Run, name value.Value) value.Value {
			v, err := r.FromJSON(r.file(name))
			if err != nil {
				value.Fail("%s: %v", text(name), err)
			}
			return v
		}),
		one("ToJson", func(r *Run, v value.Value) value.Value { return r.made(appendJSON(nil, v)) }),
		one("ToJsonArray", func(r *Run, v value.Value) value.Value {
			if !value.IsSet(v) {
				domain(v) // an error where it is not a function
			}
			return r.made(appendJSON(nil, v))
		}),
		one("ToJsonObject", func(r *Run, v value.Value) value.Value {
			domain(v)
			return r.made(appendJSON(nil, v))
		}),
		written("JsonSerialize"), written("ndJsonSerialize"))
}

// written represents an operator that writes a file, which nothing here does.
func written(name string) *Native {
	return &Native{Name: name, Arity: 2, Level: state, F2: func(*Run, value.Value, value.Value) value.Value {
		value.Fail("%s: files are not written", name)
		return nil
	}}
}

// file is the content of a file that the text names.
func (r *Run) file(name value.Value) []byte {
	s, ok := name.(*value.Str)
	if !ok {
		value.Fail("%s is not the name of a file", value.Show(name))
	}
	data, err := r.ReadFile(s.Text)
	if err != nil {
		value.Fail("%v", err)
	}
	return data
}

// FromJSON is the value of a text of JSON.
func (r *Run) FromJSON(data []byte) (value.Value, error) {
	d := json.NewDecoder(bytes.NewReader(bytes.TrimPrefix(data, []byte("\ufeff")))) // a byte order mark
	d.UseNumber()
	v, err := r.decode(d, 0)
	if err != nil {
		return nil, err
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, &value.Error{Msg: "more text follows the JSON value"}
	}
	return v, nil
}

// mostNested bounds JSON within JSON.
const mostNested = 1000

func (r *Run) decode(d *json.Decoder, depth int) (value.Value, error) {
	if depth > mostNested {
		return nil, &value.Error{Msg: "the JSON is nested too deeply"}
	}
	t, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch t := t.(type) {
	case bool:
		return value.Truth(t), nil
	case string:
		return r.Space.String(t), nil
	case json.Number:
		return FromNumber(string(t))
	case json.Delim:
		if t == '[' {
			var elems []value.Value
			for d.More() {
				e, err := r.decode(d, depth+1)
				if err != nil {
					return nil, err
				}
				elems = append(elems, e)
			}
			_, err := d.Token()
			return value.NewTuple(elems...), err
		}
		var names []*value.Str
		var vals []value.Value
		for d.More() {
			k, err := d.Token()
			if err != nil {
				return nil, err
			}
			names = append(names, r.Space.String(k.(string))) // strings are ordered as they appear
			v, err := r.decode(d, depth+1)
			if err != nil {
				return nil, err
			}
			vals = append(vals, v)
		}
		_, err := d.Token()
		return r.record(names, vals), err
	}
	return nil, &value.Error{Msg: "a JSON null is not a value"}
}

// FromNumber takes a number as an int of Java: without its fraction, and of its
// lowest 32 bits.
func FromNumber(text string) (value.Value, error) {
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return value.Of(int64(int32(n))), nil
	}
	f, _, err := big.ParseFloat(text, 10, 200, big.ToZero)
	if err != nil || f.IsInf() {
		return nil, &value.Error{Msg: "the number " + text + " is not an integer of 32 bits"}
	}
	n, _ := f.Int(nil)
	low := new(big.Int).And(n, big.NewInt(math.MaxUint32))
	return value.Of(int64(int32(uint32(low.Uint64())))), nil
}

func appendJSON(b []byte, v value.Value) []byte {
	if len(b) > mostText {
		return b // made fails
	}
	switch v := v.(type) {
	case value.Bool:
		return strconv.AppendBool(b, bool(v))
	case value.Int:
		return strconv.AppendInt(b, int64(v), 10)
	case *value.Str:
		return appendJSONText(b, v.Text)
	case *value.Tuple:
		return appendJSONList(b, v.Elems)
	case *value.Fcn:
		return appendJSONObject(b, v)
	case *value.Lambda:
		return appendJSON(b, v.Force())
	}
	if value.IsSet(v) {
		return appendJSONList(b, value.Enumerate(v).Elems())
	}
	return appendJSONText(b, value.Show(v))
}

func appendJSONText(b []byte, s string) []byte {
	var quoted bytes.Buffer
	e := json.NewEncoder(&quoted)
	e.SetEscapeHTML(false) // as in TLC
	if err := e.Encode(s); err != nil {
		value.Fail("%v", err)
	}
	return append(b, bytes.TrimSuffix(quoted.Bytes(), []byte("\n"))...)
}

func appendJSONList(b []byte, list []value.Value) []byte {
	b = append(b, '[')
	for i, e := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendJSON(b, e)
	}
	return append(b, ']')
}

func appendJSONObject(b []byte, f value.Value) []byte {
	b = append(b, '{')
	for i, e := range domain(f).Each() {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(appendJSONText(b, text(e)), ':')
		b = appendJSON(b, value.Apply(f, e))
	}
	return append(b, '}')
}
