package model

import (
	"fmt"
	"math/bits"
	"strings"

	"tracecheck/trace"
	"tracecheck/validators"
)

// merge overlays what a line says of the object, and returns the columns of which
// it says what is Noted.
func (k *Kind[S, R]) merge(s *S, c *Change[R], ev *trace.Event) (noted Columns) {
	if k.Line != nil {
		k.Line(s, ev)
	}
	m := Marks{c.bad, c.unseen}
	noted = k.schema.Merge(s, &c.New, &m, &c.Logged, ev.Fields)
	c.bad, c.unseen = m.Bad, m.Unseen
	for lack := c.bad & k.holds; lack != 0; lack &= lack - 1 { // a create or a snapshot leaves it out
		i := bits.TrailingZeros16(uint16(lack))
		k.Columns[i].Read(s, &c.New, trace.Value{})
		noted |= 1 << i
	}
	c.bad, c.Logged = c.bad&^k.holds, c.Logged|noted
	return noted
}

// bind adds what an event says to the step, and returns what it is about: the id
// among those of its kind, and the part of the step, -1 if it is of none.
func (k *Kind[S, R]) bind(b *binder[S], ev *trace.Event, i int) (id string, part int) {
	b.line = i
	c := k.find(b, ev)
	if c == nil {
		return ev.ID, -1
	}
	if c.Line = i; k.Part != nil {
		part = k.Part(c)
	}
	hidden, sighted := c.unseen, b.attach && !c.Had && !c.Shown
	shows := !sighted || k.shows(ev)
	switch {
	case ev.Op == trace.OpDelete && k.dynamic():
		k.unbind(b, ev, c, i)
		return c.ID, part
	case ev.Op == trace.OpDelete && k.AnyFirst && !c.Shown:
		c.Shown = true
		return c.ID, part
	case ev.Op == trace.OpDelete:
		b.faults.Add(validators.OfTransition, i, k.on(ev, k.NoDelete))
		if !k.single() {
			c.Shown = false
			k.wipe(c, &k.Init)
		}
		return c.ID, part
	case sighted:
		b.taken, c.Older = b.taken || shows, c.Older || ev.Op != trace.OpCreate
		if c.unseen = k.schema.Hidden; !k.single() {
			k.sighted(c)
		}
	case ev.Op == trace.OpCreate && c.Shown:
		b.faults.Add(validators.OfTransition, i, k.exists(ev))
	case ev.Op != trace.OpCreate && !c.Shown && k.dynamic():
		b.faults.Add(validators.OfTransition, i, k.missing(ev))
		c.unseen = k.schema.Hidden
		k.sighted(c)
	}
	if ev.Op == trace.OpCreate {
		c.Recreated = c.Recreated || c.deleted
		k.clear(c, &k.Created)
	}
	c.Shown = shows
	was := c.bad
	if noted := k.merge(b.s, c, ev); noted|c.bad&^was != 0 || ev.Op == trace.OpCreate && c.bad != 0 {
		k.schema.Wrong(b.s, k.named(ev), ev, noted|c.bad, func(text string) { b.faults.Add(validators.OfType, i, text) })
	}
	if k.single() { // its actions know what is unseen (Rows.Unseen)
		hidden &^= c.unseen
	} else {
		hidden |= c.unseen
	}
	b.taken = b.taken || b.attach && hidden != 0
	return c.ID, part
}

// shows says that the line shows something of the object: one of which all is
// inferred it may name and say nothing.
func (k *Kind[S, R]) shows(ev *trace.Event) bool {
	return k.inferred != k.schema.All || k.schema.Shows(ev)
}

// sighted makes the new value that of an object of which nothing is known.
func (k *Kind[S, R]) sighted(c *Change[R]) {
	from := &k.Snapshot
	if k.Sighted != nil {
		from = k.Sighted
	}
	k.wipe(c, from)
}

