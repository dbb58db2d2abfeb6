package walk

import (
	"fmt"

	"tracecheck/trace"
)

// Action is an action of a spec, as a claim names it.
type Action struct{ Name, Actor string }

// Fields is a set of an object's fields, as its walk numbers them.
type Fields uint16

// All is all fields.
const All Fields = 1<<16 - 1

// Object is what a line is about. It embeds a Mark.
type Object interface {
	Kind() trace.Kind
	// AppendID appends the id as it is between quotes; nothing where the
	// kind needs none.
	AppendID(b []byte) []byte
	// AppendFields appends the JSON object with those fields, as they are now.
	AppendFields(b []byte, f Fields) []byte
	mark() *Mark
}

// Name is the object's id, for a sentence.
func Name(o Object) string { return string(o.AppendID(nil)) }

// Mark is an object's line in the current step.
type Mark struct {
	step uint64
	at   int32
}

func (m *Mark) mark() *Mark { return m }

// Line is a line of a step.
type Line struct {
	Object Object
	Op     trace.Op
	Fields Fields
	Claim  *Action // nil: none
	Insist bool    // on the claim, also where claims are left out
}

// Step is what becomes a step of the trace: each object has one line in it,
// which tells what became of the object.
type Step struct {
	Lines  []Line
	Large  bool // many actions are to be summed up: none that couples many objects
	Huge   bool // so many that none may block another
	Full   bool // no further action is to be summed up in it
	number uint64
}

// Begin empties the step. Numbers differ from step to step, and are not 0.
func (s *Step) Begin(number uint64) {
	clear(s.Lines)
	s.Lines, s.Large, s.Huge, s.Full, s.number = s.Lines[:0], false, false, false, number
}

// Number is what Begin was given.
func (s *Step) Number() uint64 { return s.number }

// Has says whether the step has a line of the object.
func (s *Step) Has(o Object) bool { return o.mark().step == s.number }

// Creates says whether the step makes the object.
func (s *Step) Creates(o Object) bool {
	return s.Has(o) && s.Lines[o.mark().at].Op == trace.OpCreate
}

func (s *Step) add(l Line) {
	m := l.Object.mark()
	m.step, m.at = s.number, int32(len(s.Lines))
	s.Lines = append(s.Lines, l)
}

// Snapshot adds a snapshot of the object.
func (s *Step) Snapshot(o Object) { s.add(Line{Object: o, Op: trace.OpSnapshot, Fields: All}) }

// Reject adds that a request was refused; the object is the request.
func (s *Step) Reject(o Object) { s.add(Line{Object: o, Op: trace.OpReject, Fields: All}) }

// Create adds that the action makes the object; nil is the environment.
func (s *Step) Create(a *Action, o Object) {
	s.add(Line{Object: o, Op: trace.OpCreate, Fields: All, Claim: a})
}

// Update adds that the action changes these fields of the object.
func (s *Step) Update(a *Action, o Object, f Fields) {
	if !s.Has(o) {
		s.add(Line{Object: o, Op: trace.OpUpdate, Fields: f, Claim: a})
		return
	}
	l := &s.Lines[o.mark().at]
	l.Fields, l.Claim = l.Fields|f, a
}

// Delete adds that the action takes the object away, which the step has not
// made.
func (s *Step) Delete(a *Action, o Object) {
	if !s.Has(o) {
		s.add(Line{Object: o, Op: trace.OpDelete, Claim: a})
		return
	}
	l := &s.Lines[o.mark().at]
	l.Op, l.Fields, l.Claim = trace.OpDelete, 0, a
}

// Stray is an object that no walk knows, for lines that break a rule.
type Stray struct {
	Mark
	kind       trace.Kind
	id, fields string
}

// NewStray returns the object; format and args make its JSON fields.
func NewStray(kind trace.Kind, id, format string, args ...any) *Stray {
	return &Stray{kind: kind, id: id, fields: fmt.Sprintf(format, args...)}
}

// Kind implements Object.
func (s *Stray) Kind() trace.Kind { return s.kind }

// AppendID implements Object.
func (s *Stray) AppendID(b []byte) []byte { return append(b, s.id...) }

// AppendFields implements Object.
func (s *Stray) AppendFields(b []byte, _ Fields) []byte { return append(b, s.fields...) }
