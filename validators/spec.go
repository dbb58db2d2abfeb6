package validators

import (
	"tracecheck/trace"
	"tracecheck/trace/codec"
)

// Spec is a specification as a value: what it reads, how it is documented, and
// how to make a machine that judges one stream.
type Spec struct {
	Name      string                  // the TLA+ module's name in lower case
	Module    string                  // the TLA+ module's name
	Doc       string                  // one paragraph
	Source    string                  // where the text comes from
	Kinds     []trace.Kind            // what it reads
	Columns   []ColumnDoc             // of those kinds; none where its package has a decoder of its own
	Initial   func(trace.Kind) []byte // an object that no line has shown, as JSON; nil where that is not known
	Constants []ConstantDoc
	Actions   []ActionDoc
	Rules     []RuleDoc // every name a report may print, Next and Temporal aside
	Profiles  []Profile
	Temporal  []Temporal
	Waits     []string // what its temporal properties wait for: actions, and predicates by their property's name; "" first
	Desired   bool     // has a predicate InDesiredState, of which the result tells

	Transitions []Transition // that the text permits; none where it has no statuses
	Branches    []RuleBranch // of its invariants

	New func(Config) (Machine, error)

	File, Config string // of a module that was read, and its cfg where that has another name; "": built in
}

// Reads reports whether events of the kind are the spec's.
func (s *Spec) Reads(k trace.Kind) bool {
	for _, own := range s.Kinds {
		if own == k {
			return true
		}
	}
	return false
}

func (s *Spec) hasAction(name string) bool {
	for i := range s.Actions {
		if s.Actions[i].Name == name {
			return true
		}
	}
	return false
}

// Initially is what is known of objects that no line has shown, as JSON: of kinds
// that are not built in.
func (s *Spec) Initially() map[trace.Kind]string {
	known := map[trace.Kind]string{}
	for _, k := range s.Kinds {
		if s.Initial != nil && !k.IsBuiltIn() {
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
	Places   []string // of the clauses, of a module that was read
	Stutters bool     // may leave the state as it is
}

// RuleDoc documents an invariant or property. Of a module that was read it may also
// be a constraint or a postcondition, with that word as its kind.
type RuleDoc struct {
	Name    string
	Kind    ViolationKind
	Doc     string
	Text    string // of a module that was read: file:line:column
	Clauses []string
	Places  []string // of the clauses, of a module that was read
}

// ConstantDoc documents a constant of a spec, set by a trace's meta line or by
// --constant.
type ConstantDoc struct {
	Name    string
	Type    string
	Default string
	Doc     string
}

// Steps says what a step of the trace may stand for.
type Steps string

// Atomic: one action. Batched: several, whose in-between states were not
// recorded.
const (
	Atomic  Steps = "atomic"
	Batched Steps = "batched"
)

// Config is what a machine is made with.
type Config struct {
	Steps     Steps
	Profile   string            // "" is ProfileSpec
	Attach    bool              // the first sight of an object counts as its snapshot
	Constants map[string]string // raw JSON by name; names the spec does not have are not its own
	Budget    int               // actions that the search for one batched step may try
	Ledger    *Ledger           // where the machine keeps what its objects wait for; nil: nowhere
	Uses      *Uses             // where it counts the allowances that it needs; nil: nowhere
	Workspace *Workspace        // what it may share with other machines; nil: nothing
	Cover     *Cover            // where it counts what its steps exercise beyond the actions; nil: nowhere
}

// Machine judges one stream against one spec. Findings mean that the system
// broke a rule; an error (of type *trace.Error) that the input cannot be
// judged.
type Machine interface {
	// Lost forgets the state: the next events are snapshots.
	Lost()
	// Snapshot overlays one object; no transition is checked.
	Snapshot(*trace.Event)
	// SnapshotsEnd judges the state that a run of snapshots has made.
	SnapshotsEnd() []Finding
	// Step takes a step, explained or not, and judges it; judged is false where
	// there was nothing to judge it by (the first sight of an object under
	// Attach).
	Step(*trace.Step) (found []Finding, judged bool, err error)
	// Explanation returns the actions that explained the last step, in order;
	// none for stuttering.
	Explanation() []string
	// Count adds the actions that explained the last step, which conformed, to
	// counts: by their places in Spec.Actions. It does not allocate, but for a
	// Cover.
	Count(counts []int)
	// Objects lists what stands, as a trace's snapshot lines would.
	Objects(yield func(kind trace.Kind, id string, object []byte))
	// Live is how many objects stand: what Objects lists.
	Live() int
	// Persist writes the state down, between two steps or in a run of snapshots,
	// or makes it again in a machine that is new and has the same Config. Its
	// open obligations it only asks for again; the ledger knows since when. What
	// may be very many is codec.Records, which are saved in parts: each Ref of what
	// waits then stays the same, but for its Note.
	Persist(*codec.Codec)
	// InDesiredState reports whether the state is what the users asked for; it
	// says nothing where the spec has no such predicate (Spec.Desired).
	InDesiredState() bool
}
