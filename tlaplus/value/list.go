package value

import (
	"iter"
	"slices"
)

// List is values in their order; it does not change. A long one is in chunks, and a list
// that is made of it has most of them in common: a step changes few elements of a large set
// or function.
type List struct {
	flat []Value
	wide *wide // instead of flat; nil: there is none
}

// wide is chunks.
type wide struct{ chunks []chunk }

// chunk is some values. It ends before a place of the list.
type chunk struct {
	vals []Value
	end  int
}

// leastWide is how many values have chunks. These have about chunkLength values.
const (
	leastWide   = 512
	chunkLength = 128
)

// Len is how many values the list has.
func (l *List) Len() int {
	if l.wide == nil {
		return len(l.flat)
	}
	return l.wide.chunks[len(l.wide.chunks)-1].end
}

// At is the value at a place.
func (l *List) At(i int) Value {
	if l.wide == nil {
		return l.flat[i]
	}
	return l.from(i)[0]
}

// All is the values, in one slice. Of a long list it is a new one.
func (l *List) All() []Value {
	if l.wide == nil {
		return l.flat
	}
	all := make([]Value, 0, l.Len())
	for _, c := range l.wide.chunks {
		all = append(all, c.vals...)
	}
	return all
}

// Each is the values with their places.
func (l *List) Each() iter.Seq2[int, Value] {
	return func(yield func(int, Value) bool) {
		if l.wide == nil {
			for i, v := range l.flat {
				if !yield(i, v) {
					return
				}
			}
			return
		}
		for w := l.walk(0); !w.ended(); w.skip(1) {
			if !yield(w.at, w.rest[0]) {
				return
			}
		}
	}
}

// from is the values from a place to the end of its chunk.
func (l *List) from(i int) []Value {
	if l.wide == nil {
		return l.flat[i:]
	}
	c := l.wide.chunks[l.wide.find(i)]
	return c.vals[i-c.start():]
}

func (c *chunk) start() int { return c.end - len(c.vals) }

// find is the number of the chunk that has a place.
func (w *wide) find(i int) int {
	from, to := 0, len(w.chunks)
	for from < to {
		if k := int(uint(from+to) >> 1); w.chunks[k].end > i {
			to = k
		} else {
			from = k + 1
		}
	}
	return from
}

// near is the part of a list in order that has a value, or would have it, and its place.
func (l *List) near(isAfter func(Value) bool) (part []Value, at int) {
	if l.wide == nil {
		return l.flat, 0
	}
	from, to := 0, len(l.wide.chunks)
	for to-from > 1 {
		if k := int(uint(from+to) >> 1); isAfter(l.wide.chunks[k].vals[0]) {
			to = k
		} else {
			from = k
		}
	}
	c := &l.wide.chunks[from]
	return c.vals, c.start()
}

// walk goes along a list.
type walk struct {
	of   *List
	at   int
	rest []Value // of the chunk; none: the list has ended
}

func (l *List) walk(i int) walk {
	w := walk{of: l, at: i}
	w.skip(0)
	return w
}

func (w *walk) ended() bool { return len(w.rest) == 0 }

// skip goes over so many values of the chunk.
func (w *walk) skip(n int) {
	w.at += n
	if w.rest = w.rest[min(n, len(w.rest)):]; len(w.rest) == 0 && w.at < w.of.Len() {
		w.rest = w.of.from(w.at)
	}
}

// shared is how many of the next values two long lists have in one chunk.
func (w *walk) shared(v *walk) int {
	if w.of.wide != nil && &w.rest[0] == &v.rest[0] {
		return min(len(w.rest), len(v.rest))
	}
	return 0
}

// same is how many of the next values are the same for certain.
func (w *walk) same(v *walk) int {
	n := w.shared(v)
	for most := min(len(w.rest), len(v.rest)); n < most && same(w.rest[n], v.rest[n]); {
		n++
	}
	return n
}

// matches reports whether two lists are of the same length, and do is true of the two values
// at each place. What they share is left out.
func (l *List) matches(m *List, do func(v, w Value) bool) bool {
	if l.Len() != m.Len() {
		return false
	}
	if l.wide == nil && m.wide == nil {
		return slices.EqualFunc(l.flat, m.flat, do)
	}
	for v, w := l.walk(0), m.walk(0); !v.ended(); {
		n := v.shared(&w)
		if n == 0 {
			if !do(v.rest[0], w.rest[0]) {
				return false
			}
			n = 1
		}
		v.skip(n)
		w.skip(n)
	}
	return true
}

