package value

import (
	"strings"
	"testing"
)

// TestShowSharedParts: a value whose parts are shared may be far longer, printed, than the
// memory that it takes. A message shows its beginning.
func TestShowSharedParts(t *testing.T) {
	name := NewSpace().String("f")
	for _, c := range []struct {
		begin string
		of    func(Value) Value
	}{
		{"<<", func(v Value) Value { return NewTuple(v, v) }},
		{"{<<1, ", func(v Value) Value { return NewSet([]Value{NewTuple(Of(1), v), NewTuple(Of(2), v)}) }},
		{"[f |-> <<", func(v Value) Value { return NewFcn(NewSet([]Value{name}), []Value{NewTuple(v, v)}) }},
		{"(Seq((Seq(", func(v Value) Value { return &Product{Sets: []Value{&Seq{Of: v}, v}} }},
	} {
		t.Run(c.begin, func(t *testing.T) {
			v := Value(Of(7))
			for range 60 {
				v = c.of(v)
			}
			if s := Show(v); !strings.HasPrefix(s, c.begin) || !strings.HasSuffix(s, "…") {
				t.Errorf("it is shown as %s", s)
			}
		})
	}
}

// TestAppendUpTo: what is printed up to a bound is the beginning of what is printed without one.
func TestAppendUpTo(t *testing.T) {
	space := NewSpace()
	a, b := space.String("a"), space.String(`b"c`)
	pair := NewTuple(Of(1), NewSet([]Value{Of(2), Of(30), Of(-4)}))
	values := []Value{
		True, Of(12345), b, pair, NewTuple(), NewSet(nil), Interval{Lo: 2, Hi: 40}, Interval{Lo: 2, Hi: 1}, Nat,
		NewFcn(NewSet([]Value{a, space.String("z")}), []Value{pair, b}),
		NewFcn(NewSet([]Value{Of(4), Of(9)}), []Value{pair, b}),
		&Subset{Of: Interval{Lo: 1, Hi: 30}}, &Subset{Of: NewSet([]Value{Of(1), Of(2)})}, &Subset{Of: Nat},
		&FcnSet{Dom: Interval{Lo: 1, Hi: 30}, Range: Interval{Lo: 1, Hi: 30}}, &Product{Sets: []Value{Nat, Interval{Lo: 1, Hi: 3}}},
		&RecordSet{Names: []*Str{a}, Sets: []Value{Nat}}, &Seq{Of: Interval{Lo: 1, Hi: 3}},
	}
	for _, v := range append(values, NewTuple(values...)) {
		whole := string(Append(nil, v))
		for most := range len(whole) + 1 {
			got := string(AppendUpTo(nil, v, most))
			if most == len(whole) && got != whole || most < len(whole) && (len(got) <= most || got[:most+1] != whole[:most+1]) {
				t.Fatalf("%s, up to %d bytes: %s", whole, most, got)
			}
		}
	}
}
