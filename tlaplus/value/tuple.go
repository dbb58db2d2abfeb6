package value

import (
	"slices"
	"sync"
)

// Tuple is a tuple or sequence. A function with domain 1..n is one, too.
type Tuple struct {
	Elems []Value
	hash  uint64
	room  *room // nil: none
	end   int   // of Elems in it
}

// room is space behind the elements of a tuple that has been extended. What is
// made of it by extending it again shares the elements: that takes no copy, and it
// shows in which elements the two are the same. An extension that is made twice, as
// where a step is made and then checked, shares them, too.
type room struct {
	all  []Value
	lock sync.Mutex
	used int // how many of all have a value
}

// Empty is << >>, and each function with an empty domain. It is shared by goroutines,
// and so has its hash from the start.
var Empty = &Tuple{hash: hashOfEmpty}

// NewTuple returns the tuple, which keeps the slice.
func NewTuple(elems ...Value) *Tuple {
	if len(elems) == 0 {
		return Empty
	}
	return &Tuple{Elems: elems}
}

// NewShortTuple is NewTuple of a copy of the elements. It takes one piece of memory where
// there are few.
func NewShortTuple(elems []Value) *Tuple {
	if n := len(elems); n == 0 || n > shortTuple {
		return NewTuple(slices.Clone(elems)...)
	}
	t := &struct {
		Tuple
		space [shortTuple]Value
	}{}
	t.Elems = t.space[:copy(t.space[:], elems):len(elems)]
	return &t.Tuple
}

const shortTuple = 2

func (f *Tuple) with(i int, v Value) Value {
	if same(f.Elems[i], v) {
		return f
	}
	n := &Tuple{Elems: append([]Value(nil), f.Elems...)}
	n.Elems[i] = v
	if h := known(&f.hash); h != 0 {
		n.hash = h - pairHash(uint64(i+1)*golden, Hash(f.Elems[i])) + pairHash(uint64(i+1)*golden, Hash(v))
	}
	return n
}

// Part is the elements from a place to another, counted from 0: the tuples share
// them.
func (f *Tuple) Part(from, to int) *Tuple {
	switch {
	case from == to:
		return Empty
	case from == 0 && to == len(f.Elems):
		return f
	}
	return &Tuple{Elems: f.Elems[from:to:to], room: f.room, end: f.end - len(f.Elems) + to}
}

// Extend is f with further elements: Append(f, v).
func (f *Tuple) Extend(more ...Value) *Tuple {
	switch {
	case len(more) == 0:
		return f
	case len(f.Elems) == 0:
		return NewTuple(more...)
	}
	n := &Tuple{Elems: f.claim(more), room: f.room, end: f.end + len(more)}
	if n.Elems == nil {
		n.end = len(f.Elems) + len(more)
		all := make([]Value, n.end*3/2+1)
		copy(all[copy(all, f.Elems):], more)
		n.room = &room{all: all, used: n.end}
		n.Elems = all[:n.end:n.end]
	}
	if h := known(&f.hash); h != 0 {
		for i, v := range more {
			h += pairHash(uint64(len(f.Elems)+i+1)*golden, Hash(v))
		}
		n.hash = some(h)
	}
	return n
}

// Concat is f \o g.
func (f *Tuple) Concat(g *Tuple) *Tuple {
	if len(f.Elems) == 0 {
		return g
	}
	return f.Extend(g.Elems...)
}

// claim is the elements with the further ones behind them, nil where there is no
// space, or something else is there.
func (f *Tuple) claim(more []Value) []Value {
	r := f.room
	if r == nil {
		return nil
	}
	r.lock.Lock()
	defer r.lock.Unlock()
	to := f.end + len(more)
	if to > len(r.all) {
		return nil
	}
	there := min(r.used, to)
	if !slices.EqualFunc(r.all[f.end:there], more[:there-f.end], twins) {
		return nil
	}
	copy(r.all[there:to], more[there-f.end:])
	r.used = max(r.used, to)
	return r.all[f.end-len(f.Elems) : to : to]
}

// twins reports whether the two are for certain the same in all that can be seen of
// them: equal sets may be printed in two ways.
func twins(a, b Value) bool {
	if same(a, b) {
		return true
	}
	switch x := a.(type) {
	case *Tuple:
		y, ok := b.(*Tuple)
		return ok && slices.EqualFunc(x.Elems, y.Elems, twins)
	case *Fcn:
		y, ok := b.(*Fcn)
		return ok && x.Dom == y.Dom && x.vals.matches(&y.vals, twins)
	case *Set:
		y, ok := b.(*Set)
		return ok && x.mixed == y.mixed && x.list.matches(&y.list, twins)
	}
	return false
}

// shares reports whether the two have the same elements for certain.
func (f *Tuple) shares(g *Tuple) bool {
	return f == g || len(f.Elems) == len(g.Elems) && (len(f.Elems) == 0 || &f.Elems[0] == &g.Elems[0])
}
