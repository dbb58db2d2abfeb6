// Package value has the values of TLA+: booleans, integers, strings, model
// values, tuples, functions, records and sets. Values do not change. Their order
// and what may be compared are TLC's: sets by size first, tuples by length,
// strings by their first appearance (tlc2.value.impl), unless Space.Settle was called.
//
// Sets and functions are sorted lists: that gives TLC's order of enumeration, which
// CHOOSE depends on. A step of a trace changes few elements, so a long list is in chunks,
// which its copies share. benbjohnson/immutable was weighed for them: its maps have neither
// an order by TLC's rules nor hashes that follow a change.
//
// What TLC reports as an evaluation error is a panic with an *Error.
package value

import (
	"fmt"
	"math"
	"unsafe"
)

// Error is an evaluation error, in TLC's sense.
type Error struct{ Msg string }

func (e *Error) Error() string { return e.Msg }

// Fail panics with an *Error.
func Fail(format string, args ...any) {
	panic(&Error{fmt.Sprintf(format, args...)})
}

// Value is one of Bool, Int, *Str, *Model, *Tuple, *Fcn, *Lambda, *Set and Interval. The
// others are sets that are not enumerated without need: *Subset, *FcnSet, *RecordSet,
// *Product, *Binary, *Filter, *Seq, Infinite.
type Value any

// Bool is TRUE or FALSE.
type Bool bool

// Int is an integer. As in TLC, it has 32 bits.
type Int int32

// Of returns the value of an integer, or an overflow error.
func Of(n int64) Value {
	if n < math.MinInt32 || n > math.MaxInt32 {
		Fail("the integer %d does not fit 32 bits", n)
	}
	if n >= smallest && n < smallest+int64(len(small)) {
		return small[n-smallest]
	}
	return Int(n)
}

const smallest = -128

// small has the boxes of small integers.
var small = func() (list [1152]Value) {
	for i := range list {
		list[i] = Int(i + smallest)
	}
	return list
}()

// True and False are boxed.
var (
	True  Value = Bool(true)
	False Value = Bool(false)
)

// Truth boxes a boolean.
func Truth(b bool) Value {
	if b {
		return True
	}
	return False
}

// Fcn is a function with a finite domain that is not 1..n; a record where all of
// the domain are strings.
type Fcn struct {
	Dom  *Set
	vals List // by the domain's elements
	hash uint64
}

// NewFcn returns the function with the values of the domain's elements, in their
// order. It keeps the slice.
func NewFcn(dom *Set, vals []Value) Value { return newFcn(dom, List{flat: vals}) }

func newFcn(dom *Set, vals List) Value {
	if n := dom.Len(); n == 0 {
		return Empty
	} else if first, ok := dom.At(0).(Int); ok && first == 1 {
		if last, ok := dom.At(n - 1).(Int); ok && int(last) == n {
			return NewTuple(vals.All()...)
		}
	}
	return &Fcn{Dom: dom, vals: vals}
}

// Len is how many values the function has.
func (f *Fcn) Len() int { return f.vals.Len() }

// Val is the value of an element of the domain, by its place.
func (f *Fcn) Val(i int) Value { return f.vals.At(i) }

// Vals is the values in one slice, by the domain's elements. Of a large function it is a new
// one.
func (f *Fcn) Vals() []Value { return f.vals.All() }

// IsRecord reports whether all of the domain are strings.
func (f *Fcn) IsRecord() bool {
	for _, e := range f.Dom.Each() {
		if _, ok := e.(*Str); !ok {
			return false
		}
	}
	return true
}

// Lambda is a function that is not tabulated: its domain may be infinite.
type Lambda struct {
	Dom  Value
	Call func(arg Value) Value // of an element of the domain
	Text any                   // what its maker keeps with it
	tab  Value                 // once it is tabulated
}

// Force tabulates the function.
func (f *Lambda) Force() Value {
	if f.tab != nil {
		return f.tab
	}
	dom := Enumerate(f.Dom)
	vals := make([]Value, dom.Len())
	for i, e := range dom.Each() {
		vals[i] = f.Call(e)
	}
	f.tab = NewFcn(dom, vals)
	return f.tab
}

// function returns v as *Tuple or *Fcn, or nil where it is not a function.
func function(v Value) Value {
	switch v := v.(type) {
	case *Tuple, *Fcn:
		return v
	case *Lambda:
		return v.Force()
	}
	return nil
}

