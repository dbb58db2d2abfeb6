package value

import "slices"

// A step changes few values of a function. Those of a large one are in chunks, so that a
// copy with another value has most of them in common.

// leastWide is how many values have chunks, each with so many of them.
const (
	leastWide   = 512
	chunkLength = 128
)

// wide is values in chunks.
type wide struct{ chunks [][]Value }

// wideWith is the function's values in chunks, with another one.
func (f *Fcn) wideWith(i int, v Value) *wide {
	n := &wide{make([][]Value, 0, (f.Len()+chunkLength-1)/chunkLength)}
	if f.wide != nil {
		n.chunks = append(n.chunks, f.wide.chunks...)
	} else {
		n.chunks = slices.AppendSeq(n.chunks, slices.Chunk(f.vals, chunkLength))
	}
	at := &n.chunks[i/chunkLength]
	*at = slices.Clone(*at)
	(*at)[i%chunkLength] = v
	return n
}

// Len is how many values the function has.
func (f *Fcn) Len() int { return len(f.Dom.Elems) }

// Val is the value of an element of the domain, by its place.
func (f *Fcn) Val(i int) Value {
	if f.wide == nil {
		return f.vals[i]
	}
	return f.wide.chunks[i/chunkLength][i%chunkLength]
}

// Vals is the values, by the domain's elements.
func (f *Fcn) Vals() []Value {
	if f.wide == nil {
		return f.vals
	}
	return slices.Concat(f.wide.chunks...)
}

// unlike calls do with each place where another function with as many values has another
// one, or perhaps the same, until it returns false, and returns false then.
func (f *Fcn) unlike(g *Fcn, do func(i int) bool) bool {
	for i := 0; i < f.Len(); i++ {
		if i%chunkLength == 0 && f.wide != nil && g.wide != nil && &f.wide.chunks[i/chunkLength][0] == &g.wide.chunks[i/chunkLength][0] {
			i += chunkLength - 1
			continue
		}
		if v, w := f.Val(i), g.Val(i); !same(v, w) && !do(i) {
			return false
		}
	}
	return true
}
