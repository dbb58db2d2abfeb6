package model

import (
	"encoding/json"
	"fmt"
	"hash/maphash"
	"strings"

	"tracecheck/trace"
	"tracecheck/trace/codec"
	"tracecheck/validators"
)

// Kind declares a kind of object: a variable of the module, or a part of one, as
// a table.
type Kind[S any, R comparable] struct {
	Kind    trace.Kind
	Rows    func(*S) *Rows[R]
	Columns []Column[S, R]

	// Name, if set, is of a kind that has one object only, with the id "".
	Name string
	// Init is an object that no line has shown: each is there from the start.
	// Created and Snapshot are what a create and a snapshot line begin with.
	Init, Created, Snapshot R
	// NoDelete says why nothing is deleted: "no action deletes a request".
	NoDelete string

	Tally func(s *S, r *R, d int)         // adds the row to what the state counts, or takes it away
	Own   func(s *S, r *R)                // keeps the strings of a row, which point into a line
	Put   func(s *S, c *Change[R])        // called before a row is set by a line
	What  func(s *S, c *Change[R]) string // what happens to the object, in words
	Seen  func(s *S, c *Change[R])        // called before a row is set by a snapshot
	Waits [][]Wait[S, R]                  // what an object waits for: of each list one thing at a time; at most two lists
}

// Wait is what an object may wait for.
type Wait[S any, R comparable] struct {
	For  validators.Wait
	Is   func(s *S, r *Row[R]) bool
	Gate func(s *S) *validators.Gate // optional
}

// Table is a Kind as a machine sees it.
type Table[S any] interface {
	kind() trace.Kind
	begin(s *S, attach bool)

	reset(s *S)
	bind(b *binder[S], ev *trace.Event, i int)
	finish(s *S) (changed int)
	changes(s *S) int
	unwrite(s *S)
	agrees(s *S, of Columns) bool
	resembles(s *S, enabled bool) bool
	wrote(s *S, yield func(id string))
	within(s *S) bool
	hash(s *S, h *maphash.Hash)
	advance(s *S, at int, moved func(from, to string))
	back(s *S, at int)
	arrive(s *S)
	commit(s *S)
	follow(s *S, l *validators.Ledger)

	snapshot(s *S, ev *trace.Event) (outside string)
	followShown(s *S, l *validators.Ledger)

	subject(s *S) (line int, what string)
	named(ev *trace.Event) string
	lists(s *S, add func(validators.Change) bool)
	objects(s *S, yield func(trace.Kind, string, []byte))
	live(s *S) int
	has(s *S, id string) bool
	code(s *S, c *codec.Codec)
	codeWaits(s *S, c *codec.Codec, l *validators.Ledger)
	single() bool
	alone(s *S, do func(line int, what string))
}

func (k *Kind[S, R]) kind() trace.Kind { return k.Kind }
func (k *Kind[S, R]) single() bool     { return k.Name != "" }

// Of names some of the kind's columns, for what a conjunct with primes is about.
func (k *Kind[S, R]) Of(fields ...trace.FieldName) Group[S] {
	return Group[S]{k, k.Set(fields...)}
}

// Set is the set of the columns of the fields.
func (k *Kind[S, R]) Set(fields ...trace.FieldName) (set Columns) {
	for _, field := range fields {
		known := false
		for i := range k.Columns {
			if k.Columns[i].Field == field {
				set, known = set|1<<i, true
			}
		}
		if !known {
			panic(fmt.Sprintf("model: kind %s has no column %s", k.Kind, field))
		}
	}
	return set
}

// Group is columns of one kind.
type Group[S any] struct {
	table Table[S]
	of    Columns
}

// begin makes the rows of a state in which nothing has been shown.
func (k *Kind[S, R]) begin(s *S, attach bool) {
	t := k.Rows(s)
	if t.kind = k.Kind; !k.single() {
		return
	}
	t.one = &Change[R]{of: t, Old: k.Init, Now: k.Init, New: k.Init}
	if !attach {
		t.put(t.one)
		k.tally(s, &k.Init, +1)
	}
}

// merge overlays what a line says of the object.
func (k *Kind[S, R]) merge(s *S, c *Change[R], ev *trace.Event) {
	for i := range k.Columns {
		col, bit := &k.Columns[i], Columns(1)<<i
		v := ev.Fields.Get(col.Field)
		reading := LeftOut
		if v.Type != trace.Absent {
			reading = col.Read(s, &c.New, v)
		}
		if reading == LeftOut {
			if col.Left != nil {
				col.Left(s, &c.New, c.unseen)
			}
			if v.Type != trace.Absent && col.Inferred {
				c.Logged, c.bad = c.Logged&^bit, c.bad&^bit
			}
			continue
		}
		c.Logged, c.unseen, c.bad = c.Logged|bit, c.unseen&^bit, c.bad&^bit
		if reading == Outside {
			c.bad |= bit
		}
	}
}

// whole is the columns that a create or a snapshot must give.
func (k *Kind[S, R]) whole() (set Columns) {
	for i := range k.Columns {
		if k.Columns[i].Needed {
			set |= 1 << i
		}
	}
	return set
}

