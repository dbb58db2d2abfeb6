package value

import "sync/atomic"

// Tuple is a tuple or sequence. A function with domain 1..n is one, too.
type Tuple struct {
	Elems []Value
	hash  uint64
	room  *room
}

// room is space behind the elements of a tuple that has been extended. What is
// made of it by extending it again shares the elements: that takes no copy, and it
// shows in which elements the two are the same.
type room struct {
	all  []Value
	used atomic.Int64 // how many of all have a value
}

// Empty is << >>, and each function with an empty domain.
var Empty = &Tuple{}

// NewTuple returns the tuple, which keeps the slice.
func NewTuple(elems ...Value) *Tuple {
	if len(elems) == 0 {
		return Empty
	}
	return &Tuple{Elems: elems}
}

func (f *Tuple) with(i int, v Value) Value {
	if same(f.Elems[i], v) {
		return f
	}
	n := &Tuple{Elems: append([]Value(nil), f.Elems...)}
	n.Elems[i] = v
	if f.hash != 0 {
		n.hash = f.hash - pairHash(uint64(i+1)*golden, Hash(f.Elems[i])) + pairHash(uint64(i+1)*golden, Hash(v))
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
	n := &Tuple{Elems: f.Elems[from:to:to]}
	if to == len(f.Elems) {
		n.room = f.room
	}
	return n
}

// Extend is f with further elements: Append(f, v), f \o g.
func (f *Tuple) Extend(more ...Value) *Tuple {
	switch {
	case len(more) == 0:
		return f
	case len(f.Elems) == 0:
		return NewTuple(more...)
	}
	n := &Tuple{Elems: f.claim(len(more)), room: f.room}
	if n.Elems == nil {
		all := make([]Value, (len(f.Elems)+len(more))*3/2+1)
		n.room = &room{all: all}
		n.Elems = all[: copy(all, f.Elems)+len(more) : len(f.Elems)+len(more)]
		n.room.used.Store(int64(len(n.Elems)))
	}
	copy(n.Elems[len(f.Elems):], more)
	if f.hash != 0 {
		h := f.hash
		for i, v := range more {
			h += pairHash(uint64(len(f.Elems)+i+1)*golden, Hash(v))
		}
		n.hash = some(h)
	}
	return n
}

// claim is the elements with space for further ones behind them, nil where there
// is none, or something else is there.
func (f *Tuple) claim(more int) []Value {
	r := f.room
	if r == nil {
		return nil
	}
	used := int(r.used.Load())
	if used+more > len(r.all) || &r.all[used-1] != &f.Elems[len(f.Elems)-1] || !r.used.CompareAndSwap(int64(used), int64(used+more)) {
		return nil
	}
	return r.all[used-len(f.Elems) : used+more : used+more]
}

// shares reports whether the two have the same elements for certain.
func (f *Tuple) shares(g *Tuple) bool {
	return f == g || len(f.Elems) == len(g.Elems) && (len(f.Elems) == 0 || &f.Elems[0] == &g.Elems[0])
}
