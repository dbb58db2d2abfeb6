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

// wide is chunks, and the place after each of them.
type wide struct {
	chunks [][]Value
	ends   []int
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
	return l.wide.ends[len(l.wide.ends)-1]
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
	return slices.Concat(l.wide.chunks...)
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
	k := l.wide.chunk(i)
	chunk := l.wide.chunks[k]
	return chunk[len(chunk)-l.wide.ends[k]+i:]
}

// chunk is the number of the chunk that has a place.
func (w *wide) chunk(i int) int {
	k, isEnd := slices.BinarySearch(w.ends, i)
	if isEnd {
		k++
	}
	return k
}

// near is the part of a list in order that has a value, or would have it, and its place.
func (l *List) near(isAfter func(Value) bool) (part []Value, at int) {
	if l.wide == nil {
		return l.flat, 0
	}
	from, to := 0, len(l.wide.chunks)
	for to-from > 1 {
		if k := int(uint(from+to) >> 1); isAfter(l.wide.chunks[k][0]) {
			to = k
		} else {
			from = k
		}
	}
	part = l.wide.chunks[from]
	return part, l.wide.ends[from] - len(part)
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
		n := most/chunkLength + 2
		m.wide = wide{make([][]Value, 0, n), make([]int, 0, n)}
	}
	return m
}

func (m *assembly) add(list ...Value) {
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
		for k := l.wide.chunk(from); from < to; k++ {
			chunk, end := l.wide.chunks[k], l.wide.ends[k]
			part := chunk[len(chunk)-end+from : len(chunk)-end+min(end, to)]
			if from += len(part); len(part) == len(chunk) {
				m.whole(part)
			} else {
				m.add(part...)
			}
		}
	}
}

// whole adds a chunk. A short one, and one behind few values, is not kept.
func (m *assembly) whole(chunk []Value) {
	const least = chunkLength / 2
	if len(chunk) < least || 0 < len(m.tail) && len(m.tail) < least {
		m.add(chunk...)
		return
	}
	m.flush()
	m.chunk(chunk)
}

func (m *assembly) chunk(list []Value) {
	end := len(list)
	if n := len(m.wide.ends); n > 0 {
		end += m.wide.ends[n-1]
	}
	m.wide.chunks, m.wide.ends = append(m.wide.chunks, list), append(m.wide.ends, end)
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
	m := newAssembly(l.Len() - (to - from) + len(put))
	m.part(l, 0, from)
	m.add(put...)
	m.part(l, to, l.Len())
	return m.list()
}

// allAgain reports whether do is true of each value but those that another list has at about
// the same place. was is what it has there; nil: that is not known.
func (l *List) allAgain(other *List, do func(v, was Value) bool) bool {
	for v, w := l.walk(0), other.walk(0); !v.ended(); {
		n := 1
		switch {
		case w.ended():
			if !do(v.rest[0], nil) {
				return false
			}
		case same(v.rest[0], w.rest[0]):
			n = max(n, v.shared(&w))
		case same(v.rest[0], w.next()): // one has been taken out
			w.skip(1)
			continue
		case same(v.next(), w.rest[0]): // one has been put in
			if !do(v.rest[0], nil) {
				return false
			}
			v.skip(1)
			continue
		default:
			if !do(v.rest[0], w.rest[0]) {
				return false
			}
		}
		v.skip(n)
		w.skip(n)
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
