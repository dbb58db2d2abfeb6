// Package board is the view of a running monitor, for its web page
// and other clients.
package board

import (
	"context"
	"errors"
	"time"

	"tracecheck/trace"
	"tracecheck/validators"
)

// Board may be called at any time, from any goroutine. The caller owns what it
// returns.
type Board interface {
	Overview() Overview
	// Streams returns a page of the streams that match the query, and the
	// number of all that match.
	Streams(q Query) (page []Stream, total int)
	// Stream returns one stream with its obligations; ok is false if it is
	// unknown.
	Stream(ctx context.Context, name string) (s *StreamDetail, ok bool)
	// Violations returns the latest violations, newest first. The stream "*"
	// means all. It skips some, and returns at most limit.
	Violations(stream string, skip, limit int) (page []Violation, total int)
	// Violation returns one of the latest by its id.
	Violation(id string) (*Violation, bool)
	// Past returns how the last hours were, oldest first, at most MostSamples.
	Past() []Sample
	// Changes returns a channel that is closed when something may have changed.
	Changes() <-chan struct{}
}

// Acknowledger stores acknowledgements: a user has seen a violation and accepts it.
type Acknowledger interface {
	// Acknowledge acknowledges a violation by its id or its fingerprint, and all later
	// ones with the same fingerprint. An error is one of this package, or names the
	// fault of the texts.
	Acknowledge(id, by, why string) (Acknowledgement, error)
	// Withdraw takes back the acknowledgement of the violation.
	Withdraw(id string) (Acknowledgement, error)
	// Acknowledgements lists all, the latest first.
	Acknowledgements() []Acknowledgement
}

// Acknowledgement records that a user accepts a violation. It is kept in the checkpoint.
type Acknowledgement struct {
	Fingerprint string    `json:"fingerprint"` // validators.Violation.Fingerprint
	Violation   string    `json:"violation"`   // what it is, for people
	By          string    `json:"by"`
	Why         string    `json:"why"`
	At          time.Time `json:"at"`
}

// The reasons why an acknowledgement is refused.
var (
	ErrUnknown         = errors.New("this process does not have the violation: ask the monitor that judges its part")
	ErrNotAcknowledged = errors.New("this violation is not acknowledged")
)

// Overview is the state of the whole monitor.
type Overview struct {
	Version string
	Source  string // the source, without secrets
	Started time.Time
	Parts   []Part // that this process owns, by name
	Totals  Totals
	Counted Counters
	Alerts  []Receiver
}

// Sample has the figures of the monitor for one interval (SampleEvery).
type Sample struct {
	At         time.Time
	Rate       float64 // events per second
	Lag        int64   // of all parts at that moment, in their Unit; less than 0: unknown
	Violations int64   // found
}

// SampleEvery is the time between two samples.
const SampleEvery = 15 * time.Second

// MostSamples is how many samples are kept: those of six hours.
const MostSamples = int(6 * time.Hour / SampleEvery)

// Counters count what this process has read and judged since it started. They
// never decrease. Earlier runs and other processes are not included, so rates
// can be computed.
type Counters struct {
	Events              int64 // read: judged or skipped
	Steps               int64 // judged
	Duplicates, Skipped int64 // as in Totals
	Known               int64 // violations that the baseline has, or that were acknowledged before
	Bad                 int64
	ByRule              []RuleCount
	Fallbacks           int64 // damaged checkpoints that were skipped
}

// Totals are of all parts.
type Totals struct {
	Events     int64 // read since the first checkpoint: judged or skipped
	Steps      int64 // judged
	Duplicates int64 // events skipped since their seq was judged already
	Skipped    int64 // events skipped between a gap and the next snapshot, and late events of a gap
	Violations int64
	ByRule     []RuleCount // violations, by spec and rule
	Bad        int64       // malformed records
	Acked      int         // acknowledged violations, by fingerprint
	Accepted   int         // of Violations, the acknowledged ones that are still in memory
	Streams    int
	Unusable   int       // streams that are not judged now
	Undesired  int       // streams not in their desired state, if a spec defines it
	Objects    int       // existing objects
	Open       int       // open obligations
	Oldest     time.Time // when the oldest obligation began, by its stream's clock; zero: none, or no clock
	Prompt     time.Time // likewise, of obligations that the system meets at once
	Rate       float64   // events per second, over the last seconds
}

