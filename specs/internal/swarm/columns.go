package swarm

import (
	"tracecheck/trace"
	"tracecheck/trace/codec"
	"tracecheck/validators"
	"tracecheck/validators/model"
)

// Columns that the kinds of several specs have. S is a spec's state, V the value of an
// object.

// StateColumn is a column of a task's states: of those that are, for a state S.
func StateColumn[S any, V comparable](field trace.FieldName, typ string, is func(*S, State) bool, at func(*V) *State) model.Column[S, V] {
	return model.Column[S, V]{
		Field: field, Type: typ, Needed: true,
		Read: func(s *S, v *V, f trace.Value) model.Reading {
			state := NoState
			if f.Type == trace.String {
				state = ParseState(f.Str)
			}
			*at(v) = state
			return model.GoodIf(is(s, state))
		},
		Show: func(_ *S, v *V) (any, bool) { return at(v).String(), true },
		Code: func(_ *S, c *codec.Codec, v *V) {
			if codec.Uint(c, at(v)); *at(v) > Orphaned {
				c.Fail("there is no %s %d", field, uint8(*at(v)))
			}
		},
	}
}

// NumberColumn is a column of integers from least on and of global, which is least-1.
// What is outside the type is least-2.
func NumberColumn[S any, V comparable](field trace.FieldName, typ string, least int64, at func(*V) *int64) model.Column[S, V] {
	outside := least - 2
	return model.Column[S, V]{
		Field: field, Type: typ, Needed: true,
		Read: func(_ *S, v *V, f trace.Value) model.Reading {
			switch {
			case f.Type == trace.Int && f.Int >= least:
				*at(v) = f.Int
			case f.Type == trace.String && f.Str == "global":
				*at(v) = least - 1
			default:
				*at(v) = outside
			}
			return model.GoodIf(*at(v) != outside)
		},
		Show: func(_ *S, v *V) (any, bool) { return OrGlobal(*at(v), least), true },
		Code: func(_ *S, c *codec.Codec, v *V) {
			if codec.Int(c, at(v)); *at(v) < outside {
				c.Fail("%s cannot be %d", field, *at(v))
			}
		},
	}
}

// OrGlobal shows a value of a NumberColumn.
func OrGlobal(n, least int64) any {
	switch n {
	case least - 1:
		return "global"
	case least - 2:
		return nil
	}
	return n
}

// LinkColumn is whether a node is up. Bad says of a value that it is outside the type.
func LinkColumn[S any, V comparable](field trace.FieldName, at func(*V) *bool, bad func(*V) bool) model.Column[S, V] {
	return model.Column[S, V]{
		Field: field, Type: `NodeState ("up", "down")`, Needed: true, Default: true,
		Read: func(_ *S, v *V, f trace.Value) model.Reading {
			*at(v) = f.Type == trace.String && f.Str == "up"
			return model.GoodIf(*at(v) || f.Type == trace.String && f.Str == "down")
		},
		Show: func(_ *S, v *V) (any, bool) { return LinkName(*at(v), bad(v)), true },
		Code: func(_ *S, c *codec.Codec, v *V) { codec.Bool(c, at(v)) },
	}
}

// LinkName shows a value of a LinkColumn.
func LinkName(up, bad bool) string {
	switch {
	case bad:
		return "?"
	case up:
		return "up"
	}
	return "down"
}

// NodeColumn is a column of nodes, of which N is the record. Is says which values are
// of the type, bad of which object the value is none. Find makes a record where there
// is none.
func NodeColumn[S any, V comparable, N validators.Keyed](field trace.FieldName, typ string, needed bool, at func(*V) *N,
	is func(trace.Value) bool, bad func(*V) bool, find func(*S, string) N, code func(*S, *codec.Codec, *V)) model.Column[S, V] {
	var none N
	return model.Column[S, V]{
		Field: field, Type: typ, Needed: needed, Code: code,
		Read: func(s *S, v *V, f trace.Value) model.Reading {
			if *at(v) = none; f.Type == trace.String && f.Str != "" {
				*at(v) = find(s, f.Str)
			}
			return model.GoodIf(is(f))
		},
		Show: func(_ *S, v *V) (any, bool) {
			switch n := *at(v); {
			case n != none:
				return n.Key(), true
			case bad(v):
				return false, true
			}
			return "", true
		},
	}
}
