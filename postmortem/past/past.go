// Package past finds the earlier events of the objects of a violation.
package past

import (
	"cmp"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"tracecheck/postmortem/replay"
	"tracecheck/trace"
	"tracecheck/validators"
)

const (
	// MaxViolations bounds the violations that get a history: the first ones do.
	MaxViolations = 20
	maxEvents     = 5 // the last events in a history
)

// Find sets the History of the first violations: the last earlier events of the same
// objects. It is empty, not nil, if there are none. A violation with a History keeps it. A
// violation of a snapshot gets its line as its only event. each calls its argument with the
// events of the trace, in order, until that returns trace.ErrStop. A *trace.Error of each
// ends the trace. remember is as in validators.Options.
func Find(violations []validators.Violation, remember int, each func(func([]trace.Event) error) error) error {
	if len(violations) == 0 {
		return nil
	}
	h := Watch(violations, remember)
	err := each(h.Push)
	h.Close()
	if _, unfit := errors.AsType[*trace.Error](err); unfit || errors.Is(err, trace.ErrStop) {
		return nil // the end of what was judged
	}
	return err
}

// Forget makes empty histories nil, that is unknown: the beginning of the trace is lost.
func Forget(violations []validators.Violation) {
	for i := range violations {
		if v := &violations[i]; len(v.History) == 0 {
			v.History = nil
		}
	}
}

// object identifies the object of an event.
type object struct {
	stream    string
	kind      trace.Kind
	id        string
	namespace string // of a syncer; "": unknown, as its line may leave it out
}

// is reports whether the two may be one object.
func (o object) is(p object) bool {
	return o.named() == p.named() && (o.namespace == p.namespace || o.namespace == "" || p.namespace == "")
}

func (o object) named() object { o.namespace = ""; return o }

func objectOf(stream string, ev *trace.Event) object {
	var none replay.Stream
	return object{stream, ev.Kind, ev.ID, none.Namespace(ev)}
}

// past gathers the events before one violation.
type past struct {
	violation *validators.Violation
	objects   []object
	first     trace.Pos // of its step
	over      bool      // first has come
}

// Histories gathers the events before some violations.
type Histories struct {
	watched map[object][]*past
	firsts  map[trace.Pos][]*past                 // where a history ends
	lines   map[trace.Pos][]*validators.Violation // violations of snapshots
	at      trace.Pos                             // the current line
	streams map[string]*followed
}

// followed is a stream with a violation.
type followed struct {
	seq  trace.Sequencer
	sink trace.Counted
}

// Watch is Find for a caller that reads the trace itself.
func Watch(violations []validators.Violation, remember int) *Histories {
	h := &Histories{
		watched: map[object][]*past{}, firsts: map[trace.Pos][]*past{},
		lines: map[trace.Pos][]*validators.Violation{}, streams: map[string]*followed{},
	}
	for i := range violations[:min(len(violations), MaxViolations)] {
		v := &violations[i]
		if v.History != nil {
			continue // from its machine
		}
		v.History = []validators.Event{}
		p := &past{violation: v, first: trace.Pos{File: cmp.Or(v.FirstFile, v.File), Line: v.FirstLine}}
		h.firsts[p.first] = append(h.firsts[p.first], p)
		if at := (trace.Pos{File: v.File, Line: v.Line}); len(v.Events) == 0 && v.Waiting == nil {
			h.lines[at] = append(h.lines[at], v)
		}
		if h.streams[v.Stream] == nil {
			h.streams[v.Stream] = &followed{
				trace.Sequencer{OnGap: trace.ResyncOnGap, Remember: remember}, trace.Counted{Each: h.add, Again: func() { h.begin(v.Stream) }},
			}
		}
		p.objects = objects(v)
		for _, o := range p.objects {
			if list := h.watched[o.named()]; !slices.Contains(list, p) {
				h.watched[o.named()] = append(list, p)
			}
		}
	}
	return h
}

// Push takes the next events. It returns trace.ErrStop if it needs no more.
func (h *Histories) Push(events []trace.Event) error {
	for i := range events {
		if len(h.firsts) == 0 && len(h.lines) == 0 {
			return trace.ErrStop
		}
		ev := &events[i]
		s := h.streams[ev.Stream]
		if s == nil {
			continue
		}
		if err := s.seq.Push(ev, &s.sink); err != nil {
			return err
		}
	}
	for _, s := range h.streams {
		s.seq.Own()
	}
	return nil
}

// Close ends the trace.
func (h *Histories) Close() {
	for _, s := range h.streams {
		_ = s.seq.Close(&s.sink) // a step that ends with the trace; what was unfit is reported already
	}
	for _, list := range h.firsts { // their steps did not come: what came is later
		for _, p := range list {
			p.violation.History = nil
		}
	}
}

func (h *Histories) add(ev *trace.Event) {
	for _, p := range h.firsts[ev.Pos] {
		p.over = true
	}
	delete(h.firsts, ev.Pos)
	if ev.Pos != h.at { // rules may make several events of a line
		delete(h.lines, h.at)
		h.at = ev.Pos
	}
	for _, v := range h.lines[ev.Pos] {
		if ev.Op == trace.OpSnapshot && ev.Stream == v.Stream {
			v.Events = append(v.Events, eventOf(ev))
		}
	}
	o := objectOf(ev.Stream, ev)
	for _, p := range h.watched[o.named()] {
		if slices.ContainsFunc(p.objects, o.is) {
			p.add(ev)
		}
	}
}

// begin drops the stream's earlier events: they belong to another recording.
func (h *Histories) begin(stream string) {
	for _, list := range h.watched {
		for _, p := range list {
			if p.violation.Stream == stream && !p.over {
				p.violation.History = []validators.Event{}
			}
		}
	}
}

// objects returns the objects that the violation's step changed, or those of its lines if it
// changed none.
func objects(v *validators.Violation) []object {
	var found []object
	seen := map[object]bool{}
	add := func(o object) {
		if o.kind != trace.KindNone && !seen[o] {
			seen[o] = true
			found = append(found, o)
		}
	}
	for i := range v.Changes {
		c := &v.Changes[i]
		of := object{stream: v.Stream, kind: trace.ParseKind(c.Kind), id: c.ID}
		var fields struct{ Namespace string }
		_ = json.Unmarshal(c.Before, &fields) // null has none, and so has another type
		_ = json.Unmarshal(c.After, &fields)
		of.namespace = fields.Namespace // other kinds' events have none, which is any
		add(of)
	}
	if len(found) > 0 {
		return found
	}
	var d trace.Decoder
	for i := range v.Events {
		var ev trace.Event
		if d.Decode(v.Events[i].Raw, trace.Pos{}, &ev) == nil {
			add(objectOf(v.Stream, &ev))
		}
	}
	return found
}

// add adds an event. It copies what it keeps.
func (p *past) add(ev *trace.Event) {
	if p.over {
		return
	}
	h := p.violation.History
	if len(h) == maxEvents {
		copy(h, h[1:])
		h = h[:maxEvents-1]
	}
	p.violation.History = append(h, eventOf(ev))
}

// eventOf copies the event.
func eventOf(ev *trace.Event) validators.Event {
	return validators.Event{File: strings.Clone(ev.Pos.File), Line: ev.Pos.Line, Raw: json.RawMessage(strings.Clone(ev.Raw))}
}
