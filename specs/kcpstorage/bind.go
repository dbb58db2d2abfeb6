package kcpstorage

import (
	"cmp"
	"slices"

	"tracecheck/trace"
	"tracecheck/validators"
)

// binder makes the pairs of a step, one for each namespace that it names. It
// makes records of namespaces and numbers of clusters, and changes nothing else
// of the state.
type binder struct {
	parts   []part
	pvcs    []pvcChange
	syncers []syncerChange
	inPart  []int // the part of each event, -1 where it is of none
	step    int
	index   map[objectKey]int // of pvcs and syncers, in steps of many events
	faults  validators.Faults
	taken   bool // under --attach: the step shows an object for the first time, and is taken as it is
}

// part is a step's part in one namespace.
type part struct {
	pair
	new        value // ns'
	had, shown bool  // of the namespace line
	line       int   // its last namespace line; -1: none
	differed   bool  // ns differs; for after the commit
	by         explanation
	one        *action // where it is byOne
	namedPVCs  []pvcChange
	namedSyncs []syncerChange
}

// explanation says what explains a part.
type explanation uint8

const (
	unexplained explanation = iota
	byStuttering
	byOne
	bySeveral
)

type objectKey struct {
	kind  trace.Kind
	space *space // of a syncer
	id    string
}

// few is how many events of a step are searched one by one.
const few = 8

// kept bounds the buffers that stay after a large step.
const kept = 1024

func (m *machine) bind(step *trace.Step) {
	b := &m.binder
	if cap(b.inPart) > kept {
		b.parts, b.pvcs, b.syncers, b.inPart, b.index = nil, nil, nil, nil, nil
	}
	for i := range b.pvcs { // strings that point into lines that die
		b.pvcs[i].id = ""
	}
	b.parts, b.pvcs, b.syncers, b.inPart = b.parts[:0], b.pvcs[:0], b.syncers[:0], b.inPart[:0]
	b.faults, b.taken = b.faults[:0], false
	b.step++
	clear(b.index)
	many := len(step.Events) > few
	if many && b.index == nil {
		b.index = map[objectKey]int{}
	}
	for i := range step.Events { // so that a PVC finds the only namespace that there is
		if ev := &step.Events[i]; ev.Kind == trace.KindNamespace && ev.Op != trace.OpReject {
			m.s.space(ev.ID)
		}
	}
	for i := range step.Events {
		ev := &step.Events[i]
		part := -1
		if ev.Op != trace.OpReject { // which records that nothing happened
			switch ev.Kind {
			case trace.KindNamespace:
				part = m.bindNamespace(ev, i)
			case trace.KindPVC:
				part = m.bindPVC(ev, i, many)
			case trace.KindSyncer:
				part = m.bindSyncer(ev, i, many)
			}
		}
		b.inPart = append(b.inPart, part)
	}
	m.divide()
}

// partOf returns the part of the namespace.
func (m *machine) partOf(sp *space) (int, *part) {
	b := &m.binder
	if sp.step != b.step {
		sp.step, sp.part = b.step, len(b.parts)
		if n := len(b.parts); n < cap(b.parts) {
			b.parts = b.parts[:n+1]
		} else {
			b.parts = append(b.parts, part{})
		}
		p := &b.parts[sp.part]
		buffer := append(p.new.mapping[:0], sp.ns.mapping...)
		*p = part{pair: pair{clusters: m.s.clusters, space: sp, was: &sp.ns}, line: -1, had: sp.named, shown: sp.named}
		p.new = value{buffer, sp.ns.bad}
	}
	return sp.part, &b.parts[sp.part]
}

func (m *machine) bindNamespace(ev *trace.Event, i int) int {
	b := &m.binder
	at, p := m.partOf(m.s.space(ev.ID))
	p.line = i
	if !b.admit(ev, i, m.attach, &p.shown, p.had) {
		p.new.mapping, p.new.bad = p.new.mapping[:0], false
		return at
	}
	if ev.Op == trace.OpCreate {
		p.new.mapping, p.new.bad = p.new.mapping[:0], false
	}
	b.typed(i, m.s.mergeClusters(&p.new, ev))
	return at
}

// admit judges the event's op; it is false for a delete. Every object stands
// from the start, so that the first line of one may be of any other op.
func (b *binder) admit(ev *trace.Event, line int, attach bool, shown *bool, had bool) bool {
	switch {
	case ev.Op == trace.OpDelete:
		b.faults.Add(validators.OfTransition, line, named(ev)+": no process deletes anything")
		*shown = false
		return false
	case attach && !had && !*shown:
		b.taken = true
	case ev.Op == trace.OpCreate && *shown:
		b.faults.Add(validators.OfTransition, line, named(ev)+": create of what exists")
	}
	*shown = true
	return true
}

// typed notes what is outside its type, "" if nothing is.
func (b *binder) typed(line int, text string) {
	if text != "" {
		b.faults.Add(validators.OfType, line, text)
	}
}

// home finds the namespace of a PVC or syncer that says none, nil if there is
// no telling.
func (m *machine) home(ev *trace.Event) *space {
	if ev.Op == trace.OpCreate {
		return nil // gives all fields
	}
	if ev.Kind == trace.KindSyncer {
		if c, ok := m.s.clusters.number[ev.ID]; ok && m.s.homes[c].spaces == 1 {
			if sp := m.s.homes[c].last; sp.has(c) {
				return sp
			}
		}
	}
	return m.s.only()
}

func (sp *space) has(c cluster) bool {
	_, ok := sp.syncers.place(c)
	return ok
}

