package model

import (
	"slices"
	"strings"

	"tracecheck/trace"
	"tracecheck/trace/codec"
	"tracecheck/validators"
)

// Model is a specification. S is the state of a stream. P is what the quantifiers of an action
// choose.
type Model[S, P any] struct {
	Name, Module, Doc, Source string // as in validators.Spec
	Constants                 []validators.ConstantDoc
	Type                      validators.RuleDoc // TypeOK, by the module's name for it

	// New returns the initial state, without rows.
	New func(validators.Config) (*S, error)
	// Tables are the kinds of objects (*Kind). Reports list them in this order, and
	// single objects last.
	Tables []Table[S]
	Next   []*Action[S, P] // in the module's order
	Actors []string        // the components that a line can name. nil: actors are not judged
	Rules  []Judged[S]     // *Rule. Rules of one name are documented by the first
	Steps  []*StepRule[S]
	// Refusal judges lines with the op reject; nil: they are not judged.
	Refusal *Refusal[S]

	Profiles []Profile[S, P]

	Temporal []validators.Temporal
	Waits    []string        // as in validators.Spec
	Stream   []StreamWait[S] // obligations of the stream itself
	Gates    []Gate[S]

	Transitions func() []validators.Transition // optional

	Attach func(s *S) // optional: marks what is unknown under --attach
	Begin  func(s *S) // optional: a step or a run of snapshots begins
	Bound  func(s *S) // optional: the lines of a step are read, but not yet compared with the state
	// Enter, if set, divides steps into parts, by Identity.Part. Each part is judged
	// alone, as if it were the step. A step is legal if each of its parts is. Enter is
	// called before a part is judged. Under --attach, it returns false if the part
	// depends on what no line has shown. Such a part is not judged.
	Enter  func(s *S, part int) bool
	Settle func(s *S, taken bool)      // optional: called before the rows of a step are set. taken: without judging them
	Lost   func(was, now *S)           // optional: copies what remains valid after a gap
	Code   func(s *S, c *codec.Codec)  // optional: writes or reads the rest of the state, before the rows
	Still  func(s *S) *Action[S, P]    // optional: the action that a step without changes may be
	Search func(w *Walk[S, P]) Outcome // explains a batched step, or a part of one. nil: a search of all orders

	Calls string // the module's word for an action, such as "process". "": action
	First bool   // in a run of snapshots, report the first line that breaks a rule, not the last
	Late  bool   // a snapshot line can break a rule of an earlier object, so judge all objects when the run ends

	reported []Table[S] // Tables in the order of reports: single objects are last

	refers tables // whose objects others refer to
	waits  tables // whose objects wait for something

	next   []law[S, P] // by profile, the text's first
	byKind []uint8     // the table's place, from 1
	ruled  []ruled[S]  // of the rules
}

// Profile is what a real system may do beyond the text.
type Profile[S, P any] struct {
	Name, Doc string                    // as in validators.Profile
	Next      []Allowance[S, P]         // more actions, which are tried after those of the text
	Relaxed   []validators.AllowanceDoc // what else it allows, by code of the state
}

// Allowance is an action of a profile. A result counts the steps that needed it.
type Allowance[S, P any] struct {
	*Action[S, P]
	Relaxes string // the part of the text that such a step contradicts
	Source  string // the place in the system's own source code
}

// law is the actions of a profile.
type law[S, P any] struct {
	profile  string
	actions  []*Action[S, P]
	relation validators.Relation[Try[S, P]]
	says     Vocabulary
}

// under is the law of the profile: the text's, where there is none of the name.
func (m *Model[S, P]) under(profile string) *law[S, P] {
	for i := range m.next {
		if m.next[i].profile == profile {
			return &m.next[i]
		}
	}
	return &m.next[0]
}

// ruled is where a rule is judged: of objects of the table that get one of the
// statuses, or have it still.
type ruled[S any] struct {
	rule   Judged[S]
	table  int
	status Statuses
}

// StreamWait declares an obligation that a stream can have.
type StreamWait[S any] struct {
	For   validators.Wait
	Is    func(*S) bool
	Stage func(*S) int32 // optional, as in validators.Want
}

// Gate is a condition that many obligations share.
type Gate[S any] struct {
	At   func(*S) *validators.Gate
	Open func(*S) bool
}

