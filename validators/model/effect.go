package model

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
		if (c.bad|c.oldBad)&of != 0 && !k.inType(c, of) || !k.same(c, &c.next, of) {
			return false
		}
	}
	for _, c := range t.Changed() {
		if !c.wrote && ((c.bad^c.oldBad)&of != 0 || !k.same(c, c.Now, of)) {
			return false
		}
	}
	return true
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
		if c.next != *c.Now {
			yield(c.ID)
		}
	}
}

// writes says that the effect that ran last changes the object.
func (k *Kind[S, R]) writes(s *S, id string) bool {
	for _, c := range k.Rows(s).written {
		if c.ID == id && c.next != *c.Now {
			return true
		}
	}
	return false
}

// advance makes what the effect has written the state on the way. at is how
// many actions of a walk are taken by then, -1 outside of one.
func (k *Kind[S, R]) advance(s *S, at int, moved func(from, to string)) {
	t := k.Rows(s)
	for _, c := range t.written {
		for i := 0; moved != nil && i < len(k.Columns); i++ {
			if col := &k.Columns[i]; col.value != nil && col.value(c.Now) != col.value(&c.next) {
				moved(col.names[col.value(c.Now)], col.names[col.value(&c.next)])
			}
		}
		if at < 0 {
			c.Now = &c.next
			continue
		}
		t.undo = append(t.undo, undone[R]{c, *c.Now, at})
		k.tally(s, c.Now, -1)
		k.tally(s, &c.next, +1)
		c.way = c.next
		c.Now = &c.way
	}
}

// back undoes what a walk has written since so many actions were taken; -1: all.
func (k *Kind[S, R]) back(s *S, at int) {
	t := k.Rows(s)
	n := len(t.undo)
	for ; n > 0 && t.undo[n-1].at > at; n-- {
		u := &t.undo[n-1]
		k.tally(s, u.change.Now, -1)
		k.tally(s, &u.was, +1)
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
		c.wrote, c.next = false, *c.Now
	}
	for i := len(t.undo) - 1; i >= 0; i-- {
		u := &t.undo[i]
		k.tally(s, u.change.Now, -1)
		k.tally(s, &u.was, +1)
		*u.change.Now = u.was
	}
	for i := range t.undo {
		c := t.undo[i].change
		c.Now = &c.next
	}
	clear(t.undo)
	t.undo = t.undo[:0]
}
