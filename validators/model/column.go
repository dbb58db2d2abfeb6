package model

import (
	"fmt"
	"strconv"
	"strings"

	"tracecheck/trace"
	"tracecheck/trace/codec"
)

// Column is a field of the objects of a kind.
type Column[S any, R comparable] struct {
	Field trace.FieldName
	Type  string // the set of its values, for messages
	// Wrong returns the message for a value outside the type; optional. The default
	// is that the value is not in Type.
	Wrong func(s *S, v trace.Value) string

	// Read writes the value of a line to the row. The value is not Absent. A string of it
	// is valid during the step only: see Own.
	Read func(s *S, r *R, v trace.Value) Reading
	// Own, if set, is called before the state keeps the row. It copies the strings of the
	// column, which may point into a line. Those of the row before, which it may share, do
	// not.
	Own func(s *S, r, before *R)
	// Left, if set, is called for a line without the field. Under --attach, no line
	// has given the columns in unseen yet.
	Left func(s *S, r *R, unseen Columns)
	// Same reports whether the value by an action equals that of the step.
	Same func(made, seen *R) bool
	// Copy copies the column from one row to another.
	Copy func(to, from *R)
	// Show returns the value as a line has it. If given is false, a line leaves it out.
	Show func(s *S, r *R) (value any, given bool)
	// Code writes or reads the value, for checkpoints.
	Code     func(s *S, c *codec.Codec, r *R)
	Default  bool // without a line, the value is that of Kind.Snapshot, also under --attach
	Needed   bool // a create or a snapshot line without it breaks the type
	Holds    bool // the row can hold values outside the type: each Outside is a Noted
	Inferred bool // a step may leave it out. If a step logs it, it is compared. If not, the actions compute it

	// Of an enumeration, whose transitions are counted.
	names Names
	value func(r *R) uint8
}

// at is the value of an enumeration by its name; "null": there is no object.
func (c *Column[S, R]) at(r *R, exists bool) string {
	if !exists {
		return "null"
	}
	return c.names[c.value(r)]
}

// Reading is the result of reading a line's value.
type Reading uint8

// A Good value is in the type, and an Outside value is not. LeftOut has the meaning of an absent
// field. Noted is a value outside the type that the row can hold. It is compared as other values
// are. Each line that gives it is reported.
const (
	Good Reading = iota
	Outside
	LeftOut
	Noted
)

// Names lists the values of an enumeration. Index 0 represents every value outside the type.
type Names []string

// find returns the place of the name, 0 where there is none.
func (n Names) find(name string) int {
	for i := 1; i < len(n); i++ {
		if n[i] == name {
			return i
		}
	}
	return 0
}

// Set returns the names as a set in TLA+.
func (n Names) Set() string {
	text := "{"
	for i, name := range n[1:] {
		if i > 0 {
			text += ", "
		}
		text += strconv.Quote(name)
	}
	return text + "}"
}

// Enum returns a column with one of the names. Coverage counts its transitions.
func Enum[S any, R comparable, V ~uint8](field trace.FieldName, names Names, at func(*R) *V) Column[S, R] {
	c := plain[S](field, at, func(v *V) (any, bool) { return names[*v], true })
	c.Type, c.Needed = names.Set(), true
	c.Read = func(_ *S, r *R, v trace.Value) Reading {
		n := 0
		if v.Type == trace.String {
			n = names.find(v.Str)
		}
		*at(r) = V(n)
		return GoodIf(n > 0)
	}
	c.Code = func(_ *S, c *codec.Codec, r *R) { codeEnum(c, field, at(r), len(names)) }
	c.names, c.value = names, func(r *R) uint8 { return uint8(*at(r)) }
	return c
}

// codeEnum writes or reads one of the first values of an enumeration.
func codeEnum[V ~uint8](c *codec.Codec, field trace.FieldName, v *V, values int) {
	if codec.Uint(c, v); int(*v) >= values {
		c.Fail("%s %d is not known", field, uint8(*v))
		*v = 0
	}
}

