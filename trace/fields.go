package trace

import (
	"strconv"
	"strings"

	"github.com/tidwall/gjson"
)

// ValueType is the type of a field's value.
type ValueType uint8

// The types. Other covers arrays, objects, and numbers that are not 64-bit
// integers.
const (
	Absent ValueType = iota
	Null
	String
	Int
	Bool
	Other
)

// Value is a field's value. Absent and null differ: in an update, an absent
// field keeps its value, and null removes it (RFC 7396).
type Value struct {
	Type ValueType
	Str  string // String: the text; Other: the raw JSON
	Int  int64  // Int: the number; Bool: 0 or 1; Other: where Event.Packed is
}

// String returns the value as in the line.
func (v Value) String() string {
	switch v.Type {
	case Absent:
		return "(left out)"
	case Null:
		return "null"
	case String:
		return strconv.Quote(v.Str)
	case Int:
		return strconv.FormatInt(v.Int, 10)
	case Bool:
		return strconv.FormatBool(v.Int == 1)
	}
	return v.Str
}

// FieldName is a field of some kind's objects. A spec registers those that it reads
// (NewField): all others are ignored.
type FieldName uint8

const noField FieldName = 0

var fields = newNames(MaxFields)

func (f FieldName) String() string { return fields.list[f] }

func fieldByName(name string) FieldName { return FieldName(fields.find(name)) }

// Field is one field of an event's object.
type Field struct {
	Name FieldName
	Value
}

// Fields are the known fields of an event's object, each once, in the order of
// their first appearance. If JSON repeats a key, the last value counts.
type Fields []Field

// Get returns the field's value. If there is none, its type is Absent.
func (f Fields) Get(name FieldName) Value {
	for i := range f {
		if f[i].Name == name {
			return f[i].Value
		}
	}
	return Value{}
}

func (f Fields) set(name FieldName, v Value) Fields {
	for i := range f {
		if f[i].Name == name {
			f[i].Value = v
			return f
		}
	}
	return append(f, Field{name, v})
}

func valueOf(r *gjson.Result) Value {
	switch r.Type {
	case gjson.Null:
		return Value{Type: Null}
	case gjson.False:
		return Value{Type: Bool}
	case gjson.True:
		return Value{Type: Bool, Int: 1}
	case gjson.String:
		return Value{Type: String, Str: r.Str}
	case gjson.Number:
		if n, ok := Integer(r.Raw); ok {
			return Value{Type: Int, Int: n}
		}
	}
	return Value{Type: Other, Str: r.Raw}
}

// Integer reads a JSON number that is a 64-bit integer, also in the forms 3.0 and
// 3e0. A float64 would be inexact.
func Integer(number string) (n int64, ok bool) {
	if n, err := strconv.ParseInt(number, 10, 64); err == nil {
		return n, true
	}
	number, power, found := strings.Cut(strings.ToLower(number), "e")
	if !found {
		power = "0"
	}
	whole, part, _ := strings.Cut(number, ".")
	digits := strings.TrimRight(whole+part, "0")
	if strings.Trim(digits, "+-") == "" { // 0, whatever the power
		n, err := strconv.ParseInt(whole+part, 10, 64)
		return n, err == nil
	}
	exponent, err := strconv.Atoi(power)
	zeros := exponent + len(whole) - len(digits)
	if err != nil || zeros < 0 || zeros > 18 {
		return 0, false
	}
	n, err = strconv.ParseInt(digits+"000000000000000000"[:zeros], 10, 64)
	return n, err == nil
}