// Apply is f[arg].
func Apply(f, arg Value) Value {
	switch f := f.(type) {
	case *Tuple:
		if i, ok := arg.(Int); ok {
			if i >= 1 && int(i) <= len(f.Elems) {
				return f.Elems[i-1]
			}
			Fail("the tuple %s has no element %d", Show(f), i)
		}
		Fail("a tuple is applied to %s, which is not an integer: %s", Show(arg), Show(f))
	case *Fcn:
		if i, ok := f.Dom.find(arg); ok {
			return f.Val(i)
		}
		if s, ok := arg.(*Str); ok && f.IsRecord() {
			Fail("the record has no field %s: its fields are %s", s.Text, Show(f.Dom)) // without values: IOEnv may have secrets
		}
		Fail("the argument %s is not in the domain of the function %s", Show(arg), Show(f))
	case *Lambda:
		if !Contains(f.Dom, arg) {
			Fail("the argument %s is not in the domain of the function, %s", Show(arg), Show(f.Dom))
		}
		return f.Call(arg)
	}
	Fail("%s is not a function, but is applied to %s", Show(f), Show(arg))
	return nil
}

// Domain is DOMAIN f.
func Domain(f Value) Value {
	switch f := f.(type) {
	case *Tuple:
		return Interval{1, int32(len(f.Elems))}
	case *Fcn:
		return f.Dom
	case *Lambda:
		if Few(f.Dom) {
			f.Force() // as in TLC, an error in a value is one here
		}
		return f.Dom
	}
	Fail("DOMAIN of %s, which is not a function", Show(f))
	return nil
}

// With is [f EXCEPT ![arg] = change(f[arg])]. An arg outside the domain changes
// nothing.
func With(f, arg Value, change func(Value) Value) Value {
	if l, ok := f.(*Lambda); ok {
		if l.tab == nil {
			return l.with(arg, change)
		}
		f = l.tab
	}
	switch f := f.(type) {
	case *Tuple:
		i, ok := arg.(Int)
		if !ok && len(f.Elems) == 0 {
			return f // any function may be empty
		} else if !ok {
			Fail("EXCEPT of a tuple with %s, which is not an integer: %s", Show(arg), Show(f))
		}
		if i < 1 || int(i) > len(f.Elems) {
			return f
		}
		return f.with(int(i)-1, change(f.Elems[i-1]))
	case *Fcn:
		i, ok := f.Dom.find(arg)
		if !ok {
			return f
		}
		return f.with(i, change(f.Val(i)))
	}
	Fail("EXCEPT of %s, which is not a function", Show(f))
	return nil
}

func (f *Lambda) with(arg Value, change func(Value) Value) Value {
	if !Contains(f.Dom, arg) {
		return f
	}
	to := change(f.Call(arg))
	return &Lambda{Dom: f.Dom, Call: func(a Value) Value {
		if Equal(a, arg) {
			return to
		}
		return f.Call(a)
	}}
}

func (f *Fcn) with(i int, v Value) Value {
	old := f.Val(i)
	if same(old, v) {
		return f
	}
	n := &Fcn{Dom: f.Dom, vals: f.vals.with(i, i+1, v)}
	if h := known(&f.hash); h != 0 {
		k := Hash(f.Dom.At(i))
		n.hash = h - pairHash(k, Hash(old)) + pairHash(k, Hash(v))
	}
	return n
}

// Same reports whether the two are the same value for certain, at no cost.
func Same(a, b Value) bool { return same(a, b) }

func same(a, b Value) bool { return *words(&a) == *words(&b) || alike(a, b) }

// words are a value's type and the address of what it is: equal words are of one value.
func words(v *Value) *[2]uintptr { return (*[2]uintptr)(unsafe.Pointer(v)) }

// alike is same for values at different places.
func alike(a, b Value) bool {
	switch x := a.(type) {
	case *Fcn:
		y, ok := b.(*Fcn)
		return ok && x == y
	case *Set:
		y, ok := b.(*Set)
		return ok && x == y
	case *Str:
		y, ok := b.(*Str)
		return ok && x == y
	case Int:
		y, ok := b.(Int)
		return ok && x == y
	case Bool, *Model, *Lambda, Interval, Infinite, Span:
		return a == b
	case *Tuple:
		y, ok := b.(*Tuple)
		return ok && x.shares(y)
	}
	return false
}