// assembly makes a list of values and of parts of other lists.
type assembly struct {
	wide wide
	tail []Value
	flat bool // the list is short
}

// newAssembly is for a list of so many values, or fewer.
func newAssembly(most int) *assembly {
	m := &assembly{flat: most < leastWide}
	if m.flat {
		m.tail = make([]Value, 0, most)
	} else {
		m.wide.chunks = make([]chunk, 0, most/chunkLength+2)
	}
	return m
}

func (m *assembly) add(list ...Value) {
	if m.tail == nil && !m.flat {
		m.tail = make([]Value, 0, max(len(list), chunkLength+4))
	}
	m.tail = append(m.tail, list...)
	for !m.flat && len(m.tail) > 2*chunkLength {
		m.chunk(m.tail[:chunkLength:chunkLength])
		m.tail = m.tail[chunkLength:]
	}
}

// part adds values of a list.
func (m *assembly) part(l *List, from, to int) {
	switch {
	case m.flat:
		for from < to {
			part := l.from(from)
			part = part[:min(len(part), to-from)]
			m.tail = append(m.tail, part...)
			from += len(part)
		}
	case l.wide == nil:
		for part := range slices.Chunk(l.flat[from:to], chunkLength) {
			m.whole(part)
		}
	case from < to:
		for k := l.wide.find(from); from < to; k++ {
			c := &l.wide.chunks[k]
			part := c.vals[from-c.start() : min(c.end, to)-c.start()]
			if from += len(part); len(part) == len(c.vals) {
				m.whole(part)
			} else {
				m.add(part...)
			}
		}
	}
}

// whole adds a chunk. A short one, and one behind few values, is not kept.
func (m *assembly) whole(vals []Value) {
	const least = chunkLength / 2
	if len(vals) < least || 0 < len(m.tail) && len(m.tail) < least {
		m.add(vals...)
		return
	}
	m.flush()
	m.chunk(vals)
}

func (m *assembly) chunk(vals []Value) {
	end := len(vals)
	if n := len(m.wide.chunks); n > 0 {
		end += m.wide.chunks[n-1].end
	}
	m.wide.chunks = append(m.wide.chunks, chunk{vals, end})
}

func (m *assembly) flush() {
	if len(m.tail) > 0 {
		m.chunk(slices.Clip(m.tail))
		m.tail = nil
	}
}

// list is what has been made.
func (m *assembly) list() List {
	if m.flat || len(m.wide.chunks) == 0 {
		return List{flat: m.tail}
	}
	m.flush()
	w := m.wide
	return List{wide: &w}
}

// with is the list with other values in place of those of some places.
func (l *List) with(from, to int, put ...Value) List {
	n := l.Len() - (to - from) + len(put)
	if l.wide == nil && n < leastWide {
		return List{flat: append(append(append(make([]Value, 0, n), l.flat[:from]...), put...), l.flat[to:]...)}
	}
	m := newAssembly(n)
	m.part(l, 0, from)
	m.add(put...)
	m.part(l, to, l.Len())
	return m.list()
}

// allAgain reports whether do is true of each value but those that another list has at about
// the same place. was is what it has there; nil: that is not known.
func (l *List) allAgain(other *List, do func(v, was Value) bool) bool {
	for v, w := l.walk(0), other.walk(0); !v.ended(); {
		var was Value
		if !w.ended() {
			n := v.same(&w)
			v.skip(n)
			w.skip(n)
			switch {
			case n > 0:
				continue
			case same(v.rest[0], w.next()): // one has been taken out
				w.skip(1)
				continue
			case !same(v.next(), w.rest[0]): // else one has been put in
				was = w.rest[0]
				w.skip(1)
			}
		}
		if !do(v.rest[0], was) {
			return false
		}
		v.skip(1)
	}
	return true
}

// next is the value after the next one; nil where there is none.
func (w *walk) next() Value {
	switch {
	case len(w.rest) > 1:
		return w.rest[1]
	case w.at+1 < w.of.Len():
		return w.of.At(w.at + 1)
	}
	return nil
}
