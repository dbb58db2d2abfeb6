package model

import (
	"iter"
	"math/bits"
	"strings"

	"tracecheck/trace"
	"tracecheck/trace/codec"
	"tracecheck/validators"
)

// Model is a specification, over a state S and witnesses P.
type Model[S, P any] struct {
	Name, Module, Doc, Source string // as in validators.Spec
	Constants                 []validators.ConstantDoc
	Type                      validators.RuleDoc // TypeOK, by the module's name for it

	// New makes the state in which the module begins, but for the rows.
	New func(validators.Config) (*S, error)
	// Tables are the kinds of objects, by &Kind: a report takes them in this
	// order, but a kind's single object last.
	Tables []Table[S]
	Next   []*Action[S, P] // in the module's order
	Rules  []Judged[S]     // by &Rule

	Temporal []validators.Temporal
	Waits    []string        // as in validators.Spec
	Stream   []StreamWait[S] // what the stream itself waits for
	Gates    []Gate[S]

	Transitions []validators.Transition

	Attach func(s *S) // optional: what is not known of the state under --attach
	Begin  func(s *S) // optional: a step or a run of snapshots begins
	// Enter, if set, says that the kinds have a Part: each part of a step, by its
	// number, is judged alone, as if the step were that part, and a step is legal
	// if each of its parts is. It is called before the part is looked at. It is
	// false, under --attach, where the part rests on what no line has shown: a step
	// that changes something of such a part is taken as it is.
	Enter  func(s *S, part int) bool
	Settle func(s *S, taken bool)      // optional: called before a step's rows are set; taken: they were not judged
	End    func(s *S)                  // optional: a run of snapshots ends
	Lost   func(was, now *S)           // optional: what of the state outlives a gap
	Code   func(s *S, c *codec.Codec)  // optional: writes down what the state has beside the rows, before them
	Still  func(s *S) *Action[S, P]    // optional: what a step that changes nothing may be
	Search func(w *Walk[S, P]) Outcome // explains a batched step, or a part of one; nil: a search of all orders

	Calls string // what the module calls an action, such as "process"; "": action
	First bool   // of a run of snapshots the first line that breaks a rule is reported, not the last

	implies bool // some kind has objects that others refer to

	next   validators.Relation[Try[S, P]]
	byKind []uint8 // the table's place, from 1
	ruled  []ruled // of the rules
}

// ruled is where a rule is judged: of objects of the table that get one of the
// statuses, or have it still.
type ruled struct {
	table  int
	status Statuses
}

// StreamWait is what a stream may wait for.
type StreamWait[S any] struct {
	For   validators.Wait
	Is    func(*S) bool
	Stage func(*S) int32 // optional, as in validators.Want
}

// Gate is a condition that obligations share.
type Gate[S any] struct {
	At   func(*S) *validators.Gate
	Open func(*S) bool
}

// Spec is the model as a specification that judges.
func (m *Model[S, P]) Spec() *validators.Spec {
	m.prepare()
	m.next = m.relation()
	spec := &validators.Spec{
		Name: m.Name, Module: m.Module, Doc: m.Doc, Source: m.Source, Constants: m.Constants,
		Actions: m.next.Describe(), Rules: []validators.RuleDoc{m.Type},
		Temporal: m.Temporal, Waits: m.Waits, Transitions: m.Transitions,
		New: m.machine,
	}
	spec.Initial = func(k trace.Kind) []byte {
		if t := m.reads(k); t != nil {
			return t.initial()
		}
		return nil
	}
	for _, t := range m.Tables {
		spec.Kinds = append(spec.Kinds, t.kind())
		spec.Columns = append(spec.Columns, t.columns()...)
	}
	for _, rule := range m.Rules {
		doc, branches := rule.doc()
		spec.Rules, spec.Branches = append(spec.Rules, doc), append(spec.Branches, branches...)
	}
	return spec
}

// prepare works out what the tables and actions are.
func (m *Model[S, P]) prepare() {
	m.byKind = nil
	for i, t := range m.Tables {
		t.prepare()
		m.implies = m.implies || t.isImplied()
		for len(m.byKind) <= int(t.kind()) {
			m.byKind = append(m.byKind, 0)
		}
		m.byKind[t.kind()] = uint8(i + 1)
	}
	for i, a := range m.Next {
		a.place = i
		a.prepare(m)
	}
	m.ruled = nil
	for _, rule := range m.Rules {
		kind, status := rule.of()
		m.ruled = append(m.ruled, ruled{int(m.byKind[kind]) - 1, status})
	}
}

// Relation is the actions with all their conjuncts, for tests.
func (m *Model[S, P]) Relation() validators.Relation[Try[S, P]] { return m.next }

// uses is of the state, which the machine made.
func (m *Model[S, P]) uses(s *S) *uses { return m.Tables[0].uses(s) }

// in is the tables of the set, in their order.
func (m *Model[S, P]) in(set tables) iter.Seq2[int, Table[S]] {
	return func(yield func(int, Table[S]) bool) {
		for ; set != 0; set &= set - 1 {
			i := bits.TrailingZeros32(uint32(set))
			if !yield(i, m.Tables[i]) {
				return
			}
		}
	}
}

func (m *Model[S, P]) reads(k trace.Kind) Table[S] {
	if int(k) >= len(m.byKind) || m.byKind[k] == 0 {
		return nil
	}
	return m.Tables[m.byKind[k]-1]
}

func (m *Model[S, P]) action(name string) *Action[S, P] {
	for _, a := range m.Next {
		if a.Name == name {
			return a
		}
	}
	return nil
}

// calls is what the module calls an action.
func (m *Model[S, P]) calls() string {
	if m.Calls != "" {
		return m.Calls
	}
	return "action"
}

// several is the plural of it.
func (m *Model[S, P]) several() string {
	if call := m.calls(); strings.HasSuffix(call, "s") {
		return call + "es"
	}
	return m.calls() + "s"
}

// isUnchanged says that the conjunct says what does not change.
func isUnchanged(text string) bool { return strings.Contains(text, "UNCHANGED") }
