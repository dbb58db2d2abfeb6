package tracespec

import (
	"context"
	"fmt"
	"slices"
	"sort"
	"strings"

	"tracecheck/postmortem/explain"
	"tracecheck/tlaplus/eval"
	"tracecheck/tlaplus/value"
	"tracecheck/validators"
)

// mostPaths and mostHistory bound what an account has: states that the paths lead to,
// and of each variable the steps that changed it.
const (
	mostPaths   = 5
	mostHistory = 10
)

// Explain is Judge, and explains the violating step. Where line is above 0, it explains the
// step of that line of the log, also if it conforms. The state has the variables that the
// failed clauses name or the step changes, or all where full. The error is explain.ErrConforms
// where there is nothing to explain, or is the reason why the line has no step.
func Explain(ctx context.Context, o Options, log string, full bool, line int) ([]explain.Account, *validators.Result, error) {
	s, found, err := o.search(ctx)
	if err != nil {
		return nil, nil, err
	}
	if s != nil {
		s.judge(found)
	}
	e := &explainer{search: s, found: found, result: found.Judged(log, full), lines: found.lines(log), full: full}
	violated := len(e.result.Violations) > 0
	switch {
	case violated && (line == 0 || line == found.Line):
		return []explain.Account{e.violation()}, e.result, nil
	case line == 0 || s == nil:
		return nil, e.result, explain.ErrConforms
	}
	a, err := e.step(line)
	if err != nil {
		return nil, e.result, err
	}
	return []explain.Account{*a}, e.result, nil
}

type explainer struct {
	*search
	found  *Result
	result *validators.Result
	lines  *lines
	full   bool
}

// account begins one of a line.
func (e *explainer) account(line int) *explain.Account {
	at := explain.Place{File: e.lines.file, Line: line}
	a := &explain.Account{First: at, Last: at, Violations: []validators.Violation{}, Events: e.lines.event(line, e.reads(line))}
	a.Total = len(a.Events)
	a.Judged = []explain.Judgement{{Spec: e.found.Module}}
	return a
}

func (e *explainer) violation() explain.Account {
	v := e.result.Violations[0]
	a := e.account(v.Line)
	a.Violations = append(a.Violations, v)
	j := &a.Judged[0]
	names := map[string]bool{}
	from := e.nearest
	if list := e.explained(); from == nil && len(list) > 0 {
		from = list[0]
	}
	e.spare()
	if b := e.broken; b != nil {
		why := &eval.Why{Full: true}
		e.note(e.refusal(b, why))
		j.Broken = []explain.Part{{Line: v.Line, Whole: true, Attempts: Attempts(why.Attempts())}}
		if from = b.before; from != nil {
			if way := e.way(from, b.after); way != nil {
				j.By = []string{way.Action}
			}
		}
		names = Named(why.Attempts(), 1)
		a.State = e.state(from, b.after.state.Vals, names)
	} else {
		var made []value.Value
		for i, n := range e.explained() {
			why := &eval.Why{Full: true}
			e.note(e.failure(n, why))
			list := why.Attempts()
			part := explain.Part{What: e.what(i), Line: v.Line, Whole: true}
			if i == 0 {
				names = Named(list, 1)
				if len(list) > 0 {
					made = list[0].Made
				}
			} else {
				list = list[:min(len(list), 1)]
			}
			part.Attempts = Attempts(list)
			j.Parts = append(j.Parts, part)
		}
		a.State = e.state(from, made, names)
	}
	a.Objects = e.histories(from, names)
	return *a
}

// note notes what ends an explanation early.
func (e *explainer) note(err error) {
	if err == nil {
		return
	}
	text := "the explanation ends with an error: " + err.Error()
	if !slices.Contains(e.result.Notes, text) {
		e.result.Notes = append(e.result.Notes, text)
	}
}

// explained are the first states that the furthest paths lead to, the nearest first;
// or the one in which a path ends that should not.
func (e *explainer) explained() []*node {
	if e.found.Ends {
		return []*node{e.unmet.before}
	}
	list := []*node{}
	if e.nearest != nil {
		list = append(list, e.nearest)
	}
	for _, n := range e.ends {
		if n != e.nearest && len(list) < mostPaths {
			list = append(list, n)
		}
	}
	return list
}