// hidden is the columns that the first sight of an object, under --attach, may
// leave unknown.
func (k *Kind[S, R]) hidden() (set Columns) {
	for i := range k.Columns {
		if col := &k.Columns[i]; col.Left == nil && !col.Inferred {
			set |= 1 << i
		}
	}
	return set
}

// bind adds what an event says to the step.
func (k *Kind[S, R]) bind(b *binder[S], ev *trace.Event, i int) {
	c := k.Rows(b.s).find(ev.ID, b.many, &k.Init)
	c.Line = i
	hidden := c.unseen
	switch {
	case ev.Op == trace.OpDelete:
		b.faults.Add(validators.OfTransition, i, k.on(ev, k.NoDelete))
		if !k.single() {
			c.Shown, c.New = false, k.Init
		}
		return
	case b.attach && !c.Had && !c.Shown:
		b.taken = true
		if !k.single() {
			c.New, c.unseen = k.Snapshot, k.hidden()
		}
	case ev.Op == trace.OpCreate && c.Shown:
		b.faults.Add(validators.OfTransition, i, k.exists(ev))
	}
	if ev.Op == trace.OpCreate {
		k.clear(c, &k.Created)
	}
	c.Shown = true
	was := c.bad
	k.merge(b.s, c, ev)
	if c.bad&^was != 0 || ev.Op == trace.OpCreate && c.bad != 0 {
		b.faults.Add(validators.OfType, i, k.typeError(b.s, ev, c.bad))
	}
	if hidden|c.unseen != 0 {
		b.taken = true
	}
}

