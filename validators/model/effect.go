package model

import "slices"

// same says that made is what the step shows, in the columns: one that a step
// need not log is not compared where it does not.
func (k *Kind[S, R]) same(c *Change[R], made *R, of Columns) bool {
	if *made == c.New {
		return true
	}
	for i := range k.Columns {
		col, bit := &k.Columns[i], Columns(1)<<i
		if of&bit != 0 && !(col.Inferred && c.Logged&bit == 0) && !col.Same(made, &c.New) {
			return false
		}
	}
	return true
}

// agrees says that the effect that ran last leaves the columns as the step does.
func (k *Kind[S, R]) agrees(s *S, of Columns) bool {
	t := k.Rows(s)
	for _, c := range t.written {
		if t.dynamic && !t.lives(c, c.then) {
			return false
		}
		if c.then.is && ((c.bad|c.oldBad)&of != 0 && !k.inType(c, of) || !k.same(c, &c.next, of)) {
			return false
		}
	}
	for _, c := range t.Changed() {
		if c.wrote {
			continue
		}
		if t.dynamic && !t.lives(c, c.life) {
			return false
		}
		if c.life.is && ((c.bad^c.oldBad)&of != 0 || !k.same(c, c.Now, of)) {
			return false
		}
	}
	return true
}

// lives says that the object is there if it is so after the step; one that a
// batched step deletes and creates must have been gone.
func (t *Rows[R]) lives(c *Change[R], l life) bool {
	return l.is == c.Shown && (l.gone || !c.Recreated || !t.uses.batched)
}

// inType says that what the effect changes of the columns is inside its type in
// the step, and that of the rest nothing has left its type, or come back to it.
func (k *Kind[S, R]) inType(c *Change[R], of Columns) bool {
	for i := range k.Columns {
		bit := Columns(1) << i & of
		if c.bad&bit != 0 && !k.Columns[i].Same(&c.next, c.Now) || (c.bad^c.oldBad)&bit != 0 && k.Columns[i].Same(&c.next, c.Now) {
			return false
		}
	}
	return true
}

// resembles says that the effect that ran last changes a column to what the step
// changes it to; or, of an enabled action, that it writes a row that the step
// changes.
func (k *Kind[S, R]) resembles(s *S, enabled bool) bool {
	for _, c := range k.Rows(s).written {
		if enabled && !k.single() && c.differs != 0 {
			return true
		}
		if k.dynamic() && (!c.then.is || !c.lasts()) {
			if c.then != c.life && c.then.is == c.Shown && c.differs != 0 {
				return true
			}
			continue
		}
		for i := range k.Columns {
			col := &k.Columns[i]
			if !(col.Inferred && c.Logged&(1<<i) == 0) && !col.Same(&c.next, c.Now) && col.Same(&c.next, &c.New) {
				return true
			}
		}
	}
	return false
}

// wrote yields what the effect that ran last changes.
func (k *Kind[S, R]) wrote(s *S, yield func(id string)) {
	for _, c := range k.Rows(s).written {
		if c.acts() {
			yield(c.ID)
		}
	}
}

// acts says that the effect that ran last changes the object.
func (c *Change[R]) acts() bool { return c.next != *c.Now || c.then != c.life }

// writes says that the effect that ran last changes the object.
func (k *Kind[S, R]) writes(s *S, id string) bool {
	return slices.ContainsFunc(k.Rows(s).written, func(c *Change[R]) bool { return c.ID == id && c.acts() })
}

// advance makes what the effect has written the state on the way. at is how
// many actions of a walk are taken by then, -1 outside of one.
func (k *Kind[S, R]) advance(s *S, at int, moved func(from, to string)) {
	t := k.Rows(s)
	for _, c := range t.written {
		for i := 0; moved != nil && i < len(k.Columns); i++ {
			if col := &k.Columns[i]; col.value != nil {
				if from, to := col.at(c.Now, c.life.is), col.at(&c.next, c.then.is); from != to {
					moved(from, to)
				}
			}
		}
		if at < 0 {
			c.Now, c.life = &c.next, c.then
			continue
		}
		t.undo = append(t.undo, undone[R]{c, *c.Now, c.life, at})
		k.becomes(s, c, &c.next, c.then)
		c.way = c.next
		c.Now = &c.way
	}
}

// becomes counts the object as what it is to be.
func (k *Kind[S, R]) becomes(s *S, c *Change[R], r *R, l life) {
	if c.life.is {
		k.tally(s, c.Now, -1)
	}
	if c.life = l; l.is {
		k.tally(s, r, +1)
	}
}

// back undoes what a walk has written since so many actions were taken; -1: all.
func (k *Kind[S, R]) back(s *S, at int) {
	t := k.Rows(s)
	n := len(t.undo)
	for ; n > 0 && t.undo[n-1].at > at; n-- {
		u := &t.undo[n-1]
		k.becomes(s, u.change, &u.was, u.life)
		*u.change.Now = u.was
	}
	clear(t.undo[n:])
	t.undo = t.undo[:n]
}

// arrive ends a walk: the rows stay as it has left them, until the commit, and
// what is counted is as before it.
func (k *Kind[S, R]) arrive(s *S) {
	t := k.Rows(s)
	for i := range t.undo {
		c := t.undo[i].change
		c.wrote, c.next, c.then = false, *c.Now, c.life
	}
	for i := len(t.undo) - 1; i >= 0; i-- {
		u := &t.undo[i]
		k.becomes(s, u.change, &u.was, u.life)
		*u.change.Now = u.was
	}
	for i := range t.undo {
		c := t.undo[i].change
		c.Now, c.life = &c.next, c.then
	}
	clear(t.undo)
	t.undo = t.undo[:0]
}