// what identifies one of several states by the variables in which they differ.
func (e *explainer) what(i int) string {
	ends := e.explained()
	if len(ends) == 1 {
		return ""
	}
	text := fmt.Sprintf("In state %d of %d that the paths lead to", i+1, len(e.ends))
	var parts []string
	for v, name := range e.spec.Variables {
		if slices.ContainsFunc(ends, func(n *node) bool { return !unchanged(ends[0], n, v) }) {
			parts = append(parts, name+" = "+value.Show(ends[i].state.Vals[v]))
		}
	}
	if len(parts) > 0 {
		text += ": " + strings.Join(parts, ", ")
	}
	return text
}

// step explains a line that a path consumes.
func (e *explainer) step(line int) (*explain.Account, error) {
	if len(e.paths) == 0 || line > e.furthest {
		why := "the log is explained up to it"
		if e.found.Unusable != "" {
			why = e.found.Unusable
		} else if line > e.found.Line && len(e.result.Violations) > 0 {
			why = fmt.Sprintf("no path explains line %d, which is before it", e.found.Line)
		} else if e.found.Total >= 0 {
			why = fmt.Sprintf("the log has %d lines", e.found.Total)
		}
		return nil, fmt.Errorf("nothing to explain at line %d: %s", line, why)
	}
	to := e.paths[0]
	for to.parent != nil && to.parent.lines >= line {
		to = to.parent
	}
	if to.parent == nil {
		return nil, fmt.Errorf("nothing to explain at line %d: it belongs to the initial state", line)
	}
	a := e.account(line)
	j := &a.Judged[0]
	names := map[string]bool{}
	for i, name := range e.spec.Variables {
		names[name] = !unchanged(to.parent, to, i)
	}
	if way := e.way(to.parent, to); way != nil {
		j.By = []string{way.Action}
		j.Parts = []explain.Part{{Line: line, Whole: true, Attempts: Attempts([]*eval.Attempt{way})}}
	}
	a.State = e.state(to.parent, to.state.Vals, names)
	a.Objects = e.histories(to.parent, names)
	return a, nil
}

// way is how a step is made, nil where that cannot be found.
func (e *explainer) way(from, to *node) (way *eval.Attempt) {
	why := &eval.Why{Full: true}
	e.spare()
	e.stand(from)
	_ = e.spec.Explain(e.run, from.state, why, func(st *eval.State) bool {
		for i, v := range st.Vals {
			if value.Hash(v) != value.Hash(to.state.Vals[i]) {
				return true
			}
		}
		way = why.Path(e.run)
		return false
	})
	return way
}

// state is the variables before and after: those named, and those that change.
func (e *explainer) state(from *node, after []value.Value, names map[string]bool) []validators.Binding {
	var list []validators.Binding
	for _, b := range e.bindings(from, after) {
		if e.full || names[b.Name] || b.After != "" && b.After != b.Value {
			list = append(list, validators.Binding(b))
		}
	}
	return list
}

// histories returns the lines that changed the variables before the step.
func (e *explainer) histories(from *node, names map[string]bool) []explain.History {
	if from == nil {
		return nil
	}
	var list []explain.History
	for _, w := range e.wrote(from, names, mostHistory) {
		i := slices.IndexFunc(list, func(h explain.History) bool { return h.ID == w.Name })
		if i < 0 {
			list = append(list, explain.History{Kind: "variable", ID: w.Name})
			i = len(list) - 1
		}
		if events := e.lines.event(w.Line, w.Reads); len(events) > 0 {
			list[i].Before, list[i].Values = append(list[i].Before, events...), append(list[i].Values, w.Value)
		}
	}
	sort.Slice(list, func(i, j int) bool { return list[i].ID < list[j].ID })
	return list
}

// Attempts are those of the text as a report shows them.
func Attempts(list []*eval.Attempt) []validators.Attempt {
	out := []validators.Attempt{}
	for _, a := range list {
		to := validators.Attempt{Action: a.Action, Stopped: a.Stopped}
		all := slices.Clone(a.Held)
		if a.Failed.Text != "" {
			all = append(all, a.Failed)
		}
		for _, c := range append(all, a.Beyond...) {
			to.Clauses = append(to.Clauses, validators.Tried{Text: c.Text, Holds: c.Holds, Values: c.Values, Place: c.Place})
		}
		out = append(out, to)
	}
	return out
}
