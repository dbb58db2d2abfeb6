package model

import (
	"math/bits"
	"slices"
	"strings"

	"tracecheck/trace"
	"tracecheck/trace/codec"
	"tracecheck/validators"
)

// Row is an object of the state.
type Row[R comparable] struct {
	codec.Mark
	implied bool // no line shows it: others refer to it
	kind    trace.Kind
	bad     Columns // outside their types
	unseen  Columns // not known yet, under --attach
	id      string
	Value   R
	waits   [maxWaits]*validators.Obligation
}

// maxWaits bounds the things that one object waits for at a time.
const maxWaits = 2

// Key implements validators.Keyed.
func (r *Row[R]) Key() string { return r.id }

// Ref implements validators.Waiter. If R has a method Note, reports print its result.
func (r *Row[R]) Ref() validators.Ref {
	ref := validators.Ref{Kind: r.kind, ID: r.id}
	if noted, is := any(&r.Value).(interface{ Note() string }); is {
		ref.Note = noted.Note()
	}
	return ref
}

// ID returns the object's id, which is unique in its kind.
func (r *Row[R]) ID() string { return r.id }

// Columns is a set of columns of a kind.
type Columns uint16

const maxColumns = 15

// existence is in place of a column: whether the object is there.
const existence Columns = 1 << maxColumns

// Rows has the objects of a kind in the state of one stream. The zero value is empty.
type Rows[R comparable] struct {
	all     validators.Index[*Row[R]]
	records codec.Records[*Row[R]] // as written down
	shown   []*Row[R]              // by the run of snapshots
	*room[R]
	uses *uses

	one      *Change[R] // of a single object: always there
	row      *Row[R]    // that it has, shown or not
	oneShown bool       // a line has shown it
	kind     trace.Kind
	place    tables // among the model's
	init     *R
	dynamic  bool // objects are created and deleted
	implied  int  // how many rows are
	absent   int  // how many rows are of objects that are not there (Kind.Absent)
}

// room is what the machines of one goroutine share of a kind: the rows of a step.
type room[R comparable] struct {
	touched []*Change[R]          // by the step; those that change come first. Behind its end are spare ones
	whole   int                   // how many of them change
	changed int                   // and in the part that is judged now,
	from    int                   // which begins there
	written []*Change[R]          // by the effect that ran last
	index   map[string]*Change[R] // of touched, in steps of many events
	undo    []undone[R]           // of a walk
}

// rooms are the rooms of the kinds with rows of one type.
type rooms[R comparable] struct{ of map[trace.Kind]*room[R] }

func roomOf[R comparable](w *validators.Workspace, k trace.Kind) *room[R] {
	all := validators.PartOf[rooms[R]](w)
	if all.of == nil {
		all.of = map[trace.Kind]*room[R]{}
	}
	if all.of[k] == nil {
		all.of[k] = &room[R]{}
	}
	return all.of[k]
}

// tables is a set of a model's tables, by their places.
type tables uint32

// first is the least place, and rest the set without it: an iterator would cost a call for
// each table.
func (set tables) first() int   { return bits.TrailingZeros32(uint32(set)) }
func (set tables) rest() tables { return set & (set - 1) }

// uses says which tables a step needs a look at.
type uses struct {
	step    tables // what its lines name or effects write
	many    bool   // it has many events
	batched bool   // it may be several actions
	written tables // by the effect that ran last
}

// undone is a row that an action of a walk has written.
type undone[R comparable] struct {
	change *Change[R]
	was    R
	life   life
	at     int // how many actions were taken by then
}

// life is whether an object is there, on the way through a step.
type life struct {
	is   bool
	gone bool // it was deleted on the way, and may be there again
}

// Change is an object that the step names, before the step and after it.
type Change[R comparable] struct {
	ID     string
	Row    *Row[R] // nil: no line has shown the object
	Old    *R      // before the step; only until the step is taken
	Now    *R      // for guards and effects: Old or, in a batched step, the row after the actions so far
	New    R       // after the step
	Line   int     // of its last event, an index into the step
	Logged Columns // the columns in the lines of the step
	Had    bool    // a line before the step has shown the object
	Shown  bool    // the object exists after the step
	// Recreated reports whether the step's lines delete the object and then create
	// it. The actions of a batched step must do both. In an atomic step, the object
	// counts as one that existed throughout.
	Recreated bool
	Older     bool // under --attach: the object existed before the step, which is the first to show it

	of      *Rows[R]
	life    life    // on the way
	then    life    // that the effect makes of it
	deleted bool    // by a line
	next    R       // that the effect writes
	way     R       // Now, on a walk
	was     R       // New before a line wiped it; then Old, once the step is taken, where that is kept
	differs Columns // in which the step changes it
	wrote   bool
	cleared bool    // of what was before the step nothing is left
	oldBad  Columns // outside their types, before and after
	bad     Columns
	unseen  Columns // not known yet, under --attach
}