// Bool returns a column with a boolean.
func Bool[S any, R comparable](field trace.FieldName, at func(*R) *bool) Column[S, R] {
	c := plain[S](field, at, func(v *bool) (any, bool) { return *v, true })
	c.Type, c.Needed = "BOOLEAN", true
	c.Read = func(_ *S, r *R, v trace.Value) Reading {
		*at(r) = v.Type == trace.Bool && v.Int == 1
		return GoodIf(v.Type == trace.Bool)
	}
	c.Code = func(_ *S, c *codec.Codec, r *R) { codec.Bool(c, at(r)) }
	return c
}

// Optional is a value, or NULL if Set is false.
type Optional[T int64 | string] struct {
	Set   bool
	Value T
}

// OptionalInt is an integer or NULL, and OptionalID an object's id or NULL.
type (
	OptionalInt = Optional[int64]
	OptionalID  = Optional[string]
)

// Is reports whether o is the value.
func (o Optional[T]) Is(v T) bool { return o.Set && o.Value == v }

func (o Optional[T]) String() string {
	if !o.Set {
		return "NULL"
	}
	return fmt.Sprint(o.Value)
}

// OptInt returns a column with an integer or NULL.
func OptInt[S any, R comparable](field trace.FieldName, at func(*R) *OptionalInt) Column[S, R] {
	return optional[S](field, `Int \union {NULL} (an integer or null)`, trace.Int, at,
		func(v trace.Value) int64 { return v.Int }, func(c *codec.Codec, n *int64) { codec.Int(c, n) })
}

// OptID returns a column with an id or NULL. typ names the type in messages.
func OptID[S any, R comparable](field trace.FieldName, typ string, at func(*R) *OptionalID) Column[S, R] {
	c := optional[S](field, typ, trace.String, at,
		func(v trace.Value) string { return v.Str }, func(c *codec.Codec, id *string) { codec.String(c, id) })
	c.Own = func(_ *S, r, before *R) {
		if v, was := at(r), at(before); v.Value == was.Value {
			v.Value = was.Value
		} else {
			v.Value = strings.Clone(v.Value)
		}
	}
	return c
}

// optional is a column with a value of the type or NULL.
func optional[S any, R comparable, T int64 | string](
	field trace.FieldName, typ string, of trace.ValueType, at func(*R) *Optional[T], value func(trace.Value) T, code func(*codec.Codec, *T),
) Column[S, R] {
	c := plain[S](field, at, func(v *Optional[T]) (any, bool) {
		if !v.Set {
			return nil, true
		}
		return v.Value, true
	})
	c.Type = typ
	c.Read = func(_ *S, r *R, v trace.Value) Reading {
		*at(r) = Optional[T]{}
		if v.Type == of {
			*at(r) = Optional[T]{true, value(v)}
		}
		return GoodIf(v.Type == of || v.Type == trace.Null)
	}
	c.Code = func(_ *S, c *codec.Codec, r *R) {
		v := at(r)
		if codec.Bool(c, &v.Set); v.Set {
			code(c, &v.Value)
		}
	}
	return c
}

// Unless returns a Column.Read for values of the type, an integer or a boolean. A boolean sets 0 or
// 1. A null has the meaning of an absent field.
func Unless[S, R any](of trace.ValueType, set func(r *R, v int64)) func(*S, *R, trace.Value) Reading {
	return func(_ *S, r *R, v trace.Value) Reading {
		switch v.Type {
		case trace.Null:
			return LeftOut
		case of:
			set(r, v.Int)
			return Good
		}
		return Outside
	}
}

// plain is what columns have that are compared as they are.
func plain[S any, R, V comparable](field trace.FieldName, at func(*R) *V, show func(*V) (any, bool)) Column[S, R] {
	return Column[S, R]{
		Field: field,
		Same:  func(made, seen *R) bool { return *at(made) == *at(seen) },
		Copy:  func(to, from *R) { *at(to) = *at(from) },
		Show:  func(_ *S, r *R) (any, bool) { return show(at(r)) },
	}
}

// GoodIf returns Good if the condition holds, and else Outside.
func GoodIf(is bool) Reading {
	if is {
		return Good
	}
	return Outside
}

// Statuses is a set of values of an enumeration. The enumeration can have up to 64 values.
type Statuses uint64

// In returns the set of the values.
func In[V ~uint8](of ...V) (set Statuses) {
	for _, v := range of {
		set |= 1 << v
	}
	return set
}

func (set Statuses) has(v uint8) bool { return set>>v&1 != 0 }
