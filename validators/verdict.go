package validators

import (
	"encoding/json"

	"tracecheck/trace"
)

// ViolationKind says what sort of rule a step broke.
type ViolationKind string

// The kinds of format 1.
const (
	OfTransition ViolationKind = "transition" // no action explains the step
	OfClaim      ViolationKind = "claim"      // explained, but not by the actor or action that an event names
	OfInvariant  ViolationKind = "invariant"  // a state invariant
	OfProperty   ViolationKind = "property"   // an action property
	OfType       ViolationKind = "type"       // a value outside its type
	OfRejection  ViolationKind = "rejection"  // a refusal that the spec does not justify
	OfLiveness   ViolationKind = "liveness"   // an obligation open for longer than the deadline
)

// Verdict is the answer to a run.
type Verdict string

// The verdicts. Unusable is no verdict on the system: the input could not be
// judged.
const (
	Conforming Verdict = "conforming"
	Violated   Verdict = "violation"
	Unusable   Verdict = "unusable"
)

// ExitStatus is the process's exit status for the verdict. Status 2, for wrong
// usage and I/O failures, is the command's own.
func (v Verdict) ExitStatus() int {
	switch v {
	case Conforming:
		return 0
	case Violated:
		return 1
	}
	return 3
}

// Change is an object before and after a step, as JSON; null where it does not
// stand.
type Change struct {
	Kind   string          `json:"kind"`
	ID     string          `json:"id"`
	Before json.RawMessage `json:"before"`
	After  json.RawMessage `json:"after"`
}

// Violation is one rule broken by one step. It is data; reports are rendered
// from it.
type Violation struct {
	ID        string        `json:"id"` // the same each time the same events are judged
	Stream    string        `json:"stream"`
	Spec      string        `json:"spec"`
	Kind      ViolationKind `json:"kind"`
	Rule      string        `json:"rule"` // the name in the TLA+ text; of a claim "actor" or "action"
	File      string        `json:"file"`
	Line      int           `json:"line"`                 // the event that breaks the rule
	Offset    *int64        `json:"offset,omitempty"`     // of Line, where it is a Kafka message
	FirstFile string        `json:"first_file,omitempty"` // of FirstLine, where the step began in an earlier file
	FirstLine int           `json:"first_line"`
	LastLine  int           `json:"last_line"`           // of the step, both inclusive
	LastFile  string        `json:"last_file,omitempty"` // of LastLine, where the step ended in a later file
	Seq       *int64        `json:"seq,omitempty"`
	Time      string        `json:"time,omitempty"`
	Message   string        `json:"message"`
	Nearest   []Near        `json:"nearest"`
	Changes   []Change      `json:"changes,omitempty"`      // what the step changed, at most MaxChanges
	Events    []Event       `json:"events,omitempty"`       // the step's lines: the first MaxChanges, and the one that breaks the rule
	Total     int           `json:"events_total,omitempty"` // how many they are, where Events leaves some out
	Sequence  []string      `json:"sequence,omitempty"`     // the actions found to explain the step, where some were
	History   []Event       `json:"history,omitempty"`      // the last earlier events of the same objects, oldest first
	Waiting   *Waiting      `json:"-"`                      // of liveness: what has waited for too long
	Text      string        `json:"text,omitempty"`         // of a module that was read: file:line:column of the rule
	State     []Binding     `json:"state,omitempty"`        // of a module that was read: its variables before the step, and after it
}

// Binding is a variable of a module, with its value as TLA+ writes it.
type Binding struct {
	Name  string `json:"name"`
	Value string `json:"value"`
	After string `json:"after,omitempty"` // the step, as far as that was made
}

// Event is a line of the input, as a report shows it.
type Event struct {
	File string          `json:"file"`
	Line int             `json:"line"`
	Raw  json.RawMessage `json:"event"`
}

// MaxChanges bounds the changes and lines that one violation carries.
const MaxChanges = 20

// Finding is what a machine says of a step that broke a rule; the runner adds
// where it was.
type Finding struct {
	Kind     ViolationKind
	Rule     string
	Pos      trace.Pos // of the event that breaks the rule
	Message  string
	Nearest  []Near
	Changes  []Change
	Sequence []string
	Waiting  *Waiting // of liveness

	First, Last trace.Pos // of the step that broke it, where that is an earlier one
}

// StreamState says of one stream whether it ended in its desired state.
type StreamState struct {
	Stream         string `json:"stream"`
	Recording      int    `json:"recording,omitempty"` // of the stream's: 2, 3, …; left out for the first
	Spec           string `json:"spec"`
	InDesiredState bool   `json:"in_desired_state"`
	SinceFile      string `json:"since_file,omitempty"` // the event since which it has (not) been so
	SinceLine      int    `json:"since_line,omitempty"`
	SinceTime      string `json:"since_time,omitempty"`
}

// Result is the outcome of a run.
type Result struct {
	Version    int           `json:"version"` // of this structure: 1
	Verdict    Verdict       `json:"verdict"`
	Reason     string        `json:"reason,omitempty"`  // why and where an input is unusable
	Partial    bool          `json:"partial,omitempty"` // the run was stopped before the input ended
	Events     int           `json:"events"`            // lines read, blank ones aside
	Steps      int           `json:"steps"`             // steps judged
	Streams    int           `json:"streams"`
	Specs      []string      `json:"specs,omitempty"`      // those that judged some stream
	Duplicates int           `json:"duplicates,omitempty"` // events skipped: the same was said under their seq
	Gaps       int           `json:"gaps,omitempty"`       // jumps in seq that were resynchronised
	Skipped    int           `json:"skipped,omitempty"`    // events skipped between a gap and the next snapshot, and late ones of a gap
	Notes      []string      `json:"notes,omitempty"`      // what of the input was not judged, or is out of order; how, and where
	Unmapped   int           `json:"unmapped,omitempty"`   // lines of a foreign log that no rule matches; the caller's to set
	Violations []Violation   `json:"violations"`
	Desired    []StreamState `json:"desired_state,omitempty"`
	Liveness   []Liveness    `json:"liveness,omitempty"`   // of each stream judged, each temporal property
	Allowances []Use         `json:"allowances,omitempty"` // of each spec, those that its steps needed
	Coverage   []Coverage    `json:"coverage,omitempty"`   // of each spec that judged, what its steps exercised
}
