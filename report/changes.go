package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/tidwall/gjson"

	"tracecheck/validators"
)

// tabled is the number of objects shown field by field. If more change, each
// has one line, at most changesShown lines.
const (
	tabled       = 3
	changesShown = 10
)

func firstChanges(step []validators.Violation) []validators.Change {
	for i := range step {
		if len(step[i].Changes) > 0 {
			return step[i].Changes
		}
	}
	return nil
}

// changes shows the objects before and after the step.
func (p *printer) changes(list []validators.Change) {
	if len(list) == 0 {
		return
	}
	p.section("Before and after (* changed)")
	if len(list) <= tabled {
		for i := range list {
			p.table(&list[i])
		}
		return
	}
	for i := range list {
		if i == changesShown {
			more := fmt.Sprintf("… and %d more", len(list)-i)
			if len(list) == validators.MaxChanges {
				more += " at least"
			}
			p.raw(5, p.paint(dim, more))
			break
		}
		p.oneLine(&list[i])
	}
}

// field is a field of an object, as JSON; "": the object lacks it.
type field struct{ name, before, after string }

func (f *field) changed() bool { return f.before != f.after }

func (p *printer) table(c *validators.Change) {
	fields, what := compare(c)
	p.raw(5, p.paint(bold, clean(c.Kind+" "+c.ID))+" "+what)
	name, before := 0, 0
	for i := range fields {
		name = max(name, utf8.RuneCountInString(fields[i].name))
		if n := utf8.RuneCountInString(or(fields[i].before)); fields[i].changed() && n <= p.width/3 {
			before = max(before, n)
		}
	}
	for i := range fields {
		f := &fields[i]
		lead := "  " + padded(f.name, name) + "  "
		switch {
		case what != whatChanges:
			p.cut(7, plain, lead+f.before+f.after)
		case !f.changed():
			p.cut(7, dim, lead+f.before)
		case utf8.RuneCountInString(lead+f.before+f.after)+4 > p.width-7:
			p.cut(7, yellow, "* "+lead[2:]+or(f.before))
			p.cut(7, yellow, strings.Repeat(" ", name)+"->  "+or(f.after))
		default:
			p.cut(7, yellow, "* "+lead[2:]+padded(or(f.before), before)+"  ->  "+or(f.after))
		}
	}
}

func (p *printer) oneLine(c *validators.Change) { p.cut(5, plain, Change(c)) }

// Cause is what the step did, in one line, to the object of the event that breaks the rule. It
// is "" where the violation does not show it.
func Cause(v *validators.Violation) string {
	for i := range v.Events {
		e := &v.Events[i]
		if e.File != v.File || e.Line != v.Line {
			continue
		}
		of := gjson.GetManyBytes(e.Raw, "kind", "id")
		for k := range v.Changes {
			if c := &v.Changes[k]; c.Kind == of[0].Str && c.ID == of[1].Str {
				return Change(c)
			}
		}
	}
	return ""
}

// Change says in one line what became of an object.
func Change(c *validators.Change) string {
	fields, what := compare(c)
	var parts []string
	for i := range fields {
		f := &fields[i]
		switch {
		case what != whatChanges:
			parts = append(parts, f.name+" "+f.before+f.after)
		case f.changed():
			parts = append(parts, fmt.Sprintf("%s %s -> %s", f.name, or(f.before), or(f.after)))
		}
	}
	return fmt.Sprintf("%s %s %s: %s", c.Kind, c.ID, what, strings.Join(parts, ", "))
}

const whatChanges = "changes"

// compare pairs the fields, in their order, and says what happened to the
// object.
func compare(c *validators.Change) (fields []field, what string) {
	before, wasThere := members(c.Before)
	after, isThere := members(c.After)
	for _, b := range before {
		fields = append(fields, field{name: b.name, before: b.after})
	}
next:
	for _, a := range after {
		for i := range fields {
			if fields[i].name == a.name {
				fields[i].after = a.after
				continue next
			}
		}
		fields = append(fields, a)
	}
	switch {
	case wasThere && isThere:
		return fields, whatChanges
	case wasThere:
		return fields, "is deleted; it was"
	}
	return fields, "is created"
}

// members returns the members of a JSON object as the "after" of fields; false
// if raw is not an object.
func members(raw json.RawMessage) ([]field, bool) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return nil, false
	}
	var fields []field
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return fields, true
		}
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return fields, true
		}
		fields = append(fields, field{name: fmt.Sprint(key), after: string(value)})
	}
	return fields, true
}

// or returns a placeholder for an absent field.
func or(value string) string {
	if value == "" {
		return "(none)"
	}
	return value
}
