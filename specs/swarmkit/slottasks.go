package swarmkit

// extra is what most tasks do not need: they are alone in their vslots.
type extra struct {
	before, after *task // in the vslot's list
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

func (t *task) previous() *task {
	if t.extra == nil {
		return nil
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
	if old := vs.first; old != nil {
		old.need().before = t
		t.need()
	}
	if t.extra != nil {
		t.before, t.after = nil, vs.first
	}
	vs.first = t
}

func (t *task) need() *extra {
	if t.extra == nil {
		t.extra = &extra{}
	}
	return t.extra
}

// remove takes the task out. It still says which one comes after it.
func (vs *vslot) remove(t *task) {
	if t == vs.first {
		vs.first = t.next()
	} else {
		t.before.after = t.after
	}
	if after := t.next(); after != nil {
		after.before = t.before
	}
}
