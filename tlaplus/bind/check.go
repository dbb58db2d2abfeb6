package bind

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"tracecheck/tlaplus/value"
	"tracecheck/trace"
)

// Checker shows the meaning of lines by a bind file, without judging them. It serves one
// goroutine.
type Checker struct {
	Counts []Count  // of the events, the most frequent first: once Done
	Lines  int      // looked at
	Other  int      // lines that are no steps
	Notes  []string // on event and args, and the entries of before and observe, that no line has a value for, and on Loose: once Done

	m      *machine
	world  *world // of a log in the trace format
	counts map[string]*Count
	valued map[*expr]bool  // entries of before and observe
	begun  map[string]bool // streams whose header, or first state, has come
}

// Count is how often an event is in the log.
type Count struct {
	Event string // "": the line names none
	Lines int
	First trace.Pos
	Fault string // why it means nothing; "": it does
}

// Checker returns a new one.
func (b *Bind) Checker() *Checker {
	return &Checker{m: &machine{b: b}, counts: map[string]*Count{}, valued: map[*expr]bool{}, begun: map[string]bool{}}
}

// Line returns the meaning of an event in one line of text. The error is why the line means
// nothing.
func (c *Checker) Line(ev *trace.Event) (text string, err error) {
	if bad := guarded(func() { text, err = c.line(ev) }); bad != nil {
		return "", bad
	}
	return text, err
}

func (c *Checker) line(ev *trace.Event) (string, error) {
	m := c.m
	c.Lines++
	if m.b.Objects() {
		return c.object(ev)
	}
	switch {
	case m.b.file.headerLine && !c.begun[ev.Stream]:
		c.begun[strings.Clone(ev.Stream)] = true
		c.Other++
		if m.header != "" {
			return "the header of another stream", nil // the lines are shown with the first one
		}
		m.header = strings.Clone(ev.Raw)
		return "the header", m.ready()
	case m.header == "":
		m.header = m.b.header
	}
	if err := m.ready(); err != nil {
		return "", err
	}
	m.p.run.Work = 0
	e, bad := m.p.json.text(ev.Raw, m.b.shapes.field(lineName))
	if bad != "" {
		return "", fmt.Errorf("the line is not a value: %s", bad)
	}
	is, err := m.isEvent(e)
	if err != nil {
		return "", err
	}
	if !is {
		c.Other++
		return "no event: when is FALSE", nil
	}
	if m.b.file.initLine && !c.begun[ev.Stream] {
		c.begun[strings.Clone(ev.Stream)] = true
		c.Other++
		return c.after(ev, "the first state", e), nil
	}
	count := c.counted(m.eventOf(e), ev)
	pl, args, err := m.plan(e)
	if err != nil {
		count.Fault = err.Error()
		return "", err
	}
	return c.describe(ev, e, pl, args), nil
}

// counted counts a line of the event.
func (c *Checker) counted(name string, ev *trace.Event) *Count {
	count := c.counts[name]
	if count == nil {
		count = &Count{Event: name, First: trace.Pos{File: strings.Clone(ev.Pos.File), Line: ev.Pos.Line}}
		c.counts[name] = count
	}
	count.Lines++
	return count
}

// describe returns the meaning of the line as text.
func (c *Checker) describe(ev *trace.Event, e value.Value, pl *plan, args value.Value) string {
	text := "any step"
	if pl.name != "" {
		text = pl.name
		if list, ok := args.(*value.Tuple); ok && pl.argument == theArgs && len(list.Elems) > 0 {
			var parts []string
			for _, a := range list.Elems {
				parts = append(parts, value.Show(a))
			}
			text += "(" + strings.Join(parts, ", ") + ")"
		} else if pl.through != "" {
			text += ", with any arguments"
		}
	}
	return c.after(ev, text, e)
}

// after adds the values that the line gives for the states before and after it.
func (c *Checker) after(ev *trace.Event, text string, e value.Value) string {
	list := func(what string, of []clause, pairs []pair) {
		var names []string
		for i := range of {
			if of[i].guarded || hasAll(e, of[i].paths) {
				names = append(names, of[i].name)
				if i < len(pairs) { // a preset has more
					c.valued[pairs[i].of] = true
				}
			}
		}
		if len(names) > 0 {
			text += "; " + what + " " + strings.Join(names, ", ")
		}
	}
	list("before it", c.m.p.before, c.m.b.file.before)
	list("after it", c.m.p.observe, c.m.b.file.observe)
	if ev.Stream != "" {
		text = trace.StreamName(ev.Stream) + ": " + text
	}
	return text
}

// eventOf is the line's event; "" where it names none.
func (m *machine) eventOf(e value.Value) string {
	if x := m.p.event; x != nil && (x.guarded || hasAll(e, x.paths)) {
		if v, err := m.p.run.Value(x.f, nil, e); err == nil {
			if s, ok := v.(*value.Str); ok {
				return s.Text
			}
			return value.Show(v)
		}
	}
	return ""
}

// Done completes the counts.
func (c *Checker) Done() {
	for _, n := range c.counts {
		c.Counts = append(c.Counts, *n)
	}
	missing, _ := c.m.b.absent()
	for _, o := range slices.Concat(c.m.b.file.before, c.m.b.file.observe) {
		if !c.valued[o.of] {
			missing = append(missing, strings.TrimSpace(o.of.text))
		}
	}
	for _, name := range missing {
		c.Notes = append(c.Notes, "no line has a value for "+name)
	}
	c.Notes = append(c.Notes, c.m.b.Loose...)
	sort.Slice(c.Counts, func(i, j int) bool {
		a, b := &c.Counts[i], &c.Counts[j]
		return a.Lines > b.Lines || a.Lines == b.Lines && a.Event < b.Event
	})
}