// clear makes the new value one of which every column is still to come. Those
// that a step need not log stay.
func (k *Kind[S, R]) clear(c *Change[R], to *R) {
	was := c.New
	c.New, c.bad, c.unseen = *to, k.whole(), 0
	for i := range k.Columns {
		if col := &k.Columns[i]; col.Inferred {
			col.Copy(&c.New, &was)
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
	return fmt.Sprintf("%s: create of a %s that exists", k.named(ev), k.Kind)
}

func (k *Kind[S, R]) named(ev *trace.Event) string { return k.name(ev.ID) }

func (k *Kind[S, R]) name(id string) string {
	if k.single() {
		return k.Name
	}
	return k.Kind.String() + " " + id
}

// typeError says which field of the event has a value outside its type.
func (k *Kind[S, R]) typeError(s *S, ev *trace.Event, bad Columns) string {
	whole := ev.Op == trace.OpCreate || ev.Op == trace.OpSnapshot
	for i := range k.Columns {
		col := &k.Columns[i]
		if v := ev.Fields.Get(col.Field); bad&(1<<i) != 0 && (whole || v.Type != trace.Absent) {
			return fmt.Sprintf("%s: %s %s is not in %s", k.named(ev), col.Field, v, col.Type)
		}
	}
	return k.named(ev) + ": a value is outside its type"
}

// difference is the columns in which the step changes the object.
func (k *Kind[S, R]) difference(c *Change[R]) Columns {
	changed := c.bad ^ c.oldBad
	if c.Old == c.New {
		return changed
	}
	for i := range k.Columns {
		col, bit := &k.Columns[i], Columns(1)<<i
		if !(col.Inferred && c.Logged&bit == 0) && !col.Same(&c.Old, &c.New) {
			changed |= bit
		}
	}
	return changed
}

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

func (k *Kind[S, R]) reset(s *S) { k.Rows(s).reset() }

// finish puts the rows that change first.
func (k *Kind[S, R]) finish(s *S) (changed int) {
	t := k.Rows(s)
	if c := t.one; c != nil && c.Line < 0 {
		return 0
	}
	for i, c := range t.touched {
		if c.differs = k.difference(c); c.differs != 0 {
			t.touched[t.changed], t.touched[i] = c, t.touched[t.changed]
			t.changed++
		}
	}
	return t.changed
}

func (k *Kind[S, R]) changes(s *S) int { return k.Rows(s).changed }
func (k *Kind[S, R]) unwrite(s *S)     { k.Rows(s).unwrite() }

// agrees says that the effect that ran last leaves the columns as the step does.
func (k *Kind[S, R]) agrees(s *S, of Columns) bool {
	t := k.Rows(s)
	for _, c := range t.written {
		if c.bad&of != 0 || !k.same(c, &c.next, of) {
			return false
		}
	}
	for _, c := range t.Changed() {
		if !c.wrote && ((c.bad^c.oldBad)&of != 0 || !k.same(c, &c.Now, of)) {
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
			if !(col.Inferred && c.Logged&(1<<i) == 0) && !col.Same(&c.next, &c.Now) && col.Same(&c.next, &c.New) {
				return true
			}
		}
	}
	return false
}

// wrote yields what the effect that ran last changes.
func (k *Kind[S, R]) wrote(s *S, yield func(id string)) {
	for _, c := range k.Rows(s).written {
		if c.next != c.Now {
			yield(c.ID)
		}
	}
}

// advance makes what the effect has written the state on the way. at is how
// many actions of a walk were taken before, -1 outside of one.
func (k *Kind[S, R]) advance(s *S, at int, moved func(from, to string)) {
	t := k.Rows(s)
	for _, c := range t.written {
		for i := 0; moved != nil && i < len(k.Columns); i++ {
			if status := k.Columns[i].Status; status != nil && status(&c.Now) != status(&c.next) {
				moved(status(&c.Now), status(&c.next))
			}
		}
		if at >= 0 {
			t.undo = append(t.undo, undone[R]{c, c.Now, at})
			k.tally(s, &c.Now, -1)
			k.tally(s, &c.next, +1)
		}
		c.Now = c.next
	}
}

// back undoes the actions of a walk from the one at that place on.
func (k *Kind[S, R]) back(s *S, at int) {
	t := k.Rows(s)
	n := len(t.undo)
	for ; n > 0 && t.undo[n-1].at >= at; n-- {
		u := &t.undo[n-1]
		k.tally(s, &u.change.Now, -1)
		k.tally(s, &u.was, +1)
		u.change.Now = u.was
	}
	clear(t.undo[n:])
	t.undo = t.undo[:n]
}

// arrive ends a walk: the rows stay as it has left them, until the commit, and
// what is counted is as before it.
func (k *Kind[S, R]) arrive(s *S) {
	t := k.Rows(s)
	for _, c := range t.touched {
		c.wrote, c.next = false, c.Now
	}
	k.back(s, 0)
	for _, c := range t.touched {
		c.Now = c.next
	}
}

// commit makes the new rows the state. Columns that the step did not log are as
// its actions left them.
func (k *Kind[S, R]) commit(s *S) {
	t := k.Rows(s)
	for _, c := range t.touched {
		if !c.Shown && c != t.one {
			k.drop(s, c.Row)
			continue
		}
		if c == t.one && c.Line < 0 && c.Now == c.Old {
			continue // as before
		}
		if k.infer(c); c == t.one && c.Line < 0 && c.Row == nil {
			c.Old, c.Now = c.New, c.New
			continue
		}
		k.set(s, c)
	}
}

// infer takes columns that the step did not log from the state on the way.
func (k *Kind[S, R]) infer(c *Change[R]) {
	for i := range k.Columns {
		col, bit := &k.Columns[i], Columns(1)<<i
		if !col.Inferred {
			continue
		}
		if c.bad&bit != 0 || c.Logged&bit == 0 {
			col.Copy(&c.New, &c.Now)
		}
		c.bad &^= bit
	}
}

func (k *Kind[S, R]) drop(s *S, r *Row[R]) {
	if r == nil {
		return
	}
	t := k.Rows(s)
	t.records.Keep(r)
	k.tally(s, &r.Value, -1)
	r.Value = *new(R) // and so it waits for nothing
	t.all.Delete(r.id)
}

// set makes the change's new value the row's.
func (k *Kind[S, R]) set(s *S, c *Change[R]) {
	t := k.Rows(s)
	if k.Put != nil {
		k.Put(s, c)
	}
	if k.Own != nil {
		k.Own(s, &c.New)
	}
	if c.Row != nil {
		k.tally(s, &c.Row.Value, -1)
	}
	t.put(c)
	k.tally(s, &c.New, +1)
	if c == t.one {
		c.Now, t.oneShown = c.New, t.oneShown || c.Line >= 0
	}
}

func (k *Kind[S, R]) tally(s *S, r *R, d int) {
	if k.Tally != nil {
		k.Tally(s, r, d)
	}
}

func (k *Kind[S, R]) subject(s *S) (line int, what string) {
	c := k.Rows(s).touched[0]
	return c.Line, k.What(s, c)
}

// lists adds what changes, before and after.
func (k *Kind[S, R]) lists(s *S, add func(validators.Change) bool) {
	for _, c := range k.Rows(s).Changed() {
		if !add(validators.Change{Kind: k.Kind.String(), ID: strings.Clone(c.ID), Before: k.json(s, &c.Old), After: k.json(s, &c.New)}) {
			return
		}
	}
}

// json is the object as a snapshot line would say it.
func (k *Kind[S, R]) json(s *S, r *R) json.RawMessage {
	fields := map[string]any{}
	for i := range k.Columns {
		if value, given := k.Columns[i].Show(s, r); given {
			fields[k.Columns[i].Field.String()] = value
		}
	}
	b, err := json.Marshal(fields)
	if err != nil {
		panic("model: a value does not encode: " + err.Error())
	}
	return b
}

func (k *Kind[S, R]) objects(s *S, yield func(trace.Kind, string, []byte)) {
	if one := k.Rows(s).one; one != nil && one.Row != nil {
		yield(k.Kind, "", k.json(s, &one.Row.Value))
	}
	for _, r := range k.Rows(s).all.Sorted() {
		yield(k.Kind, r.id, k.json(s, &r.Value))
	}
}

func (k *Kind[S, R]) live(s *S) int {
	t := k.Rows(s)
	if t.one != nil && t.one.Row != nil {
		return 1
	}
	return t.all.Len()
}
