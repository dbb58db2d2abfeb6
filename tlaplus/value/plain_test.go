package value

import (
	"sync"
	"testing"
)

// TestPlain: a value with a part that is evaluated later is not plain, wherever the part is.
func TestPlain(t *testing.T) {
	s := NewSpace()
	late := &Lambda{Dom: Nat, Call: func(v Value) Value { return v }}
	filter := &Filter{Of: Nat, Test: func(Value) bool { return true }}
	record := func(v Value) Value {
		dom, at := s.Fields([]*Str{s.String("a"), s.String("b")})
		vals := make([]Value, 2)
		vals[at[0]], vals[at[1]] = Of(1), v
		return NewFcn(dom, vals)
	}
	set := func(list ...int64) Value {
		var elems []Value
		for _, n := range list {
			elems = append(elems, Of(n))
		}
		return NewSet(elems)
	}
	old := NewTuple(record(Of(1)), record(Of(2)))
	for _, c := range []struct {
		v, was Value
		want   bool
	}{
		{Of(1), nil, true}, {True, Of(1), true}, {s.Model("m"), nil, true}, {Interval{1, 3}, nil, true},
		{record(Of(2)), nil, true}, {record(late), nil, false}, {record(late), record(Of(1)), false},
		{NewTuple(Of(1), record(filter)), nil, false}, {late, nil, false}, {&Subset{Of: late}, nil, false},
		{NewTuple(old.Elems[0], record(late)), old, false}, {NewTuple(old.Elems[1], record(Of(3))), old, true},
		{NewTuple(old.Elems[0], old.Elems[1], late), old, false}, {NewTuple(old.Elems[1], late), old, false},
		{NewTuple(late, old.Elems[0], old.Elems[1]), old, false}, {NewTuple(late, old.Elems[1]), old, false},
		{set(1, 2, 4), set(1, 2, 3, 4), true}, {set(1, 2, 3, 4), set(1, 3, 4), true},
	} {
		if got := Plain(c.v, c.was); got != c.want {
			t.Errorf("Plain(%v, %v) = %v", c.v, c.was, got)
		}
	}
}

// TestSharedSpace: goroutines that share a Space have the same strings, and may ask for the
// hash of a value. The race detector would see what is not locked.
func TestSharedSpace(t *testing.T) {
	s := NewSpace()
	first := s.String("first")
	s.Settle()
	v := NewTuple(first, NewSet([]Value{Of(1), Of(2)}))
	type found struct {
		late, borrowed, model Value
		dom                   *Set
		hash                  uint64
	}
	var all [2]found
	var wait sync.WaitGroup
	for i := range all {
		wait.Go(func() {
			for range 100 {
				late := s.String("late")
				dom, _ := s.Fields([]*Str{first, late})
				all[i] = found{late, s.Borrowed("borrowed"), s.Model("model"), dom, Hash(v)}
			}
		})
	}
	wait.Wait()
	if all[0] != all[1] {
		t.Errorf("%v and %v", all[0], all[1])
	}
	if s.Settle(); s.String("late") != all[0].late {
		t.Error("a Space that is settled again has forgotten a string")
	}
}