// begin makes the change one that changes nothing.
func (c *Change[R]) begin(old *R) {
	c.Old, c.Now, c.New = old, old, *old
	c.Line, c.Logged, c.differs, c.wrote, c.cleared = -1, 0, 0, false, false
	c.bad, c.unseen, c.deleted, c.Recreated, c.Older = 0, 0, false, false, false
	c.life = life{is: c.Had || !c.of.dynamic}
	if c.Row != nil {
		c.bad, c.unseen = c.Row.bad, c.Row.unseen
	}
	c.oldBad = c.bad
}

// Write returns the row for an effect to write.
func (c *Change[R]) Write() *R {
	if !c.wrote {
		c.wrote, c.next, c.then = true, *c.Now, c.life
		t := c.of
		t.written = append(t.written, c)
		t.uses.written |= t.place
		t.uses.step |= t.place
	}
	return &c.next
}

// Create has the effect create the object, and returns its row to write. The row begins as
// Kind.Init.
func (c *Change[R]) Create() *R {
	r := c.Write()
	*r, c.then.is = *c.of.init, true
	return r
}

// Delete has the effect delete the object.
func (c *Change[R]) Delete() {
	r := c.Write()
	*r, c.then = *c.of.init, life{gone: true}
}

// Exists reports whether the object exists before the step. In a batched step, that is after the
// actions tried so far.
func (c *Change[R]) Exists() bool { return c.life.is }

// lasts says that the object is there throughout the step, as its lines have it.
func (c *Change[R]) lasts() bool { return c.Had && c.Shown && !c.Recreated }

// Next returns the row after the last effect.
func (c *Change[R]) Next() *R {
	if c.wrote {
		return &c.next
	}
	return c.Now
}

// Gives reports whether the step logs the columns, with values of their types.
func (c *Change[R]) Gives(of Columns) bool { return c.Logged&of == of && c.bad&of == 0 }

// Differs reports whether the step changes one of the columns. 0 means all columns.
func (c *Change[R]) Differs(of Columns) bool { return of == 0 || c.differs&of != 0 }

// IsBad reports whether a value of the row is outside its type after the step.
func (c *Change[R]) IsBad() bool { return c.bad != 0 }

// Changed returns the rows that the step changes.
func (t *Rows[R]) Changed() []*Change[R] { return t.touched[t.from : t.from+t.changed] }

// Touched returns the rows that the step names. Those that it changes come first.
func (t *Rows[R]) Touched() []*Change[R] { return t.touched }

// The returns the object of a kind with a single object.
func (t *Rows[R]) The() *Change[R] { return t.one }

// Unseen reports whether, under --attach, no line has given one of the columns of the single
// object before the step.
func (t *Rows[R]) Unseen(of Columns) bool { return t.one.Row == nil || t.row.unseen&of != 0 }

// Infer returns the row of the single object. There the spec writes inferred values that an
// explained step implies.
func (t *Rows[R]) Infer() *R {
	c := t.one
	if t.uses.step |= t.place; c.Now == c.Old {
		c.way = *c.Old
		c.Now = &c.way
	}
	return c.Now
}

// Amend changes inferred values of the single object, between two steps.
func (t *Rows[R]) Amend(f func(*R)) {
	f(&t.row.Value)
	t.one.New = t.row.Value
}

// Get returns the row with the id, or nil.
func (t *Rows[R]) Get(id string) *Row[R] { return t.all.Get(id) }

// keptAfter bounds the buffers that stay after a large step.
const keptAfter = 1024

// reset forgets the last step.
func (t *Rows[R]) reset() {
	if cap(t.touched) > keptAfter {
		*t.room = room[R]{}
	}
	if len(t.index) > 0 {
		clear(t.index)
	}
	t.touched, t.written, t.whole, t.changed, t.from = t.touched[:0], t.written[:0], 0, 0, 0
	if c := t.one; c != nil {
		c.Had, c.Shown = t.oneShown, t.oneShown
		c.begin(&t.row.Value)
		t.touched = append(t.touched, c)
	}
}

// unwrite forgets the effect that ran last.
func (t *Rows[R]) unwrite() {
	for _, c := range t.written {
		c.wrote = false
	}
	t.written = t.written[:0]
}

// touch begins the change of the row, or of the id that has none.
func (t *Rows[R]) touch(r *Row[R], id string) *Change[R] {
	n := len(t.touched)
	if n == cap(t.touched) {
		t.touched = slices.Grow(t.touched, 1)
	}
	t.touched = t.touched[:n+1]
	c := t.touched[n]
	if c == nil {
		c = &Change[R]{}
		t.touched[n] = c
	}
	if c.of, c.Row = t, r; r != nil {
		c.ID, c.Had = r.id, !r.implied
		c.begin(&r.Value)
	} else {
		c.ID, c.Had = id, false
		c.begin(t.init)
	}
	c.Shown = c.Had
	return c
}

// put makes the change's new value the row's, and returns the row.
func (t *Rows[R]) put(c *Change[R]) *Row[R] {
	r := c.Row
	switch {
	case r == nil && c == t.one:
		r = t.row
	case r == nil:
		r = &Row[R]{kind: t.kind, id: strings.Clone(c.ID)}
		t.all.Put(r)
		t.records.Add(r)
	case c != t.one:
		t.records.Keep(r)
	}
	r.Value, r.bad, r.unseen = c.New, c.bad, c.unseen
	c.Row = r
	return r
}
