package export

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"tracecheck/internal/kinds"
	"tracecheck/postmortem/replay"
	"tracecheck/trace"
	"tracecheck/validators"
)

// Options choose the parts of a trace.
type Options struct {
	Spec      string            // "": the one that the trace is of
	Stream    string            // where Only is set
	Only      bool              // that stream; else the only one
	Instance  string            // a worker, or a namespace; "": the only one
	Steps     string            // "": as the meta line has it
	Constants map[string]string // raw JSON, beside those of the meta line
	OnGap     trace.OnGap
	Others    []Other // specs beside those that have a module here
	Remember  int     // how many of the last numbered lines a duplicate is compared with; 0: trace.DefaultRemember
}

// Source calls do with a trace's events, in order. Each call starts at the beginning.
type Source func(ctx context.Context, do func([]trace.Event) error) error

// Behaviour is a stream of a trace as the variables of a spec: one state where
// it begins, and one after each step.
type Behaviour struct {
	module    *module
	instance  string
	steps     string
	profile   string // of the trace's meta; "": it names none
	constants map[string]string
	states    []state
}

type state struct {
	vars      map[string]value
	pos       trace.Pos // of the step's last line; Line 0: of none
	time      string
	recreated []string // objects that the step deletes and creates
	action    string   // that made it; "": it is not known
}

// writing is a trace that becomes a behaviour. It is the trace.Sink of its own
// sequencer.
type writing struct {
	*Behaviour
	survey  *survey
	stream  replay.Stream
	seq     trace.Sequencer
	touched []touch            // by the current step
	existed map[objectKey]bool // before it

	known     map[string]value    // ModelTaskIds by task
	allocated map[string]value    // by "protocol/port"
	noSet     *value              // in place of it: a value outside its type
	held      map[string][]string // by endpoints
	last      int                 // lastSubmitted
}

// touch is an object of a line, with the fields that the line has.
type touch struct {
	kind   trace.Kind
	op     trace.Op
	id     string
	fields []string
}

func (t *touch) has(field string) bool { return slices.Contains(t.fields, field) }

// Export reads the trace twice: first for what it has, then for its states.
func Export(ctx context.Context, source Source, opts Options) (*Behaviour, error) {
	s := newSurvey(opts)
	if err := source(ctx, s.push); err != nil {
		return nil, err
	}
	b, err := s.settle()
	if err != nil {
		return nil, err
	}
	w := &writing{Behaviour: b, survey: s, known: map[string]value{}, existed: map[objectKey]bool{}}
	w.stream.Name = s.stream
	w.seq.OnGap, w.seq.Remember = opts.OnGap, opts.Remember
	b.module.begin(w)
	if !s.snapshots {
		if err := w.add(trace.Pos{}, ""); err != nil {
			return nil, err
		}
	}
	err = source(ctx, func(events []trace.Event) error {
		for i := range events {
			if events[i].Stream == s.stream {
				if err := w.seq.Push(&events[i], w); err != nil {
					return err
				}
			}
		}
		w.seq.Own()
		return nil
	})
	if err == nil {
		err = w.seq.Close(w)
	}
	if err != nil {
		return nil, err
	}
	return b, nil
}

// assume creates an object that exists before any line shows it.
func (w *writing) assume(k trace.Kind, id, object string) {
	var d trace.Decoder
	var ev trace.Event
	text := fmt.Sprintf(`{"kind":%q,"op":"create","id":%s,"object":%s}`, k, quoted(id), object)
	if err := d.Decode([]byte(text), trace.Pos{}, &ev); err == nil { // ids of the trace decode
		w.stream.Apply(&ev)
	}
}

func (w *writing) of(k trace.Kind) []*replay.Object {
	return slices.DeleteFunc(w.stream.Objects(), func(o *replay.Object) bool { return o.Kind != k })
}

// Meta implements trace.Sink: the survey has read the first one.
func (w *writing) Meta(ev *trace.Event) error {
	m, err := trace.ParseMeta(ev)
	if err == nil && !maps.Equal(m.Constants, w.survey.meta.Constants) {
		err = &trace.Error{Pos: ev.Pos, Stream: w.stream.Name, Reason: "the constants change here, and a behaviour has one set of them: export the part before this line, or the part from it on"}
	}
	return err
}

// Begin implements trace.Sink.
func (w *writing) Begin() error {
	return &trace.Error{Pos: w.stream.Last, Stream: w.stream.Name, Reason: "another recording begins after this line, and a behaviour has only one: export the part up to this line, or the part after it"}
}

// Lost implements trace.Sink.
func (w *writing) Lost(*trace.Error) { w.stream.Lost(nil) }

// Snapshot implements trace.Sink.
func (w *writing) Snapshot(ev *trace.Event) error {
	if !w.reads(ev) {
		return nil
	}
	if len(w.states) > 0 {
		return &trace.Error{Pos: ev.Pos, Stream: w.stream.Name, Reason: "the trace starts again here, and a behaviour cannot: cut the trace at this line, and export one part"}
	}
	w.take(ev)
	return nil
}

