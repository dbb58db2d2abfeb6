package model

import (
	"strconv"

	"tracecheck/trace"
	"tracecheck/trace/codec"
)

// Column is a field of a kind of object.
type Column[S any, R comparable] struct {
	Field trace.FieldName
	Type  string // as TypeOK has it, for messages
	// Wrong says what is wrong with a line's value, where that is more than that
	// it is not of the Type; optional.
	Wrong func(s *S, v trace.Value) string

	// Read takes the value of a line, which is not Absent, into the row.
	Read func(s *S, r *R, v trace.Value) Reading
	// Left, if set, is called where a line leaves the field out. No line has given
	// a value to the columns in unseen yet (under --attach).
	Left func(s *S, r *R, unseen Columns)
	// Same says that what an action makes is what a step shows.
	Same func(made, seen *R) bool
	// Copy sets the column of one row to that of another.
	Copy func(to, from *R)
	// Show is the value as a line gives it; false: a line leaves it out.
	Show func(s *S, r *R) (value any, given bool)
	// Code writes the value down, or reads it.
	Code     func(s *S, c *codec.Codec, r *R)
	Default  bool // one that no line gives is as in Kind.Snapshot, also under --attach
	Needed   bool // a create or a snapshot that leaves it out is outside its type
	Holds    bool // the row itself holds what is outside the type: each Outside is a Noted
	Inferred bool // a step need not log it: it is compared only where one does, and else taken from the actions

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

// Reading is what became of a line's value.
type Reading uint8

// Good is a value of the type, Outside one that is none; LeftOut says as little
// as no value. Noted is Outside where the row itself holds what it is: it is
// compared as other values are, and reported of each line that gives it.
const (
	Good Reading = iota
	Outside
	LeftOut
	Noted
)

// Names are the values of an enumeration; that at 0 is of a value outside the
// type.
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

// Set writes the names as a set of TLA+.
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

// Enum is a column of an enumeration. Its transitions are counted.
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
	c.Code = func(_ *S, c *codec.Codec, r *R) {
		v := at(r)
		if codec.Uint(c, v); int(*v) >= len(names) {
			c.Fail("%s %d is not known", field, uint8(*v))
			*v = 0
		}
	}
	c.names, c.value = names, func(r *R) uint8 { return uint8(*at(r)) }
	return c
}

// Bool is a column of truth values.
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

// OptionalInt is an integer, or NULL, which is not Set.
type OptionalInt struct {
	Set bool
	N   int64
}

// Is says that it is the integer.
func (o OptionalInt) Is(n int64) bool { return o.Set && o.N == n }

func (o OptionalInt) String() string {
	if !o.Set {
		return "NULL"
	}
	return strconv.FormatInt(o.N, 10)
}

// OptInt is a column of integers and NULL.
func OptInt[S any, R comparable](field trace.FieldName, at func(*R) *OptionalInt) Column[S, R] {
	c := plain[S](field, at, func(v *OptionalInt) (any, bool) {
		if !v.Set {
			return nil, true
		}
		return v.N, true
	})
	c.Type = `Int \union {NULL} (an integer or null)`
	c.Read = func(_ *S, r *R, v trace.Value) Reading {
		*at(r) = OptionalInt{}
		if v.Type == trace.Int {
			*at(r) = OptionalInt{true, v.Int}
		}
		return GoodIf(v.Type == trace.Int || v.Type == trace.Null)
	}
	c.Code = func(_ *S, c *codec.Codec, r *R) {
		v := at(r)
		if codec.Bool(c, &v.Set); v.Set {
			codec.Int(c, &v.N)
		}
	}
	return c
}

// OptionalID names an object, or is NULL, which is not Set.
type OptionalID struct {
	Set bool
	ID  string
}

func (o OptionalID) String() string {
	if !o.Set {
		return "NULL"
	}
	return o.ID
}

// OptID is a column of ids and NULL.
func OptID[S any, R comparable](field trace.FieldName, typ string, at func(*R) *OptionalID) Column[S, R] {
	c := plain[S](field, at, func(v *OptionalID) (any, bool) {
		if !v.Set {
			return nil, true
		}
		return v.ID, true
	})
	c.Type = typ
	c.Read = func(_ *S, r *R, v trace.Value) Reading {
		*at(r) = OptionalID{}
		if v.Type == trace.String {
			*at(r) = OptionalID{true, v.Str}
		}
		return GoodIf(v.Type == trace.String || v.Type == trace.Null)
	}
	c.Code = func(_ *S, c *codec.Codec, r *R) {
		v := at(r)
		if codec.Bool(c, &v.Set); v.Set {
			codec.String(c, &v.ID)
		}
	}
	return c
}

// Unless reads an integer or a truth value, which is 0 or 1. A null says as little as no
// value.
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

// GoodIf is Good or Outside.
func GoodIf(is bool) Reading {
	if is {
		return Good
	}
	return Outside
}

// Statuses is a set of the values of an enumeration, of which there may be 64.
type Statuses uint64

// In is the set of the values.
func In[V ~uint8](of ...V) (set Statuses) {
	for _, v := range of {
		set |= 1 << v
	}
	return set
}

func (set Statuses) has(v uint8) bool { return set>>v&1 != 0 }
