package validators

import (
	"slices"

	"tracecheck/trace"
	"tracecheck/trace/codec"
)

// Spec is a specification as a value: what it reads, its documentation, and how
// to create a machine for a stream.
type Spec struct {
	Name      string                  // the TLA+ module's name in lower case
	Module    string                  // the TLA+ module's name
	Doc       string                  // one paragraph
	Source    string                  // where the text comes from
	Kinds     []trace.Kind            // the kinds that it reads
	Columns   []ColumnDoc             // the fields of those kinds; empty if its package decodes them itself
	Initial   func(trace.Kind) []byte // the initial object of the kind, as JSON; nil if unknown
	Constants []ConstantDoc
	Actions   []ActionDoc
	Rules     []RuleDoc // every rule that a report may name, except Next and Temporal
	Profiles  []Profile
	Temporal  []Temporal
	Waits     []string // what its temporal properties wait for: actions, and predicates by their property's name; "" first
	Desired   bool     // has a predicate InDesiredState, which the result reports

	Transitions func() []Transition // the transitions that the text permits; nil if objects have no status
	Branches    []RuleBranch        // the branches of its invariants

	New func(Config) (Machine, error)

	File, Config string   // of a module that was read, and its cfg where that has another name; "": built in
	Sources      []string // for a module read at run time: the name and fingerprint of each text that a verdict depends on
}

// Reads reports whether events of the kind are the spec's.
func (s *Spec) Reads(k trace.Kind) bool { return slices.Contains(s.Kinds, k) }

func (s *Spec) hasAction(name string) bool {
	return slices.ContainsFunc(s.Actions, func(a ActionDoc) bool { return a.Name == name })
}

// Initially is what is known of objects that no line has shown, as JSON.
func (s *Spec) Initially() map[trace.Kind]string {
	known := map[trace.Kind]string{}
	for _, k := range s.Kinds {
		if s.Initial != nil {
			known[k] = string(s.Initial(k))
		}
	}
	return known
}

// ColumnDoc documents a field of a kind that a spec reads.
type ColumnDoc struct {
	Kind   trace.Kind
	Field  string
	Type   string   // as the module's type invariant has it
	Values []string // of an enumeration; nil: it is none
}

// ActionDoc documents an action.
type ActionDoc struct {
	Name     string
	Actor    string
	Doc      string
	Text     string // of a module that was read: file:line:column
	Clauses  []string
	Places   []string // the places of the clauses, for a module read at run time
	Stutters bool     // may leave the state as it is
}

// RuleDoc documents an invariant or property. In a module that was read, it may also be a
// constraint or a postcondition. Its kind is then that word.
type RuleDoc struct {
	Name    string
	Kind    ViolationKind
	Doc     string
	Text    string // of a module that was read: file:line:column
	Clauses []string
	Places  []string // the places of the clauses, for a module read at run time
}

// ConstantDoc documents a constant of a spec, set by a trace's meta line or by
// --constant.
type ConstantDoc struct {
	Name    string
	Type    string
	Default string
	Doc     string
}

// Steps sets what a step of the trace may be.
type Steps string

// Atomic: one action. Batched: several, whose in-between states were not
// recorded.
const (
	Atomic  Steps = "atomic"
	Batched Steps = "batched"
)

// Config are the settings of a machine.
type Config struct {
	Steps     Steps
	Profile   string            // "" is ProfileSpec
	Attach    bool              // the first event of an object counts as its snapshot
	Constants map[string]string // raw JSON by name; it may have constants of other specs
	Budget    int               // actions that the search for one batched step may try
	Ledger    *Ledger           // keeps what the objects wait for; nil: it is not kept
	Uses      *Uses             // counts the allowances that the steps need; nil: they are not counted
	Workspace *Workspace        // memory shared with other machines; nil: none
	Cover     *Cover            // counts transitions, clauses and branches; nil: they are not counted
}

// Machine judges one stream against one spec. A finding means that the system
// broke a rule. An error, of type *trace.Error, means that the input cannot be
// judged.
type Machine interface {
	// Lost drops the state: the next events are snapshots.
	Lost()
	// Snapshot sets one object. No transition is checked.
	Snapshot(*trace.Event)
	// SnapshotsEnd judges the state after a run of snapshots.
	SnapshotsEnd() []Finding
	// Step applies a step, even if no action explains it, and judges it. judged is
	// false if there is nothing to judge, as at the first event of an object under
	// Attach.
	Step(*trace.Step) (found []Finding, judged bool, err error)
	// Explanation returns the actions that explained the last step, in order.
	// Stuttering has none.
	Explanation() []string
	// Count increments counts for the actions that explained the last,
	// conforming step. The indices are those of Spec.Actions. It does not
	// allocate, except for a Cover.
	Count(counts []int)
	// Objects returns the existing objects, as snapshot lines would show them.
	Objects(yield func(kind trace.Kind, id string, object []byte))
	// Live returns the number of existing objects.
	Live() int
	// Persist encodes the state, between two steps or in a run of snapshots, or
	// decodes it into a new machine with the same Config. It only sets its open
	// obligations: the ledger restores when they began. Large collections use
	// codec.Records, which are saved in parts. Each Ref then stays the same,
	// except for its Note.
	Persist(*codec.Codec)
	// InDesiredState reports whether the state is the one that the users asked
	// for. It is only meaningful if Spec.Desired is set.
	InDesiredState() bool
}
