package validators

import (
	"encoding/json"
	"fmt"

	"tracecheck/trace"
)

// ViolationKind is the kind of rule that was broken.
type ViolationKind string

// The kinds of format 1.
const (
	OfTransition ViolationKind = "transition" // no action explains the step
	OfClaim      ViolationKind = "claim"      // explained, but not by the claimed actor or action
	OfInvariant  ViolationKind = "invariant"  // a state invariant
	OfProperty   ViolationKind = "property"   // an action property
	OfType       ViolationKind = "type"       // a value outside its type
	OfRejection  ViolationKind = "rejection"  // a refusal that the spec does not justify
	OfLiveness   ViolationKind = "liveness"   // an obligation open for longer than the deadline
)

// Verdict is the outcome of a run.
type Verdict string

// The verdicts. Unusable says nothing about the system: the input could not be judged.
const (
	Conforming Verdict = "conforming"
	Violated   Verdict = "violation"
	Unusable   Verdict = "unusable"
)

// ExitStatus is the process's exit status for the verdict. Commands use 2 for
// usage and I/O errors.
func (v Verdict) ExitStatus() int {
	switch v {
	case Conforming:
		return 0
	case Violated:
		return 1
	}
	return 3
}

// Change is an object before and after a step, as JSON; null: it does not
// exist.
type Change struct {
	Kind   string          `json:"kind"`
	ID     string          `json:"id"`
	Before json.RawMessage `json:"before"`
	After  json.RawMessage `json:"after"`
}

// Violation is one rule broken by one step. Reports are rendered from it.
type Violation struct {
	ID        string        `json:"id"` // the same each time the same events are judged
	Stream    string        `json:"stream"`
	Spec      string        `json:"spec"`
	Kind      ViolationKind `json:"kind"`
	Rule      string        `json:"rule"` // the name in the TLA+ text; "actor" or "action" for a claim
	File      string        `json:"file"`
	Line      int           `json:"line"`                 // the event that breaks the rule
	Offset    *int64        `json:"offset,omitempty"`     // of the Kafka message of Line
	FirstFile string        `json:"first_file,omitempty"` // file of FirstLine, if it is an earlier file
	FirstLine int           `json:"first_line"`
	LastLine  int           `json:"last_line"`           // of the step, both inclusive
	LastFile  string        `json:"last_file,omitempty"` // file of LastLine, if it is a later file
	Seq       *int64        `json:"seq,omitempty"`
	Time      string        `json:"time,omitempty"`
	Message   string        `json:"message"`
	Nearest   []Near        `json:"nearest"`
	Changes   []Change      `json:"changes,omitempty"`      // what the step changed, at most MaxChanges
	Events    []Event       `json:"events,omitempty"`       // the step's lines: the first MaxChanges, and the one that breaks the rule
	Total     int           `json:"events_total,omitempty"` // number of the step's lines, if Events is shorter
	Sequence  []string      `json:"sequence,omitempty"`     // the actions that explain the step, if any
	History   []Event       `json:"history,omitempty"`      // the last earlier events of the same objects, oldest first
	Waiting   *Waiting      `json:"-"`                      // of liveness: the overdue obligation
	Text      string        `json:"text,omitempty"`         // of a module that was read: file:line:column of the rule
	State     []Binding     `json:"state,omitempty"`        // of a module that was read: its variables before and after the step
}

// Binding is a variable of a module, with its value as TLA+ writes it.
type Binding struct {
	Name  string `json:"name"`
	Value string `json:"value"`
	After string `json:"after,omitempty"` // as far as the step was evaluated
}

// Event is a line of the input, as a report shows it.
type Event struct {
	File string          `json:"file"`
	Line int             `json:"line"`
	Raw  json.RawMessage `json:"event"`
}

// MaxChanges bounds the changes and lines of one violation.
const MaxChanges = 20

// Sequence returns a list of n entries for a report: the first MaxChanges, and the number
// of the others.
func Sequence(n int, at func(i int) string) (list []string) {
	for i := range min(n, MaxChanges) {
		list = append(list, at(i))
	}
	if more := n - MaxChanges; more > 0 {
		list = append(list, fmt.Sprintf("and %d more", more))
	}
	return list
}

// Finding is a machine's report of a broken rule. The runner adds the context.
type Finding struct {
	Kind     ViolationKind
	Rule     string
	Pos      trace.Pos // of the event that breaks the rule
	Message  string
	Nearest  []Near
	Changes  []Change
	Sequence []string
	Waiting  *Waiting // of liveness

	First, Last trace.Pos // the step that broke it, if it is an earlier one

	Text    string    // of a module that was read: as in the Violation, like the next ones
	State   []Binding // its variables before the step, and after it
	History []Event   // the lines that wrote them
}

// StreamState reports whether a stream ended in its desired state.
type StreamState struct {
	Stream         string `json:"stream"`
	Recording      int    `json:"recording,omitempty"` // number of the stream's recording: 2, 3, …; left out for the first
	Spec           string `json:"spec"`
	InDesiredState bool   `json:"in_desired_state"`
	SinceFile      string `json:"since_file,omitempty"` // the event at which that last changed
	SinceLine      int    `json:"since_line,omitempty"`
	SinceTime      string `json:"since_time,omitempty"`
}

// Result is the outcome of a run.
type Result struct {
	Version    int           `json:"version"` // of this structure: 1
	Verdict    Verdict       `json:"verdict"`
	Reason     string        `json:"reason,omitempty"`  // why and where an input is unusable
	Partial    bool          `json:"partial,omitempty"` // the run was stopped before the input ended
	Events     int           `json:"events"`            // lines read, without blank ones
	Steps      int           `json:"steps"`             // steps judged
	Streams    int           `json:"streams"`
	Specs      []string      `json:"specs,omitempty"`      // those that judged some stream
	Duplicates int           `json:"duplicates,omitempty"` // events skipped since their seq was judged already
	Gaps       int           `json:"gaps,omitempty"`       // jumps in seq after which judging resumed
	Known      int           `json:"known,omitempty"`      // violations that Options.Known has: they are not listed
	Skipped    int           `json:"skipped,omitempty"`    // events skipped between a gap and the next snapshot, and late events of a gap
	Notes      []string      `json:"notes,omitempty"`      // what was not judged, or is out of order, and where
	Unmapped   int           `json:"unmapped,omitempty"`   // lines of a foreign log that no rule matches; set by the caller
	Violations []Violation   `json:"violations"`
	Desired    []StreamState `json:"desired_state,omitempty"`
	Liveness   []Liveness    `json:"liveness,omitempty"`   // of each stream judged, each temporal property
	Allowances []Use         `json:"allowances,omitempty"` // allowances that the steps needed, by spec
	Coverage   []Coverage    `json:"coverage,omitempty"`   // what the steps exercised, by spec
}
