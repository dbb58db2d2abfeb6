package model

import "tracecheck/validators"

// Fresh returns the state before any line. A spec can try its actions there.
func (m *Model[S, P]) Fresh() *S {
	m.prepare()
	j := &machine[S, P]{of: m}
	if err := j.begin(); err != nil {
		panic("model: no state without constants: " + err.Error())
	}
	return j.s
}

// Assume adds an object with the row to the state, as one that the step changes.
func (k *Kind[S, R]) Assume(s *S, r R) *Change[R] {
	t := k.Rows(s)
	c := t.Change("")
	c.way = r
	c.Old, c.Now, c.life.is = &c.way, &c.way, true
	k.tally(s, &r, +1)
	t.whole, t.changed = len(t.touched), len(t.touched)
	return c
}

var _ validators.Machine = (*machine[int, int])(nil)
var _ validators.Prober = (*machine[int, int])(nil)
