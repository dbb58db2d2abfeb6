package model

import (
	"iter"
	"strings"

	"tracecheck/trace"
	"tracecheck/trace/codec"
	"tracecheck/validators"
)

// Identity declares which object a line is about, and which object that belongs to. All fields are
// optional.
type Identity[S any, R comparable] struct {
	// Find returns the change of the object that the line is about. It may compose
	// an id. It sets in New what the object belongs to, and reports faults of the
	// line to b. If it returns nil, nothing else of the line is read.
	Find func(b *Line[S], ev *trace.Event) *Change[R]
	// Keep copies what the object belongs to from an old value to a new one.
	Keep func(to, was *R)
	// Label returns the id in the lines for an id that Find has composed.
	Label func(id string) string
	// Make returns the row of an object of which only the id is known.
	Make func(s *S, id string) R
	// Referred, if set, reports whether other objects refer to the object. Such an
	// object exists even if no line shows it. Each line implies the object it names.
	Referred func(r *R) bool
	// Absent, if set, reports whether the object counts as missing.
	Absent func(r *R) bool
	// Part is the part of the step that the object belongs to, from 0: see Model.Enter.
	Part func(c *Change[R]) int
	// Exists is the message for a create of an existing object.
	Exists string
}

// Belongs returns the column of the object that a row belongs to. Find reads it, and nothing
// compares it. code is nil if the id contains it.
func Belongs[S any, R comparable](field trace.FieldName, name func(*R) (string, bool), code func(*S, *codec.Codec, *R)) Column[S, R] {
	if code == nil {
		code = func(*S, *codec.Codec, *R) {}
	}
	return Column[S, R]{
		Field: field, Type: "a name", Default: true,
		Read: func(*S, *R, trace.Value) Reading { return LeftOut },
		Same: func(*R, *R) bool { return true },
		Copy: func(*R, *R) {},
		Show: func(_ *S, r *R) (any, bool) { return name(r) },
		Code: code,
	}
}

// Line is a line that is being read, of a step or of a run of snapshots.
type Line[S any] = binder[S]

// State returns the state before the step.
func (b *binder[S]) State() *S { return b.s }

// Fault reports a violation by the line itself, which holds in every state.
func (b *binder[S]) Fault(kind validators.ViolationKind, text string) {
	b.faults.Add(kind, b.line, text)
}

// Change returns the change of the object with the id, in the step that is being read.
func (t *Rows[R]) Change(id string) *Change[R] {
	if c := t.named(id); c != nil {
		return c
	}
	return t.name(t.all.Get(id), id)
}

// ChangeOf is Change for the object of the event.
func (t *Rows[R]) ChangeOf(ev *trace.Event) *Change[R] {
	if c := t.named(ev.ID); c != nil {
		return c
	}
	return t.name(t.all.Of(ev), ev.ID)
}

// named is the change of an object that an earlier line has named, nil if none has.
func (t *Rows[R]) named(id string) *Change[R] {
	if t.uses.step |= t.place; t.one != nil {
		return t.one
	}
	if t.uses.many {
		return t.index[id]
	}
	for _, c := range t.touched {
		if c.ID == id {
			return c
		}
	}
	return nil
}

// name begins the change of an object that a line names first.
func (t *Rows[R]) name(r *Row[R], id string) *Change[R] {
	c := t.touch(r, id)
	if t.uses.many {
		if t.index == nil {
			t.index = map[string]*Change[R]{}
		}
		t.index[c.ID] = c
	}
	return c
}

// Refer returns the object with the id. If no line has shown it, the reference implies it, with this
// value. Tally does not count an implied object.
func (t *Rows[R]) Refer(id string, implied func() R) *Row[R] {
	r := t.all.Get(id)
	if r == nil {
		r = &Row[R]{kind: t.kind, id: strings.Clone(id), Value: implied(), implied: true}
		t.all.Put(r)
		t.records.Add(r)
		t.implied++
	}
	return r
}

// Touch adds the object to those that the step is about, once in a step.
func (t *Rows[R]) Touch(r *Row[R]) *Change[R] {
	t.uses.step |= t.place
	return t.touch(r, "")
}

// Only returns the object if exactly one exists, and else nil.
func (t *Rows[R]) Only() *Row[R] {
	if t.all.Len() == 1 {
		for _, r := range t.all.All() {
			return r
		}
	}
	return nil
}

// All yields the objects that exist, in no order.
func (t *Rows[R]) All() iter.Seq[*Row[R]] {
	return func(yield func(*Row[R]) bool) {
		for _, r := range t.all.All() {
			if !yield(r) {
				return
			}
		}
	}
}

// IsShown reports whether a line has shown the object.
func (r *Row[R]) IsShown() bool { return !r.implied }

// IsKnown reports whether lines have shown the object and, under --attach, each of its columns.
func (r *Row[R]) IsKnown() bool { return !r.implied && r.unseen == 0 }

func (k *Kind[S, R]) imply(s *S, id string) {
	if k.Referred != nil {
		k.Rows(s).Refer(id, func() R { return k.Make(s, id) })
	}
}

// hide makes the row that of an object that no line shows.
func (k *Kind[S, R]) hide(s *S, r *Row[R]) {
	was := r.Value
	r.Value, r.implied = k.Init, true
	if k.Keep != nil {
		k.Keep(&r.Value, &was)
	}
	k.Rows(s).implied++
}

// release drops what the step is about and neither a line shows nor an
// object refers to.
func (k *Kind[S, R]) release(s *S) {
	if k.Referred == nil || k.Rows(s).implied == 0 {
		return
	}
	for _, c := range k.Rows(s).touched {
		k.releaseRow(s, c.Row)
	}
}

func (k *Kind[S, R]) releaseRow(s *S, r *Row[R]) {
	t := k.Rows(s)
	if k.Referred == nil || !r.implied || k.Referred(&r.Value) || t.all.Get(r.id) != r {
		return
	}
	t.records.Keep(r)
	t.implied--
	t.all.Delete(r.id)
}

// sight notes what a snapshot is about, to be followed when the run ends.
func (k *Kind[S, R]) sight(s *S) {
	t := k.Rows(s)
	if k.single() {
		return
	}
	for _, c := range t.touched {
		if t.all.Get(c.Row.id) == c.Row {
			t.shown = append(validators.Distinct(t.shown, t.all.Len(), validators.Same), c.Row)
		}
	}
}

func (k *Kind[S, R]) label(id string) string {
	if k.Label != nil {
		return k.Label(id)
	}
	return id
}
