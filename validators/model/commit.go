package model

import (
	"encoding/json"
	"fmt"
	"math/bits"
	"strings"

	"tracecheck/trace"
	"tracecheck/validators"
)

// commit makes the new rows the state. Columns that the step did not log are as
// its actions left them.
func (k *Kind[S, R]) commit(s *S) {
	t := k.Rows(s)
	for i, c := range t.touched {
		if k.keepsOld && i < t.whole {
			c.was = *c.Old
			c.Old = &c.was
		}
		if k.Referred != nil && c.Line < 0 { // another object is of it
			continue
		}
		if !c.Shown && c != t.one {
			k.drop(s, c)
			continue
		}
		if c == t.one && c.Line < 0 && c.Now == c.Old { // not even inferred
			continue
		}
		if k.inferred != 0 {
			k.infer(c)
		}
		if c == t.one && c.Line < 0 && c.Row == nil {
			k.own(s, c)
			t.row.Value, c.Now = c.New, c.Old
			continue
		}
		if i >= t.whole && c != t.one && c.Row != nil && !c.Row.implied && c.New == c.Row.Value && c.bad == c.Row.bad && c.unseen == c.Row.unseen {
			continue // it stays as it is
		}
		k.set(s, c)
	}
}

// infer takes columns that the step did not log from the state on the way.
func (k *Kind[S, R]) infer(c *Change[R]) {
	for set := k.inferred; set != 0; set &= set - 1 {
		i := bits.TrailingZeros16(uint16(set))
		col, bit := &k.Columns[i], Columns(1)<<i
		if c.bad&bit != 0 || c.Logged&bit == 0 {
			col.Copy(&c.New, c.Now)
		}
		c.bad &^= bit
	}
}

func (k *Kind[S, R]) drop(s *S, c *Change[R]) {
	r := c.Row
	if r == nil || r.implied {
		return
	}
	if k.Put != nil {
		k.Put(s, c)
	}
	t := k.Rows(s)
	t.records.Keep(r)
	k.tally(s, &r.Value, -1)
	if k.Referred != nil {
		k.hide(s, r)
		return
	}
	r.Value = *new(R) // and so it waits for nothing
	t.all.Delete(r.id)
}

// set makes the change's new value the row's.
func (k *Kind[S, R]) set(s *S, c *Change[R]) {
	t := k.Rows(s)
	k.own(s, c)
	if k.Put != nil {
		k.Put(s, c)
	}
	if c.Row != nil && !c.Row.implied {
		k.tally(s, &c.Row.Value, -1)
	}
	if r := t.put(c); r.implied {
		r.implied = false
		t.implied--
	}
	k.tally(s, &c.New, +1)
	if c == t.one {
		c.Now, t.oneShown = c.Old, t.oneShown || c.Line >= 0 && c.Shown
	}
}

// own copies what of the new row points into a line.
func (k *Kind[S, R]) own(s *S, c *Change[R]) {
	for _, own := range k.owns {
		own(s, &c.New, c.Old)
	}
}

func (k *Kind[S, R]) tally(s *S, r *R, d int) {
	if k.Tally != nil {
		k.Tally(s, r, d)
	}
	if k.Absent != nil && k.Absent(r) {
		k.Rows(s).absent += d
	}
}

func (k *Kind[S, R]) subject(s *S) (line int, what string) {
	c := k.Rows(s).Changed()[0]
	return c.Line, k.what(s, c)
}

// what says what happens to the object.
func (k *Kind[S, R]) what(s *S, c *Change[R]) string {
	if k.What != nil {
		return k.What(s, c)
	}
	switch {
	case !k.dynamic() || c.Had && c.Shown:
	case c.Shown:
		return k.name(c.ID) + " is created"
	default:
		return k.name(c.ID) + " is deleted"
	}
	var parts []string
	for i := range k.Columns {
		if col := &k.Columns[i]; c.differs>>i&1 != 0 {
			parts = append(parts, fmt.Sprintf("%s goes from %s to %s", col.Field, shown(col.Show(s, c.Old)), shown(col.Show(s, &c.New))))
		}
	}
	return k.name(c.ID) + ": " + strings.Join(parts, ", ")
}

// shown is a value in a sentence.
func shown(value any, given bool) string {
	switch {
	case !given:
		return "(left out)"
	case value == nil:
		return "null"
	}
	return fmt.Sprint(value)
}

// lists adds what changes, before and after.
func (k *Kind[S, R]) lists(s *S, list *[]validators.Change) {
	for _, c := range k.Rows(s).Changed() {
		if k.Brief != nil && !k.Brief(s) {
			continue
		}
		show := func(r *R) func() json.RawMessage { return func() json.RawMessage { return k.schema.JSON(s, r) } }
		validators.AddChange(list, k.Kind, k.label(c.ID), c.Had || !k.dynamic(), c.Shown || !k.dynamic(), show(c.Old), show(&c.New))
	}
}

func (k *Kind[S, R]) objects(s *S, yield func(trace.Kind, string, []byte)) {
	if k.single() && k.isListed(s) {
		yield(k.Kind, "", k.schema.JSON(s, &k.Rows(s).row.Value))
	}
	for _, r := range k.Rows(s).all.Sorted() {
		if !r.implied && (k.Absent == nil || !k.Absent(&r.Value)) {
			yield(k.Kind, k.label(r.id), k.schema.JSON(s, &r.Value))
		}
	}
}

// isListed says that the single object is among those that there are.
func (k *Kind[S, R]) isListed(s *S) bool {
	t := k.Rows(s)
	return t.one.Row != nil && (k.Listed == nil || k.Listed(s, t.oneShown))
}

func (k *Kind[S, R]) live(s *S) int {
	t := k.Rows(s)
	if k.single() {
		return BoolInt(k.isListed(s))
	}
	return t.all.Len() - t.implied - t.absent
}
