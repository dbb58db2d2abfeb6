package tracespec

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"tracecheck/internal/files"
	"tracecheck/tlaplus/eval"
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
	v.Nearest = Near(found.Nearest, found.Reads)
	v.Message = found.message()
	v.State = found.state(full)
	lines := found.lines(log)
	v.Events = lines.event(found.Line, found.Reads)
	last := 0
	for _, w := range found.Wrote {
		if w.Line != last {
			v.History = append(v.History, lines.event(w.Line, w.Reads)...)
		}
		last = w.Line
	}
	v.Identify()
	r.Violations = append(r.Violations, v)
	return r
}

// Near are the nearest attempts as a violation has them. The values of the first end
// with what else it reads.
func Near(list []*eval.Attempt, reads string) []validators.Near {
	out := []validators.Near{}
	for _, a := range list[:min(len(list), nearestActions)] {
		near := validators.Near{
			Action: a.Action, Failed: []string{a.Failed.Text}, Values: []string{a.Failed.Values}, Places: []string{a.Failed.Place},
		}
		for _, c := range a.Held {
			near.Held = append(near.Held, c.Text)
		}
		out = append(out, near)
	}
	if len(out) > 0 && reads != "" {
		values := &out[0].Values[0]
		*values = strings.TrimPrefix(*values+", "+reads, ", ")
	}
	return out
}

// nearestActions is how many actions a report lists.
const nearestActions = 4

func (found *Result) message() string {
	if found.Ends {
		return fmt.Sprintf("a path of %s ends, or enters a loop, before line %d: %s does not hold of it", found.Module, found.Line, found.Rule)
	}
	if found.Kind != Transition {
		return fmt.Sprintf("the step of line %d breaks %s of %s", found.Line, found.Rule, found.Module)
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
		text += AsNear(found.Nearest)
	}
	return text
}

// AsNear names the actions that got as far as the first.
func AsNear(list []*eval.Attempt) string {
	var names []string
	for _, a := range list[1:] {
		if a.Says == list[0].Says && len(a.Held) == len(list[0].Held) && a.Action != list[0].Action && !slices.Contains(names, a.Action) {
			names = append(names, a.Action)
		}
	}
	return validators.AsNear(names)
}

// state is the variables before and after: those that the failed clauses name, or
// all.
func (found *Result) state(full bool) []validators.Binding {
	names := Named(found.Nearest, nearestActions)
	var list []validators.Binding
	for _, b := range found.Before {
		if full || names[b.Name] || len(found.Nearest) == 0 {
			list = append(list, validators.Binding(b))
		}
	}
	return list
}

// Named are the words in the failed clauses of the first attempts, and in what these
// read.
func Named(list []*eval.Attempt, most int) map[string]bool {
	words := map[string]bool{}
	for _, a := range list[:min(len(list), most)] {
		name(words, a.Failed.Text+" "+a.Failed.Values)
		for _, c := range a.Beyond {
			if !c.Holds {
				name(words, c.Text+" "+c.Values)
			}
		}
	}
	return words
}

func name(words map[string]bool, text string) {
	for _, word := range strings.FieldsFunc(text, func(c rune) bool {
		return c != '_' && !unicode.IsLetter(c) && !unicode.IsDigit(c)
	}) {
		words[word] = true
	}
}

// lines are those of a log, where they are the ones that the spec reads; else
// what it reads represents them.
type lines struct {
	file string
	raw  [][]byte
	is   func(line int, raw []byte) bool
}

func (found *Result) lines(log string) *lines {
	l := &lines{file: log, is: found.is}
	if log == "" || found.Total < 0 {
		return l
	}
	data, err := files.Read(log, files.Log)
	if err != nil {
		return l
	}
	for line := range bytes.Lines(data) {
		if line = bytes.TrimSpace(line); len(line) > 0 {
			l.raw = append(l.raw, line)
		}
	}
	if len(l.raw) != found.Total {
		l.raw = nil
	}
	return l
}

// event is a line as reports show it; none where nothing is known of it.
func (l *lines) event(line int, reads string) []validators.Event {
	switch {
	case line <= len(l.raw) && json.Valid(l.raw[line-1]) && l.is(line, l.raw[line-1]):
		return []validators.Event{{File: l.file, Line: line, Raw: l.raw[line-1]}}
	case reads != "":
		var text bytes.Buffer
		enc := json.NewEncoder(&text)
		enc.SetEscapeHTML(false) // people read it
		if enc.Encode(reads) == nil {
			return []validators.Event{{File: l.file, Line: line, Raw: bytes.TrimSpace(text.Bytes())}}
		}
	}
	return nil
}
