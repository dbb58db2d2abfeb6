package explain

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"tracecheck/trace"
	"tracecheck/validators"
)

// A clause does not report which objects it reads. It reads those that its values name. It is
// also evaluated in each state. If its truth or its values change with a step, it reads an
// object that the step changed.

const (
	mostRead    = 5   // events of an object that a clause reads
	mostChanges = 100 // of one clause that are kept
)

// sight is the result of a clause in the last state.
type sight struct {
	holds  bool
	values string
}

// reads gathers the other objects that one step's clauses read.
type reads struct {
	of      *tracked
	texts   []spoken // what the clauses saw at the step
	named   map[object]*other
	changes map[string][]change // by clause
	events  int                 // taken
}

// spoken is a clause with the values that it read.
type spoken struct{ clause, values string }

// other is an object with the clauses that name it, perhaps none.
type other struct {
	Read
	at int // of the last event
}

// change is an event that changed a clause.
type change struct {
	object
	event validators.Event
	turns bool // its truth changed
	at    int
}

// broken records the values in the messages of broken rules other than Next.
func (r *reads) broken(violations []validators.Violation) {
	for i := range violations {
		if v := &violations[i]; v.Rule != validators.NextRule {
			r.texts = append(r.texts, spoken{v.Rule, v.Message})
		}
	}
}

func (r *reads) forget() {
	clear(r.named)
	clear(r.changes)
}

// take adds an event of an object that the step does not change.
func (r *reads) take(ev *trace.Event) {
	r.events++
	o := object{kind: ev.Kind, id: ev.ID}
	n, known := r.named[o]
	if !known {
		o.id = strings.Clone(o.id)
		n = &other{Read: Read{Kind: o.kind.String(), ID: o.id}}
		for _, s := range r.texts {
			if ev.Kind != trace.KindMeta && names(s.values, o.id) {
				n.Clauses = append(n.Clauses, s.clause)
			}
		}
		if n.Clauses == nil {
			n = nil
		}
		r.named[o] = n
	}
	if n != nil {
		n.note(event(ev), r.events)
	}
}

func (n *other) note(ev validators.Event, at int) {
	if n.Events = append(n.Events, ev); len(n.Events) > mostRead {
		n.Events = n.Events[1:]
	}
	n.at = at
}

// look compares the clauses of the i-th action with their results in the last state. a is nil
// if the step cannot be the action: then nothing is known.
func (f *follow) look(i int, a *validators.Attempt) {
	saw := f.saw[i]
	if a == nil {
		clear(saw)
		return
	}
	for k := range a.Clauses {
		c := &a.Clauses[k]
		was, known := saw[c.Text]
		is := sight{c.Holds, c.Values}
		if saw[c.Text] = is; known && was != is && !c.Effect {
			f.reads.changed(label(a, c), &f.last, was, is)
		}
	}
}

func label(a *validators.Attempt, c *validators.Tried) string { return a.Action + ": " + c.Text }

// changed notes that the step changed the clause. Of several objects, those count that the
// clause names, or that an object of the step in question refers to.
func (r *reads) changed(clause string, step *lastStep, was, is sight) {
	turns := was.holds != is.holds
	list := r.changes[clause]
	if turns { // earlier changes no longer matter
		list = slices.DeleteFunc(list, func(c change) bool { return c.turns })
	}
	var others []int
	own := false
	for i, o := range step.objects {
		if slices.ContainsFunc(r.of.objects, o.is) {
			own = true
		} else {
			others = append(others, i)
		}
	}
	if len(others) > 1 || own {
		referred := slices.DeleteFunc(slices.Clone(others), func(i int) bool { return !r.refers(step.objects[i], was.values+" "+is.values) })
		if len(referred) > 0 || own {
			others = referred
		}
	}
	for _, i := range others {
		list = append(list, change{step.objects[i], step.events[i], turns, r.events})
	}
	if r.changes == nil {
		r.changes = map[string][]change{}
	}
	r.changes[clause] = list[max(0, len(list)-mostChanges):]
}

// refers reports whether the values name the object, or an object of the step in question
// has its id in a field.
func (r *reads) refers(o object, values string) bool {
	id := strconv.Quote(o.id)
	return names(values, o.id) || slices.ContainsFunc(r.of.objects, func(own object) bool {
		is := r.of.state(own)
		return is != nil && strings.Contains(string(is.JSON()), id)
	})
}

// found returns at most MaxObjects objects, the one with the latest event last.
func (r *reads) found() []Read {
	all := map[object]*other{}
	for o, n := range r.named {
		if n != nil {
			all[o] = n
		}
	}
	for _, clause := range slices.Sorted(maps.Keys(r.changes)) {
		for _, c := range r.changes[clause] {
			n := all[c.object]
			if n == nil {
				n = &other{Read: Read{Kind: c.kind.String(), ID: c.id}}
				all[c.object] = n
			}
			if !slices.Contains(n.Clauses, clause) {
				n.Clauses = append(n.Clauses, clause)
			}
			if r.named[c.object] == nil && !slices.ContainsFunc(n.Events, func(e validators.Event) bool { return e.File == c.event.File && e.Line == c.event.Line }) {
				n.note(c.event, max(n.at, c.at))
			}
		}
	}
	list := slices.SortedFunc(maps.Values(all), func(a, b *other) int {
		return cmp.Or(cmp.Compare(a.at, b.at), strings.Compare(a.Kind, b.Kind), strings.Compare(a.ID, b.ID))
	})
	var found []Read
	for _, n := range list[max(0, len(list)-MaxObjects):] {
		found = append(found, n.Read)
	}
	return found
}

// names reports whether the text has the id as a word. One that is a number must be in
// quotes or brackets: other numbers are counts.
func names(text, id string) bool {
	if strings.Trim(id, "0123456789") == "" {
		return id != "" && (strings.Contains(text, `"`+id+`"`) || strings.Contains(text, "["+id+"]"))
	}
	inWord := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
	for at := 0; id != ""; {
		i := strings.Index(text[at:], id)
		if i < 0 {
			return false
		}
		start, end := at+i, at+i+len(id)
		before, _ := utf8.DecodeLastRuneInString(text[:start])
		after, _ := utf8.DecodeRuneInString(text[end:])
		if !inWord(before) && !inWord(after) {
			return true
		}
		at = end
	}
	return false
}
