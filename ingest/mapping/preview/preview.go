// Package preview shows what rules make of each line of a log.
package preview

import (
	"bufio"
	"bytes"
	"fmt"

	"tracecheck/ingest/foreign"
	"tracecheck/ingest/mapping"
	"tracecheck/internal/amount"
	"tracecheck/report"
	"tracecheck/trace"
)

// Lines maps the lines of a block, and records the result of each.
type Lines struct {
	*mapping.Decoder
	Strict  bool // the first line that cannot be mapped ends the log
	Explain bool // find the nearest rule for a line without one
	lines   []mappedLine
}

// mappedLine is the result for a line.
type mappedLine struct {
	pos     trace.Pos
	rule    int // -1: none
	events  int
	err     error
	nearest string // with Explain: the nearest rule
}

func (m *Lines) Reset() {
	m.Decoder.Reset()
	m.lines = m.lines[:0]
}

func (m *Lines) Decode(events []trace.Event, line []byte, pos trace.Pos) ([]trace.Event, error) {
	n := len(events)
	events, rule, err := m.Map(events, line, pos)
	if e, ok := err.(*trace.Error); ok && pos.Line == 1 && !m.Strict { // reported once; if Strict, the Reader reports it
		e.Reason, _ = foreign.Reason(foreign.Input{Text: append(bytes.Clone(line), '\n'), File: pos.File, Mapped: true}, e.Reason)
	}
	one := mappedLine{pos: pos, rule: rule, events: len(events) - n, err: err}
	if rule < 0 && err == nil && m.Explain {
		one.nearest = m.Nearest(line)
	}
	m.lines = append(m.lines, one)
	if m.Strict {
		return events, err
	}
	return events, nil
}

// output writes the lines and events.
type output struct {
	Options
	opening *mapping.Opening
	out     *bufio.Writer
	counts  mapping.Counts
	failed  int // lines that cannot be mapped
}

func (o *output) block(lines *Lines, events []trace.Event) error {
	o.counts.Add(&lines.Counts)
	if o.JSONL {
		if err := o.opening.Each(events, o.events); err != nil {
			return err
		}
	}
	for i := range lines.lines {
		line := &lines.lines[i]
		if line.err != nil {
			o.failed++
		}
		if o.JSONL {
			if line.nearest != "" {
				fmt.Fprintln(o.Notes, report.Clean(o.fate(line)))
			}
			continue
		}
		fmt.Fprintln(o.out, report.Clean(o.fate(line)))
		for _, ev := range events[:line.events] {
			fmt.Fprintln(o.out, "  "+report.Clean(ev.Raw))
		}
		events = events[line.events:]
	}
	if o.out.Buffered() == 0 {
		return nil
	}
	return o.out.Flush() // a live log may have no more to give
}

// fate describes the result for a line, in one line.
func (o *output) fate(line *mappedLine) string {
	at := line.pos.String()
	switch {
	case line.err != nil:
		return "error: " + line.err.Error() // the error names the place
	case line.rule < 0 && line.nearest != "":
		return fmt.Sprintf("%s  no rule: %s", at, line.nearest)
	case line.rule < 0:
		return at + "  no rule"
	}
	name, _ := o.Rules.Name(line.rule)
	if o.Rules.Ignores(line.rule) {
		name += ", ignored"
	}
	return at + "  " + name
}

// events writes events as the lines of a trace.
func (o *output) events(events []trace.Event) error {
	for i := range events {
		o.out.WriteString(events[i].Raw)
		if err := o.out.WriteByte('\n'); err != nil {
			return err
		}
	}
	return nil
}

// summary writes the number of lines by result.
func (o *output) summary() {
	c := &o.counts
	fmt.Fprintf(o.Notes, "%s: %s, %s\n", o.Rules.File, amount.Of(c.Lines, "line"), amount.Of(c.Events, "event"))
	for i := range c.Matched {
		name, line := o.Rules.Name(i)
		if o.Rules.Ignores(i) {
			name += ", ignored"
		}
		fmt.Fprintf(o.Notes, "%8d  %s (line %d)\n", c.Matched[i], report.Clean(name), line)
	}
	fmt.Fprintf(o.Notes, "%8d  no rule\n", c.Unmapped)
	if o.failed > 0 {
		fmt.Fprintf(o.Notes, "%8d  cannot be mapped\n", o.failed)
	}
}
