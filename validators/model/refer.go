package model

import (
	"iter"
	"strings"

	"tracecheck/trace"
	"tracecheck/trace/codec"
	"tracecheck/validators"
)

// Identity is what of a Kind says which object a line is about, and what that
// belongs to. All of it is optional.
type Identity[S any, R comparable] struct {
	// Find returns the change of the object that the line is about, which it may
	// compose an id for, and sets what the object belongs to in its New. Faults of
	// the line it gives to b; nil: the line says nothing else.
	Find func(b *Line[S], ev *trace.Event) *Change[R]
	// Keep sets in a new value what the object belongs to, as it was.
	Keep func(to, was *R)
	// Label is the id as lines give it, of one that Find has composed.
	Label func(id string) string
	// Make is the row that an id alone makes: of one that is read, or implied.
	Make func(s *S, id string) R
	// Referred, if set, says that other objects refer to the object. Such a one is
	// there though no line shows it, and any line implies the one that it names.
	Referred func(r *R) bool
	// Absent says that the object does not count as being there.
	Absent func(r *R) bool
	// Part is the part of the step that the object belongs to, from 0 (Model.Enter).
	Part func(c *Change[R]) int
	// Exists is what is wrong with a create of an object that exists.
	Exists string
}

// Belongs is the column of what the object belongs to, which Kind.Find reads:
// nothing is compared by it. code is nil where the id has it.
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

// Line is a line of a step, or of a run of snapshots, as it is read.
type Line[S any] = binder[S]

// State is the state before the step.
func (b *binder[S]) State() *S { return b.s }

// Fault notes what the line says that no state allows.
func (b *binder[S]) Fault(kind validators.ViolationKind, text string) {
	b.faults.Add(kind, b.line, text)
}

// Change returns the change of the id, in the step that is read.
func (t *Rows[R]) Change(id string) *Change[R] { return t.find(id, t.uses.many, t.init) }

// Refer returns the object of the id, which is implied where no line has shown
// it: then it has the value, which Tally does not get.
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

// Touch has the step be about the object: once in a step.
func (t *Rows[R]) Touch(r *Row[R]) *Change[R] {
	t.uses.step |= t.place
	return t.touch(r, "", nil)
}

// Only is the one object that there is, nil if there are none or several.
func (t *Rows[R]) Only() *Row[R] {
	if t.all.Len() == 1 {
		for _, r := range t.all.All() {
			return r
		}
	}
	return nil
}

// All are the objects that there are, in no order.
func (t *Rows[R]) All() iter.Seq[*Row[R]] {
	return func(yield func(*Row[R]) bool) {
		for _, r := range t.all.All() {
			if !yield(r) {
				return
			}
		}
	}
}

// IsShown says that a line has shown the object.
func (r *Row[R]) IsShown() bool { return !r.implied }

func (k *Kind[S, R]) isImplied() bool  { return k.Referred != nil }
func (k *Kind[S, R]) isFollowed() bool { return len(k.Waits) > 0 }

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
