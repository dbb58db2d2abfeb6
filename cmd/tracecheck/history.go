package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"

	"go.uber.org/zap"

	"tracecheck/trace"
	"tracecheck/validators"
)

const (
	historySteps  = 20 // violations that get a history: the first ones
	historyEvents = 5  // events that each gets: the last ones
)

// object names what events are about.
type object struct {
	stream string
	kind   trace.Kind
	id     string
}

// past gathers the events before one violation.
type past struct {
	violation *validators.Violation
	first     trace.Pos // of its step
	over      bool      // first has come
}

// errComplete ends the reading early: every violation has its history.
var errComplete = errors.New("complete")

// history reads the input a second time and gives the violations the last
// earlier events of the same objects. why says what stands against it.
func (j *job) history(ctx context.Context, violations []validators.Violation) (why string) {
	if len(violations) == 0 {
		return ""
	}
	if j.source != nil && !j.source.again() {
		return fmt.Sprintf("what happened before to the same objects is shown only for what can be read twice: %q cannot.", j.source.name())
	}
	for _, name := range j.names {
		if info, err := os.Stat(name); err != nil || !info.Mode().IsRegular() {
			return fmt.Sprintf("what happened before to the same objects is shown only for files, which can be read twice: %q is none.", name)
		}
	}
	watched, firsts := watch(violations[:min(len(violations), historySteps)])
	open := len(firsts)
	err := j.each(ctx, "history", func(events []trace.Event) error {
		for i := range events {
			ev := &events[i]
			if p := firsts[ev.Pos]; p != nil {
				for _, one := range p {
					one.over = true
				}
				delete(firsts, ev.Pos)
				if open--; open == 0 {
					return errComplete
				}
			}
			for _, p := range watched[object{ev.Stream, ev.Kind, ev.ID}] {
				p.add(ev)
			}
		}
		return nil
	})
	_, unfit := errors.AsType[*trace.Error](err)
	switch {
	case err == nil, err == errComplete, unfit: // the end of what was judged
	case ctx.Err() != nil:
		return "what happened before to the same objects was not looked up: the run was interrupted."
	default:
		j.log.Warn("cannot look up what happened before", zap.Error(err))
	}
	if n := len(violations); n > historySteps {
		return fmt.Sprintf("what happened before to the same objects is shown for the first %d violations.", historySteps)
	}
	return ""
}

// watch lists whose events are wanted, and where each history ends.
func watch(violations []validators.Violation) (map[object][]*past, map[trace.Pos][]*past) {
	watched, firsts := map[object][]*past{}, map[trace.Pos][]*past{}
	for i := range violations {
		v := &violations[i]
		p := &past{violation: v, first: trace.Pos{File: v.File, Line: v.FirstLine}}
		if v.FirstFile != "" {
			p.first.File = v.FirstFile
		}
		firsts[p.first] = append(firsts[p.first], p)
		for _, o := range objects(v) {
			watched[o] = append(watched[o], p)
		}
	}
	return watched, firsts
}

// objects are those that the violation's step changed, or those of its lines
// where it changed none.
func objects(v *validators.Violation) []object {
	var found []object
	seen := map[object]bool{}
	add := func(kind trace.Kind, id string) {
		if o := (object{v.Stream, kind, id}); kind != trace.KindNone && !seen[o] {
			seen[o] = true
			found = append(found, o)
		}
	}
	for i := range v.Changes {
		add(trace.ParseKind(v.Changes[i].Kind), v.Changes[i].ID)
	}
	if len(found) > 0 {
		return found
	}
	var d trace.Decoder
	for i := range v.Events {
		var ev trace.Event
		if d.Decode(v.Events[i].Raw, trace.Pos{}, &ev) == nil {
			add(ev.Kind, ev.ID)
		}
	}
	return found
}

// add takes an event, which is borrowed.
func (p *past) add(ev *trace.Event) {
	if p.over {
		return
	}
	h := p.violation.History
	if len(h) == historyEvents {
		copy(h, h[1:])
		h = h[:historyEvents-1]
	}
	p.violation.History = append(h, validators.Event{
		File: strings.Clone(ev.Pos.File), Line: ev.Pos.Line, Raw: json.RawMessage(strings.Clone(ev.Raw)),
	})
}
