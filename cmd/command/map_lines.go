package command

import (
	"bufio"
	"bytes"
	"fmt"
	"io"

	"tracecheck/ingest/foreign"
	"tracecheck/ingest/mapping"
	"tracecheck/report"
	"tracecheck/trace"
)

// mapLines maps the lines of a block, and notes what became of each.
type mapLines struct {
	*mapping.Decoder
	strict  bool // the first line that cannot be mapped ends the log
	nearest bool // say which rule came nearest
	lines   []mappedLine
}

// mappedLine is what became of a line.
type mappedLine struct {
	pos     trace.Pos
	rule    int // -1: none
	events  int
	err     error
	nearest string // where no rule matches, and it was asked for
}

func (m *mapLines) Reset() {
	m.Decoder.Reset()
	m.lines = m.lines[:0]
}

func (m *mapLines) Decode(events []trace.Event, line []byte, pos trace.Pos) ([]trace.Event, error) {
	n := len(events)
	events, rule, err := m.Map(events, line, pos)
	if e, ok := err.(*trace.Error); ok && pos.Line == 1 && !m.strict { // said once; strict, the Reader says it
		e.Reason, _ = foreign.Reason(foreign.Input{Text: append(bytes.Clone(line), '\n'), File: pos.File, Mapped: true}, e.Reason)
	}
	one := mappedLine{pos: pos, rule: rule, events: len(events) - n, err: err}
	if rule < 0 && err == nil && m.nearest {
		one.nearest = m.Nearest(line)
	}
	m.lines = append(m.lines, one)
	if m.strict {
		return events, err
	}
	return events, nil
}

// mapOutput writes what map prints.
type mapOutput struct {
	rules   *mapping.Rules
	opening *mapping.Opening
	jsonl   bool
	verbose bool
	out     *bufio.Writer
	notes   io.Writer

	counts mapping.Counts
	failed int // lines that cannot be mapped
}

func (o *mapOutput) block(lines *mapLines, events []trace.Event) error {
	o.counts.Add(&lines.Counts)
	if o.jsonl {
		if err := o.opening.Each(events, o.events); err != nil {
			return err
		}
	}
	for i := range lines.lines {
		line := &lines.lines[i]
		if line.err != nil {
			o.failed++
		}
		if o.jsonl {
			if line.nearest != "" {
				fmt.Fprintln(o.notes, report.Clean(o.fate(line)))
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

// fate says in one line what became of another.
func (o *mapOutput) fate(line *mappedLine) string {
	at := line.pos.String()
	switch {
	case line.err != nil:
		return "error: " + line.err.Error() // which names the place
	case line.rule < 0 && line.nearest != "":
		return fmt.Sprintf("%s  no rule: %s", at, line.nearest)
	case line.rule < 0:
		return at + "  no rule"
	}
	name, _ := o.rules.Name(line.rule)
	if o.rules.Ignores(line.rule) {
		name += ", ignored"
	}
	return at + "  " + name
}

// events writes events as the lines of a trace.
func (o *mapOutput) events(events []trace.Event) error {
	for i := range events {
		o.out.WriteString(events[i].Raw)
		if err := o.out.WriteByte('\n'); err != nil {
			return err
		}
	}
	return nil
}

// summary counts the lines by what became of them.
func (o *mapOutput) summary() {
	c := &o.counts
	fmt.Fprintf(o.notes, "%s: %d lines, %d events\n", o.rules.File, c.Lines, c.Events)
	for i := range c.Matched {
		name, line := o.rules.Name(i)
		if o.rules.Ignores(i) {
			name += ", ignored"
		}
		fmt.Fprintf(o.notes, "%8d  %s (line %d)\n", c.Matched[i], report.Clean(name), line)
	}
	fmt.Fprintf(o.notes, "%8d  no rule\n", c.Unmapped)
	if o.failed > 0 {
		fmt.Fprintf(o.notes, "%8d  cannot be mapped\n", o.failed)
	}
}