// unbind is bind of a delete, of a kind whose objects actions delete.
func (k *Kind[S, R]) unbind(b *binder[S], ev *trace.Event, c *Change[R], i int) {
	switch {
	case c.Shown:
		b.taken = b.taken || b.attach && c.unseen != 0
		c.deleted = c.deleted || c.Had
		c.Shown, c.Recreated, c.bad = false, false, 0
		k.wipe(c, &k.Init)
	case b.attach && !c.Had:
		b.taken, c.Older = true, true // the first sight of it is the last
	default:
		b.faults.Add(validators.OfTransition, i, k.missing(ev))
	}
}

func (k *Kind[S, R]) find(b *binder[S], ev *trace.Event) *Change[R] {
	if k.Find != nil {
		return k.Find(b, ev)
	}
	return k.Rows(b.s).ChangeOf(ev)
}

// wipe replaces the new value, except for the columns that say where the object belongs.
func (k *Kind[S, R]) wipe(c *Change[R], to *R) {
	if c.was, c.New, c.cleared = c.New, *to, true; k.Keep != nil {
		k.Keep(&c.New, &c.was)
	}
}

// clear makes the new value one of which every column is still to come. Those
// that a step need not log stay.
func (k *Kind[S, R]) clear(c *Change[R], to *R) {
	k.wipe(c, to)
	c.bad, c.unseen = k.schema.Whole, 0
	for i := range k.Columns {
		if col := &k.Columns[i]; col.Inferred {
			col.Copy(&c.New, &c.was)
		}
	}
}

func (k *Kind[S, R]) on(ev *trace.Event, text string) string {
	if k.single() {
		return text
	}
	return k.named(ev) + ": " + text
}

func (k *Kind[S, R]) exists(ev *trace.Event) string {
	if k.single() {
		return "create of " + k.Name + ", which exists"
	}
	if k.Exists != "" {
		return k.named(ev) + ": " + k.Exists
	}
	return fmt.Sprintf("%s: create of %s that exists", k.named(ev), k.article())
}

func (k *Kind[S, R]) missing(ev *trace.Event) string {
	return fmt.Sprintf("%s: %s of %s %s", k.named(ev), ev.Op, k.article(), validators.NoSuchObject)
}

// article is the kind's name with the article before it.
func (k *Kind[S, R]) article() string {
	name := k.Kind.String()
	if strings.ContainsRune("aeio", rune(name[0])) {
		return "an " + name
	}
	return "a " + name
}

func (k *Kind[S, R]) named(ev *trace.Event) string { return k.name(ev.ID) }

func (k *Kind[S, R]) name(id string) string {
	if k.single() {
		return k.Name
	}
	return k.Kind.String() + " " + id
}

// difference is the columns in which the step changes the object.
func (k *Kind[S, R]) difference(c *Change[R]) Columns {
	if k.dynamic() && !(c.Had && c.Shown) {
		if c.Had == c.Shown {
			return 0
		}
		return k.schema.All | existence
	}
	changed := c.bad ^ c.oldBad
	look := c.Logged | k.schema.left
	if c.cleared {
		look = k.schema.All
	}
	for look &^= k.inferred &^ c.Logged; look != 0; look &= look - 1 {
		if i := bits.TrailingZeros16(uint16(look)); !k.Columns[i].Same(c.Old, &c.New) {
			changed |= 1 << i
		}
	}
	return changed
}

func (k *Kind[S, R]) reset(s *S) { k.Rows(s).reset() }

// finish puts the rows that change first, and gathers their statuses before and
// after the step; 1 where the kind has none.
func (k *Kind[S, R]) finish(s *S) (changed int, from, to Statuses) {
	t := k.Rows(s)
	for i, c := range t.touched {
		if c.differs = k.difference(c); c.differs == 0 {
			continue
		}
		if k.status != nil {
			from |= 1 << k.status.value(c.Old)
			to |= 1 << k.status.value(&c.New)
		} else {
			to = 1
		}
		t.touched[t.changed], t.touched[i] = c, t.touched[t.changed]
		t.changed++
	}
	if t.whole = t.changed; k.Part != nil && t.whole > 1 {
		k.order(t)
	}
	return t.changed, from, to
}

func (k *Kind[S, R]) changes(s *S) int { return k.Rows(s).changed }
func (k *Kind[S, R]) unwrite(s *S)     { k.Rows(s).unwrite() }