// Spec returns the specification that judges by the model.
func (m *Model[S, P]) Spec() *validators.Spec {
	m.prepare()
	spec := &validators.Spec{
		Name: m.Name, Module: m.Module, Doc: m.Doc, Source: m.Source, Constants: m.Constants,
		Actions: m.Relation().Describe(), Rules: []validators.RuleDoc{m.Type},
		Temporal: m.Temporal, Waits: m.Waits, Transitions: m.Transitions,
		New: m.machine,
	}
	spec.Initial = func(k trace.Kind) []byte {
		if t := m.reads(k); t != nil {
			return t.initial()
		}
		return nil
	}
	for i, p := range m.Profiles {
		doc := validators.Profile{Name: p.Name, Doc: p.Doc}
		beyond := m.next[i+1].relation[len(m.Next):].Describe()
		for k, a := range p.Next {
			doc.Allows = append(doc.Allows, validators.AllowanceDoc{
				Name: a.Name, Actor: a.Actor, Doc: a.Doc, Clauses: beyond[k].Clauses, Relaxes: a.Relaxes, Source: a.Source})
		}
		doc.Allows = append(doc.Allows, p.Relaxed...)
		spec.Profiles = append(spec.Profiles, doc)
	}
	for _, t := range m.reported {
		spec.Kinds = append(spec.Kinds, t.kind())
		spec.Columns = append(spec.Columns, t.columns()...)
	}
	for _, rule := range m.Rules {
		doc, branches := rule.doc()
		spec.Branches = append(spec.Branches, branches...)
		if !slices.ContainsFunc(spec.Rules, func(r validators.RuleDoc) bool { return r.Name == doc.Name }) {
			spec.Rules = append(spec.Rules, doc)
		}
	}
	for _, rule := range m.Steps {
		spec.Rules = append(spec.Rules, rule.RuleDoc)
	}
	if m.Refusal != nil {
		spec.Rules = append(spec.Rules, m.Refusal.RuleDoc)
	}
	return spec
}

// prepare works out what the tables and actions are.
func (m *Model[S, P]) prepare() {
	m.byKind, m.refers, m.waits = nil, 0, 0
	for i, t := range m.Tables {
		refers, waits := t.prepare()
		m.refers |= tables(BoolInt(refers)) << i
		m.waits |= tables(BoolInt(waits)) << i
		for len(m.byKind) <= int(t.kind()) {
			m.byKind = append(m.byKind, 0)
		}
		m.byKind[t.kind()] = uint8(i + 1)
	}
	m.reported = nil
	for _, single := range []bool{false, true} {
		for _, t := range m.Tables {
			if t.single() == single {
				m.reported = append(m.reported, t)
			}
		}
	}
	for i, a := range m.Next {
		a.place = i
		a.prepare(m)
	}
	m.next = []law[S, P]{{actions: m.Next}}
	for i := range m.Profiles {
		p := law[S, P]{profile: m.Profiles[i].Name, actions: slices.Clone(m.Next)}
		for _, a := range m.Profiles[i].Next {
			a.place = beyond
			a.prepare(m)
			p.actions = append(p.actions, a.Action)
		}
		m.next = append(m.next, p)
	}
	for i := range m.next {
		l := &m.next[i]
		l.says = Vocabulary{Module: m.Module, Spec: m.Name, Calls: m.calls(), Actors: m.Actors, Actions: NamesOf(l.actions...),
			named: func(ev *trace.Event) string { return m.reads(ev.Kind).named(ev) }}
		for _, a := range l.actions {
			l.relation = append(l.relation, m.asRelation(a))
		}
	}
	m.ruled = nil
	for _, rule := range m.Rules {
		kind, status := rule.of()
		m.ruled = append(m.ruled, ruled[S]{rule, int(m.byKind[kind]) - 1, status})
	}
}

// Relation returns the actions of the text with all their conjuncts: the guards, and then those with
// primes.
func (m *Model[S, P]) Relation() validators.Relation[Try[S, P]] { return m.next[0].relation }

// uses is of the state, which the machine made.
func (m *Model[S, P]) uses(s *S) *uses { return m.Tables[0].uses(s) }

func (m *Model[S, P]) reads(k trace.Kind) Table[S] {
	if int(k) >= len(m.byKind) || m.byKind[k] == 0 {
		return nil
	}
	return m.Tables[m.byKind[k]-1]
}

func (l *law[S, P]) action(name string) *Action[S, P] {
	for _, a := range l.actions {
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
