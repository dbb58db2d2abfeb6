package eval

import (
	"tracecheck/tlaplus/value"
)

// depends is a tree of what elements have read: a path leads to those that read what is
// there. What has changed is followed down the tree.
type depends struct {
	readers []readBy
	parts   map[uint64]*depends // by the hash of an argument
	members map[uint64]*depends
	lookups map[*index]map[uint64]*depends
	domain  *depends
	key     value.Value // that leads here
}

// readBy is an element that has read something when it was evaluated for that time.
type readBy struct {
	e   *entry
	gen uint32
}

// note notes that the current element reads what a track leads to.
func (t *kept) note(tr *tracker, to track) {
	root := t.roots[to.from]
	if root == nil {
		v, ok := tr.k.valueOf(tr, to.from)
		if !ok {
			tr.lost = true
			return
		}
		root = &keptRoot{val: v}
		t.roots[to.from] = root
	}
	n := &root.depends
	for _, s := range to.steps {
		if n = t.step(n, s); n == nil {
			tr.lost = true
			return
		}
	}
	if last := len(n.readers) - 1; last >= 0 && n.readers[last] == (readBy{tr.of, tr.of.gen}) {
		return
	}
	if len(n.readers) == cap(n.readers) {
		n.sweep()
	}
	n.readers = append(n.readers, readBy{tr.of, tr.of.gen})
}

// sweep leaves those out that have been evaluated again since.
func (n *depends) sweep() {
	k := 0
	for _, x := range n.readers {
		if x.e.gen == x.gen {
			n.readers[k] = x
			k++
		}
	}
	clear(n.readers[k:])
	n.readers = n.readers[:k]
}

// step is where a step leads to; nil where it cannot be distinguished from others.
func (t *kept) step(n *depends, s trackStep) *depends {
	if s.kind == toDomain {
		if n.domain == nil {
			n.domain = &depends{}
			t.size++
		}
		return n.domain
	}
	h, ok := value.KeyHash(s.key)
	if !ok {
		return nil
	}
	kids := n.kids(s)
	kid := kids[h]
	if kid == nil {
		kid = &depends{key: s.key}
		kids[h] = kid
		t.size++
	} else if !value.Identical(kid.key, s.key) {
		return nil
	}
	return kid
}

func (n *depends) kids(s trackStep) map[uint64]*depends {
	of := &n.parts
	switch s.kind {
	case toMember:
		of = &n.members
	case toElements:
		if n.lookups == nil {
			n.lookups = map[*index]map[uint64]*depends{}
		}
		if n.lookups[s.by] == nil {
			n.lookups[s.by] = map[uint64]*depends{}
		}
		return n.lookups[s.by]
	}
	if *of == nil {
		*of = map[uint64]*depends{}
	}
	return *of
}

// changed makes those stale that have read of a value what is another one now.
func (t *kept) changed(r *Run, n *depends, was, is value.Value) {
	if value.Same(was, is) || len(n.readers) > 0 && r.differences.Identical(was, is) {
		return
	}
	t.stale(n.readers)
	if n.domain != nil {
		if x, y, ok := value.Domains(was, is); ok {
			t.changed(r, n.domain, x, y)
		} else {
			t.all(n.domain)
		}
	}
	if len(n.parts) > 0 {
		t.parts(r, n, was, is)
	}
	if len(n.members) > 0 || len(n.lookups) > 0 {
		x, ok := was.(*value.Set)
		y, also := is.(*value.Set)
		if ok && also {
			if gone, come, ok := r.differences.Of(x, y); ok {
				t.elements(r, n, gone)
				t.elements(r, n, come)
				return
			}
		}
		t.allOf(n.members)
		for _, kids := range n.lookups {
			t.allOf(kids)
		}
	}
}

// fewParts are looked at one by one.
const fewParts = 8

// parts is changed for the values of a function.
func (t *kept) parts(r *Run, n *depends, was, is value.Value) {
	if len(n.parts) > fewParts {
		if keys, ok := r.differences.Parts(was, is); ok {
			for _, k := range keys {
				if h, ok := value.KeyHash(k); ok && n.parts[h] != nil {
					t.part(r, n.parts[h], was, is)
				}
			}
			return
		}
	}
	for _, kid := range n.parts {
		t.part(r, kid, was, is)
	}
}

func (t *kept) part(r *Run, kid *depends, was, is value.Value) {
	x, ok := value.Part(was, kid.key)
	y, also := value.Part(is, kid.key)
	if ok && also {
		t.changed(r, kid, x, y)
	} else {
		t.all(kid)
	}
}

// elements makes those stale that depend on elements which a set has no longer, or has
// got.
func (t *kept) elements(r *Run, n *depends, list []value.Value) {
	for _, e := range list {
		if len(n.members) > 0 {
			if h, ok := value.KeyHash(e); ok && n.members[h] != nil {
				t.all(n.members[h])
			}
		}
		for ix, kids := range n.lookups {
			h, ok := value.KeyHash(ix.keyOf(r, e))
			if kid := kids[h]; ok && kid != nil {
				t.stale(kid.readers)
				t.elements(r, kid, []value.Value{e})
				t.allOf(kid.parts)
				if kid.domain != nil {
					t.all(kid.domain)
				}
			}
		}
	}
}

func (t *kept) stale(list []readBy) {
	for _, x := range list {
		if x.e.gen == x.gen && !x.e.stale {
			x.e.stale = true
			t.again = append(t.again, x.e)
		}
	}
}

// all makes all stale that have read something there.
func (t *kept) all(n *depends) {
	t.stale(n.readers)
	t.allOf(n.parts)
	t.allOf(n.members)
	for _, kids := range n.lookups {
		t.allOf(kids)
	}
	if n.domain != nil {
		t.all(n.domain)
	}
}

func (t *kept) allOf(kids map[uint64]*depends) {
	for _, kid := range kids {
		t.all(kid)
	}
}