// Faults is how many of the violations are not acknowledged.
func (t Totals) Faults() int64 { return max(t.Violations-int64(t.Accepted), 0) }

// RuleCount counts the violations of a rule.
type RuleCount struct {
	Spec, Rule string
	Count      int64
}

// State is the state of a part.
type State string

// The states of a part.
const (
	Loading  State = "loading" // reading its checkpoint
	Judging  State = "judging"
	Waiting  State = "waiting for alerts to be taken" // too many are pending
	Stopping State = "stopping"
	Failed   State = "failed"
	Absent   State = "absent" // what it reads does not exist
)

// Part is the state of a part that this process owns.
type Part struct {
	Name     string
	State    State
	Reason   string // why it failed, or is absent
	Fallback string // the damaged checkpoint that was skipped; "": none
	Position string
	Place    string // what is read next, for people; "": unknown
	Lag      int64  // in Unit; less than 0: unknown
	Unit     string
	Events   int64
	Rate     float64
	Streams  int
	Began    time.Time     // when this process took the part over
	Saved    time.Time     // the last checkpoint; zero: none yet
	Pause    time.Duration // the longest pause of judging for it
	PauseSum time.Duration // the sum of the pauses
	Took     time.Duration // its duration
	Bytes    int           // its size
	LastRead time.Time     // when the last batch came; zero: not yet
	Answered time.Time     // when the source last answered, or was first polled; zero: unknown
	Blocked  time.Time     // since when an open transaction blocks reading; zero: none does
}

// Receiver is the state of a receiver of alerts.
type Receiver struct {
	Name      string
	Pending   int
	Delivered int64
	Failures  int64
	LastError string // "": the last attempt succeeded
}

// Order is how streams are sorted.
type Order string

// The orders: by name; by fault; by rate. By fault, most violations come first, then the
// latest one, then unusable streams. Streams that are not in the desired state, and those with
// open obligations, follow, and then the name decides.
const (
	ByName  Order = "name"
	ByFault Order = "fault"
	ByRate  Order = "rate"
)

// Query selects streams.
type Query struct {
	Find  string // a part of the name
	Only  string // "": all; "unusable", "violations", "undesired" or "waiting"
	Order Order  // "" is ByFault
	Skip  int
	Limit int // 0: 100
}

// Stream is the state of a stream.
type Stream struct {
	validators.StreamStatus
	Part      string
	Rate      float64   // events per second, over the last seconds
	LastEvent time.Time // when its last event was judged; zero: not by this process
	// Accepted is how many of its violations are acknowledged, of those that are still
	// in memory.
	Accepted int
}

// Faults is how many of its violations are not acknowledged.
func (s Stream) Faults() int { return max(s.Violations-s.Accepted, 0) }

// StreamDetail is the state of a stream with its obligations.
type StreamDetail struct {
	Stream
	Lag      int64 // of its part, in Unit
	Unit     string
	Liveness []validators.Liveness
}

// Violation is one of the latest violations.
type Violation struct {
	validators.Violation
	Part  string
	Found time.Time
	Acked *Acknowledgement `json:"-"` // nil: it is not acknowledged
	// Timeline has the lines about the objects of the step that are still in
	// memory, oldest first. The last is the step's own. Omitted counts the
	// others.
	Timeline []Line
	Earlier  int
}

// Line is a line of the input.
type Line struct {
	Pos  trace.Pos
	Time string // of the event, RFC 3339; "": none
	Raw  string
}
