package swarmkit

import "tracecheck/validators"

// extra is what most tasks do not need: their vslots have two tasks at most, and they wait for
// one thing.
type extra struct {
	before *task                  // in the vslot's list; nil: it is the first one, or the second
	reaper *validators.Obligation // where the task waits for something else, too
	past   *past                  // under the profile moby
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
	for t := vs.first; t != nil && yield(t); t = t.after {
	}
}

// prepend puts the task first.
func (vs *vslot) prepend(t *task) {
	old := vs.first
	if old != nil && old.after != nil {
		old.after.need().before = old // it is the second one no more
	}
	if t.extra != nil {
		t.before = nil
	}
	t.after, vs.first = old, t
}

func (t *task) need() *extra {
	if t.extra == nil {
		t.extra = &extra{}
	}
	return t.extra
}

// remove takes the task out. It still says which one comes after it.
func (vs *vslot) remove(t *task) {
	before, after := vs.previous(t), t.after
	if before == nil {
		vs.first = after
	} else {
		before.after = after
	}
	if after != nil && after.extra != nil {
		after.before = before
	}
}

// held is what the task waits for.
func (t *task) held() (h held) {
	switch o := t.waits; {
	case o == nil:
	case o.For == waitReaper:
		h.second = o
	default:
		if h.first = o; t.extra != nil {
			h.second = t.reaper
		}
	}
	return h
}

// hold sets what the task waits for.
func (t *task) hold(h held) {
	if h.first == nil {
		h.first, h.second = h.second, nil
	}
	if t.waits = h.first; t.extra != nil || h.second != nil {
		t.need().reaper = h.second
	}
}
