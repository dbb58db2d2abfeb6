package tracespec

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"unicode"

	"tracecheck/validators"
)

// Judged is what was found as the result of a run over the log. The state before a
// violation has the variables that the failed clauses name, or all where full.
func (found *Result) Judged(log string, full bool) *validators.Result {
	r := &validators.Result{
		Version: 1, Verdict: validators.Conforming, Events: found.Lines, Steps: found.Lines, Streams: 1,
		Specs: []string{found.Module}, Notes: found.Notes, Violations: []validators.Violation{},
	}
	switch {
	case found.Unusable != "":
		r.Verdict, r.Reason, r.Partial = validators.Unusable, found.Unusable, found.Partial
		return r
	case found.Accepted:
		return r
	}
	r.Verdict = validators.Violated
	v := validators.Violation{
		Spec: found.Module, Kind: validators.ViolationKind(found.Kind), Rule: found.Rule, File: log,
		Line: found.Line, FirstLine: found.Line, LastLine: found.Line, Text: found.Text, Nearest: []validators.Near{},
	}
	for _, a := range found.Nearest[:min(len(found.Nearest), nearestActions)] {
		near := validators.Near{
			Action: a.Action, Failed: []string{a.Failed.Text}, Values: []string{a.Failed.Values}, Places: []string{a.Failed.Place},
		}
		for _, c := range a.Held {
			near.Held = append(near.Held, c.Text)
		}
		v.Nearest = append(v.Nearest, near)
	}
	if len(v.Nearest) > 0 && found.Reads != "" {
		values := &v.Nearest[0].Values[0]
		*values = strings.TrimPrefix(*values+", "+found.Reads, ", ")
	}
	v.Message = found.message()
	v.State = found.state(full)
	if raw := logLine(log, found); raw != nil {
		v.Events = []validators.Event{{File: log, Line: found.Line, Raw: raw}}
	}
	v.Identify()
	r.Violations = append(r.Violations, v)
	return r
}

// nearestActions is how many actions a report lists.
const nearestActions = 4

func (found *Result) message() string {
	if found.Kind != Transition {
		return fmt.Sprintf("the step that line %d tells breaks %s of %s", found.Line, found.Rule, found.Module)
	}
	text := fmt.Sprintf("no path of %s explains line %d: the furthest explains the %d lines before it", found.Module, found.Line, found.Lines)
	if found.Paths > 1 {
		text += fmt.Sprintf(", in %d states", found.Paths)
	}
	if len(found.Nearest) > 0 {
		a := found.Nearest[0]
		text += fmt.Sprintf(". Nearest is %s, but not: %s", a.Action, a.Failed.Text)
		if a.Failed.Values != "" {
			text += " (" + a.Failed.Values + ")"
		}
	}
	return text
}

// state is the state before: the variables that the failed clauses name, or
// all.
func (found *Result) state(full bool) []validators.Binding {
	named := map[string]bool{}
	for _, a := range found.Nearest[:min(len(found.Nearest), nearestActions)] {
		for _, word := range strings.FieldsFunc(a.Failed.Text+" "+a.Failed.Values, func(c rune) bool {
			return c != '_' && !unicode.IsLetter(c) && !unicode.IsDigit(c)
		}) {
			named[word] = true
		}
	}
	var list []validators.Binding
	for _, b := range found.Before {
		if full || named[b.Name] || len(found.Nearest) == 0 {
			list = append(list, validators.Binding(b))
		}
	}
	return list
}

// logLine is the line of the log, where its lines are those that the spec reads.
func logLine(log string, found *Result) []byte {
	if log == "" || found.Total < 0 {
		return nil
	}
	data, err := os.ReadFile(log)
	if err != nil {
		return nil
	}
	var lines [][]byte
	for line := range bytes.Lines(data) {
		if line = bytes.TrimSpace(line); len(line) > 0 {
			lines = append(lines, line)
		}
	}
	if len(lines) != found.Total || found.Line > len(lines) {
		return nil
	}
	return lines[found.Line-1]
}
