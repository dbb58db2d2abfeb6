package report

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/tidwall/gjson"

	"tracecheck/internal/amount"
	"tracecheck/internal/kinds"
	"tracecheck/postmortem/replay"
	"tracecheck/trace"
)

// columns are the fields of format 1 that a table shows of each kind, the most
// useful first. Those of other kinds are taken from the objects.
var columns = map[trace.Kind][]string{
	kinds.Service: {"name", "replicas", "remove", "mode", "image", "spec_version", "job_iteration", "update_state", "max_attempts",
		"update_order", "rollback_order", "constraints", "spec_ports", "max_concurrent"},
	kinds.Task:      {"service", "slot", "node", "state", "desired_state", "spec_version", "job_iteration", "volume_drained", "err", "message"},
	kinds.Node:      {"state", "status", "availability"},
	kinds.Container: {"node", "state"},
	kinds.Endpoint:  {"spec", "ports"},
	kinds.Allocator: {"allocated"},
	kinds.Request:   {"status", "rank", "queued"},
	kinds.Cluster:   {"request", "complete", "last_submitted", "conf_ok"},
	kinds.Namespace: {"clusters"},
	kinds.PVC:       {"namespace", "clusters"},
	kinds.Syncer:    {"namespace", "pvc_state"},

	trace.KindVariable: {"value"},
}

// State writes the streams' states as tables, one for each kind. keep selects
// objects; nil: all.
func State(w io.Writer, streams []*replay.Stream, keep func(*replay.Object) bool, opts TextOptions) error {
	p := newPrinter(w, opts.Color, opts.Width)
	for i, s := range streams {
		if i > 0 {
			p.blank()
		}
		p.state(s, keep, opts.Width)
	}
	if len(streams) == 0 {
		p.raw(0, "nothing: no event comes before this point")
	}
	return p.flush()
}

// begin makes a text the beginning of a sentence.
func begin(text string) string { return strings.ToUpper(text[:1]) + text[1:] }

func (p *printer) state(s *replay.Stream, keep func(*replay.Object) bool, width int) {
	p.wrapped(0, plain, "", bold, begin(streamAt(s)))
	byKind := [trace.MaxKinds][]*replay.Object{}
	var kinds []trace.Kind
	for _, o := range s.Objects() {
		if keep != nil && !keep(o) {
			continue
		}
		if byKind[o.Kind] == nil {
			kinds = append(kinds, o.Kind)
		}
		byKind[o.Kind] = append(byKind[o.Kind], o)
	}
	for _, kind := range kinds {
		p.blank()
		p.objects(s, kind, byKind[kind], width)
	}
	if len(kinds) == 0 {
		p.blank()
		p.raw(2, "no objects")
	}
}

// streamAt names the stream and its latest position.
func streamAt(s *replay.Stream) string {
	parts := []string{trace.StreamName(s.Name) + " after " + s.Last.String()}
	if s.HasSeq {
		parts = append(parts, fmt.Sprintf("seq %d", s.Seq))
	}
	if s.Time != "" {
		parts = append(parts, s.Time)
	}
	if s.Possible > 1 {
		parts = append(parts, "one of "+amount.Of(s.Possible, "possible state"))
	}
	return strings.Join(parts, ", ")
}

// objects writes the table of one kind, with the columns that occur.
func (p *printer) objects(s *replay.Stream, kind trace.Kind, list []*replay.Object, width int) {
	var shown []string
	known := columns[kind]
	if known == nil {
		known = fieldsOf(list)
	}
	for _, name := range known {
		for _, o := range list {
			if o.Get(name) != "" {
				shown = append(shown, name)
				break
			}
		}
	}
	p.heading(2, amount.Of(len(list), kind.String()))
	var table bytes.Buffer
	t := tabwriter.NewWriter(&table, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "id\tsince\t%s\n", strings.Join(shown, "\t"))
	for _, o := range list {
		since := fmt.Sprintf("line %d", o.Last.Line)
		if o.Last.Line == 0 {
			since = "the beginning"
		} else if o.Last.File != s.Last.File {
			since = o.Last.String()
		}
		id := o.ID
		if id == "" { // of a singleton
			id = "-"
		}
		fmt.Fprintf(t, "%s\t%s", clean(id), clean(since))
		for _, name := range shown {
			fmt.Fprintf(t, "\t%s", inTable(o, o.Get(name)))
		}
		fmt.Fprintln(t)
	}
	t.Flush() // writing to memory
	for i, line := range strings.Split(strings.TrimSuffix(table.String(), "\n"), "\n") {
		line = strings.TrimRight(line, " ")
		if width > 0 {
			line = shorten(line, p.width-4)
		}
		if i == 0 {
			p.raw(4, p.paint(dim, line))
		} else {
			p.raw(4, line)
		}
	}
}

// fieldsOf returns the known fields of the objects, in the order of their
// appearance.
func fieldsOf(list []*replay.Object) (names []string) {
	for _, o := range list {
		for _, f := range o.Fields {
			if trace.KnowsField(f.Name) && !slices.Contains(names, f.Name) {
				names = append(names, f.Name)
			}
		}
	}
	return names
}

// shownIn is the object's value as it is shown: a variable's is a text of TLA+.
func shownIn(o *replay.Object, value string) string {
	if o.Kind == trace.KindVariable {
		value = gjson.Parse(value).Str
	}
	return clean(value)
}

// inTable is the object's value as a table shows it.
func inTable(o *replay.Object, value string) string {
	if o.Kind == trace.KindVariable {
		return shownIn(o, value)
	}
	return cell(value)
}

// cell is a value without the quotes of a simple string.
func cell(value string) string {
	switch {
	case value == "":
		return "-"
	case value == `""`:
		return value
	case strings.HasPrefix(value, `"`) && !strings.ContainsAny(value, `\	`):
		return clean(strings.Trim(value, `"`))
	}
	return clean(value)
}