func (m *machine) bindPVC(ev *trace.Event, i int, many bool) int {
	b, s := &m.binder, m.s
	id, given, bad := namespaceOf(ev)
	b.typed(i, bad)
	c := b.findPVC(s, ev.ID, many)
	c.line = i
	switch {
	case bad != "":
	case given && (c.space == s.nowhere || ev.Op == trace.OpCreate):
		c.space = s.space(id)
	case given && c.space.id != id:
		c.elsewhere = true
	case !given && ev.Op == trace.OpCreate: // which gives all fields
		b.typed(i, named(ev)+": namespace (left out) is no namespace's name")
	case !given && c.space == s.nowhere:
		if sp := m.home(ev); sp != nil {
			c.space = sp
		}
	}
	if c.elsewhere {
		b.faults.Add(validators.OfTransition, i, named(ev)+": an update may not change a PVC's namespace")
	}
	at, _ := m.partOf(c.space)
	c.part = at
	if !b.admit(ev, i, m.attach, &c.shown, c.had) {
		c.new.mapping, c.new.bad = c.new.mapping[:0], false
		return at
	}
	if ev.Op == trace.OpCreate {
		c.new.mapping, c.new.bad = c.new.mapping[:0], false
	}
	b.typed(i, s.mergeClusters(&c.new, ev))
	return at
}

// allNil is what a PVC that no line has shown is.
var allNil value

// findPVC returns the change of the PVC, made where there is none yet.
func (b *binder) findPVC(s *state, id string, many bool) *pvcChange {
	if many {
		key := objectKey{kind: trace.KindPVC, id: id}
		if i, ok := b.index[key]; ok {
			return &b.pvcs[i]
		}
		b.index[key] = len(b.pvcs)
	} else {
		for i := range b.pvcs {
			if b.pvcs[i].id == id {
				return &b.pvcs[i]
			}
		}
	}
	if n := len(b.pvcs); n < cap(b.pvcs) {
		b.pvcs = b.pvcs[:n+1]
	} else {
		b.pvcs = append(b.pvcs, pvcChange{})
	}
	c := &b.pvcs[len(b.pvcs)-1]
	buffer := c.new.mapping[:0]
	*c = pvcChange{id: id, space: s.nowhere, old: &allNil}
	if p := s.pvcs.Get(id); p != nil {
		c.id, c.space, c.old, c.had, c.shown = p.id, p.space, &p.value, true, true
	}
	c.new = value{append(buffer, c.old.mapping...), c.old.bad}
	return c
}

func (m *machine) bindSyncer(ev *trace.Event, i int, many bool) int {
	b, s := &m.binder, m.s
	id, given, bad := namespaceOf(ev)
	var sp *space
	if given {
		sp = s.space(id)
	} else if bad == "" {
		if sp = m.home(ev); sp == nil {
			bad = named(ev) + ": namespace (left out) is no namespace's name"
		}
	}
	if bad != "" {
		b.typed(i, bad)
		return -1
	}
	at, _ := m.partOf(sp)
	c := b.findSyncer(sp, s.clusters.find(ev.ID), ev.ID, many)
	c.line, c.part = i, at
	if !s.clusters.has(c.cluster) {
		b.typed(i, named(ev)+" is not in CLUSTERS")
	}
	if !b.admit(ev, i, m.attach, &c.shown, c.had) {
		c.new = Nil
		return at
	}
	if ev.Op == trace.OpCreate {
		c.new = Nil
	}
	b.typed(i, mergeState(&c.new, ev))
	return at
}

// findSyncer is as findPVC.
func (b *binder) findSyncer(sp *space, cl cluster, name string, many bool) *syncerChange {
	if many {
		key := objectKey{trace.KindSyncer, sp, name}
		if i, ok := b.index[key]; ok {
			return &b.syncers[i]
		}
		b.index[key] = len(b.syncers)
	} else {
		for i := range b.syncers {
			if c := &b.syncers[i]; c.space == sp && c.cluster == cl {
				return c
			}
		}
	}
	old, had := sp.syncers.of(cl), sp.has(cl)
	b.syncers = append(b.syncers, syncerChange{cluster: cl, space: sp, old: old, new: old, had: had, shown: had})
	return &b.syncers[len(b.syncers)-1]
}

// divide gives each part its changes, those that differ first.
func (m *machine) divide() {
	b := &m.binder
	if len(b.pvcs) > 1 {
		slices.SortStableFunc(b.pvcs, func(x, y pvcChange) int {
			return cmp.Or(cmp.Compare(x.part, y.part), cmp.Compare(b2i(y.differs()), b2i(x.differs())))
		})
	}
	if len(b.syncers) > 1 {
		slices.SortStableFunc(b.syncers, func(x, y syncerChange) int {
			return cmp.Or(cmp.Compare(x.part, y.part), cmp.Compare(b2i(y.differs()), b2i(x.differs())))
		})
	}
	pvcs, syncers := b.pvcs, b.syncers
	for i := range b.parts {
		p := &b.parts[i]
		p.ns = &p.new
		n, differ := 0, 0
		for n < len(pvcs) && pvcs[n].part == i {
			differ += b2i(pvcs[n].differs())
			p.newPVC = p.newPVC || !pvcs[n].had
			n++
		}
		p.namedPVCs, p.pvcs, pvcs = pvcs[:n], pvcs[:differ], pvcs[n:]
		n, differ = 0, 0
		for n < len(syncers) && syncers[n].part == i {
			differ += b2i(syncers[n].differs())
			n++
		}
		p.namedSyncs, p.syncers, syncers = syncers[:n], syncers[:differ], syncers[n:]
		// Under --attach a namespace that no line has shown may be anything.
		m.taken = m.taken || m.attach && !p.space.named && !p.stutters()
	}
}
