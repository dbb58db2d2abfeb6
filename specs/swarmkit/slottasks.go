package swarmkit

// extra is what most tasks do not need: they are alone in their vslots. Nor does the last
// of two.
type extra struct {
	after  *task // in the vslot's list
	before *task // nil: it is the first one, or the second
	past          *past // under the profile moby
}

// newExtra is that of a task under the profile moby.
func newExtra() *extra {
	both := &struct {
		extra
		past past
	}{}
	both.extra.past = &both.past
	return &both.extra
}

// next is the task after it in the vslot's list.
func (t *task) next() *task {
	if t.extra == nil {
		return nil
	}
	return t.after
}

// previous is the task before it in the list.
func (vs *vslot) previous(t *task) *task {
	switch {
	case t == vs.first:
		return nil
	case t.extra == nil || t.before == nil:
		return vs.first
	}
	return t.before
}

// all yields the vslot's tasks.
func (vs *vslot) all(yield func(*task) bool) {
	for t := vs.first; t != nil && yield(t); t = t.next() {
	}
}

// prepend puts the task first.
func (vs *vslot) prepend(t *task) {
	old := vs.first
	if vs.first = t; old == nil && t.extra == nil {
		return
	}
	if t.need(); old != nil && old.extra != nil {
		if old.before = t; old.after != nil {
			old.after.need().before = old // it is the second one no more
		}
	}
	t.before, t.after = nil, old
}

func (t *task) need() *extra {
	if t.extra == nil {
		t.extra = &extra{}
	}
	return t.extra
}

// remove takes the task out. It still says which one comes after it.
func (vs *vslot) remove(t *task) {
	before, after := vs.previous(t), t.next()
	if before == nil {
		vs.first = after
	} else {
		before.after = after
	}
	if after != nil && after.extra != nil {
		after.before = before
	}
}