// SnapshotsEnd implements trace.Sink.
func (w *writing) SnapshotsEnd() error {
	if len(w.touched) == 0 {
		return nil // all were of other kinds
	}
	return w.add(w.stream.Last, w.stream.Time)
}

func (w *writing) reads(ev *trace.Event) bool { return slices.Contains(w.module.kinds, ev.Kind) }

// Step implements trace.Sink.
func (w *writing) Step(step *trace.Step) error {
	before := map[string]*replay.Object{}
	for i := range step.Events {
		ev := &step.Events[i]
		if !w.reads(ev) {
			continue
		}
		if o := w.stream.Object(ev.Kind, ev.ID); o != nil && ev.Kind == kinds.Request && before[o.ID] == nil {
			c := *o
			c.Fields = slices.Clone(o.Fields)
			before[o.ID] = &c
		}
		w.take(ev)
	}
	if len(w.touched) == 0 {
		return nil
	}
	last := &step.Events[len(step.Events)-1]
	if w.module == &updateCluster && w.steps != "batched" {
		for _, r := range w.pushed(func(id string) *replay.Object { return before[id] }) {
			w.push(r, last)
		}
	}
	return w.add(last.Pos, last.Time)
}

// push adds the state in which a request has been pushed to the queue, and not
// been taken from it yet.
func (w *writing) push(request string, ev *trace.Event) {
	s := w.states[len(w.states)-1]
	vars := map[string]value{}
	for name, v := range s.vars {
		vars[name] = v
	}
	queue := vars["queue"]
	queue.items = append(slices.Clone(queue.items), id("request", request))
	vars["queue"] = queue
	w.states = append(w.states, state{vars: vars, pos: at(ev.Pos), time: strings.Clone(ev.Time)})
}

func (w *writing) take(ev *trace.Event) {
	t := touch{kind: ev.Kind, op: ev.Op, id: strings.Clone(ev.ID)}
	if w.stream.Object(ev.Kind, ev.ID) != nil {
		w.existed[objectKey{t.kind, t.id}] = true
	}
	for i := range ev.Fields {
		if ev.Fields[i].Type != trace.Null || ev.Kind == kinds.Allocator { // null is no set
			t.fields = append(t.fields, ev.Fields[i].Name.String())
		}
	}
	w.touched = append(w.touched, t)
	if ev.Op != trace.OpReject {
		w.stream.Apply(ev)
	}
}

// add adds the state as it is now.
func (w *writing) add(pos trace.Pos, time string) error {
	vars, err := w.module.write(w)
	w.states = append(w.states, state{vars: vars, pos: at(pos), time: strings.Clone(time), recreated: w.recreated()})
	w.touched = w.touched[:0]
	return err
}

// recreated are the objects that the step deletes and then creates.
func (w *writing) recreated() (list []string) {
	gone := map[objectKey]bool{}
	for i := range w.touched {
		t := &w.touched[i]
		k := objectKey{t.kind, t.id}
		switch {
		case t.op == trace.OpDelete && w.existed[k]:
			gone[k] = true
		case t.op == trace.OpCreate && gone[k]:
			list = append(list, k.String())
		}
	}
	clear(w.existed)
	return list
}

func (k objectKey) String() string { return k.kind.String() + " " + k.id }

func at(pos trace.Pos) trace.Pos { return trace.Pos{File: strings.Clone(pos.File), Line: pos.Line} }

// kindly follows what the behaviour is, where the trace was not meant for the text alone.
func (b *Behaviour) kindly(after string) string {
	if b.profile == "" || b.profile == validators.ProfileSpec {
		return ""
	}
	return after + "its meta has the profile " + b.profile + ", which allows more than the text"
}

// WriteITF writes the behaviour as a document, a state a line.
func (b *Behaviour) WriteITF(to io.Writer) error {
	w := bufio.NewWriter(to)
	meta := documentMeta{
		Format: "ITF", Description: "states of " + b.module.name + ", of a trace of tracecheck" + b.kindly("; "),
		Spec: b.module.spec, Profile: b.profile, Steps: b.steps, Instance: b.instance,
	}
	for name, raw := range b.constants {
		if meta.Constants == nil {
			meta.Constants = map[string]json.RawMessage{}
		}
		meta.Constants[name] = json.RawMessage(raw)
	}
	head, err := json.Marshal(meta)
	if err != nil {
		return err
	}
	vars, err := json.Marshal(b.module.variables)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "{\"#meta\":%s,\n\"vars\":%s,\n\"states\":[", head, vars)
	var line []byte
	for i, s := range b.states {
		m, err := json.Marshal(stateMeta{Index: i, File: s.pos.File, Line: s.pos.Line, Time: s.time, Recreated: s.recreated, Action: s.action})
		if err != nil {
			return err
		}
		line = append(append(line[:0], "\n{\"#meta\":"...), m...)
		for _, name := range b.module.variables {
			line = append(append(append(line, ','), quoted(name)...), ':')
			line = appendITF(line, s.vars[name])
		}
		line = append(line, '}')
		if i < len(b.states)-1 {
			line = append(line, ',')
		}
		w.Write(line)
	}
	w.WriteString("\n]}\n")
	return w.Flush()
}
