// Package board is what a monitor knows of itself, as those who look at it are
// told.
package board

import (
	"context"
	"time"

	"tracecheck/trace"
	"tracecheck/validators"
)

// Board answers at any time, from any goroutine, and what it returns is the
// caller's.
type Board interface {
	Overview() Overview
	// Streams returns those that the query asks for, and how many there are in
	// all of them.
	Streams(q Query) (page []Stream, total int)
	// Stream returns one, with what it waits for; ok is false if it is not known.
	Stream(ctx context.Context, name string) (s *StreamDetail, ok bool)
	// Violations returns the latest, newest first: of one stream, or of all
	// where that is "*"; at most limit, behind the first skip.
	Violations(stream string, skip, limit int) (page []Violation, total int)
	// Violation returns one of the latest by its id.
	Violation(id string) (*Violation, bool)
	// Changes returns a channel that is closed when something may have changed.
	Changes() <-chan struct{}
}

// Overview is the monitor as a whole.
type Overview struct {
	Version string
	Source  string // what it reads, without secrets
	Started time.Time
	Parts   []Part // that this process judges, by name
	Totals  Totals
	Counted Counters
	Alerts  []Receiver
}

// Counters are what this process has read and judged itself since it started. They only
// rise, whatever parts come and go; what a checkpoint says of earlier runs, or of
// other processes, is not in them, so that their rise is a rate.
type Counters struct {
	Events              int64 // read: judged, or skipped
	Steps               int64 // judged
	Duplicates, Skipped int64 // events, as Totals has them
	Bad                 int64
	ByRule              []RuleCount
	Fallbacks           int64 // checkpoints that were damaged and passed over
}

// Totals are of all parts.
type Totals struct {
	Events     int64 // read since the checkpoints began: judged, or skipped
	Steps      int64 // judged
	Duplicates int64 // events skipped because the same was said under their seq
	Skipped    int64 // events skipped between a gap and the next snapshot, and late ones of a gap
	Violations int64
	ByRule     []RuleCount // those violated, by spec and rule
	Bad        int64       // inputs that are no events
	Streams    int
	Unusable   int       // streams that are not judged now
	Undesired  int       // streams not in their desired state, where a spec says
	Objects    int       // that stand
	Open       int       // obligations
	Oldest     time.Time // since when the oldest is open, by its stream's clock; zero: none, or no clock
	Prompt     time.Time // since when the oldest is open that its system would have met at once, likewise
	Rate       float64   // events a second, over the last seconds
}

// RuleCount is how often a rule was violated.
type RuleCount struct {
	Spec, Rule string
	Count      int64
}

// State is what becomes of a part.
type State string

// The states of a part.
const (
	Loading  State = "loading" // its checkpoint
	Judging  State = "judging"
	Waiting  State = "waiting for alerts to be taken" // too many are pending
	Stopping State = "stopping"
	Failed   State = "failed"
)

// Part is a part under judgement.
type Part struct {
	Name     string
	State    State
	Reason   string // why it failed
	Fallback string // which damaged checkpoint was passed over; "": none
	Position string
	Lag      int64 // in Unit; less than 0: not known
	Unit     string
	Events   int64
	Rate     float64
	Streams  int
	Began    time.Time     // when this process took it
	Saved    time.Time     // the last checkpoint; zero: none yet
	Pause    time.Duration // the longest time for which it stopped the judging
	Noting   time.Duration // all such times together
	Took     time.Duration // how long it took in all
	Bytes    int           // how much was written
	Heard    time.Time     // when the last batch came; zero: none yet
	Answered time.Time     // when the source last answered, or was first asked; zero: not known
	Held     time.Time     // since when an open transaction keeps what is there from being read; zero: none does
}

// Receiver is where alerts go.
type Receiver struct {
	Name      string
	Pending   int
	Delivered int64
	Failures  int64
	LastError string // "": the last attempt was none
}

// Order says how streams are listed.
type Order string

// The orders: by name; those at fault first (unusable, violations, not in the
// desired state, oldest obligation); by rate.
const (
	ByName  Order = "name"
	ByFault Order = "fault"
	ByRate  Order = "rate"
)

// Query says which streams to list.
type Query struct {
	Find  string // a part of the name
	Only  string // "": all; "unusable", "violations", "undesired" or "waiting"
	Order Order  // "" is ByFault
	Skip  int
	Limit int // 0: 100
}

// Stream is a stream under judgement.
type Stream struct {
	validators.StreamStatus
	Part  string
	Rate  float64   // events a second, over the last seconds
	Heard time.Time // when its last event was judged; zero: not by this process
}

// StreamDetail is all of one stream.
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
	// Timeline is the lines about the objects of the step that were still at
	// hand, oldest first, the step's own last; and how many more there were.
	Timeline []Line
	Earlier  int
}

// Line is a line of the input.
type Line struct {
	Pos  trace.Pos
	Time string // of the event, RFC 3339; "": none
	Raw  string
}
