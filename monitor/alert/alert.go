// Package alert tells people what a monitor finds: each alert goes to each
// receiver, again and again until it takes it.
package alert

import (
	"context"
	"time"

	"tracecheck/validators"
)

// Kind says what an alert is about.
type Kind string

// The kinds of alerts.
const (
	OfViolation Kind = "violation"
	OfUnusable  Kind = "unusable" // a stream is not judged, from a point on
)

// Alert is one thing to tell. It is the same each time: who gets it twice can
// tell by the id.
type Alert struct {
	ID        string                `json:"id"`
	Kind      Kind                  `json:"kind"`
	Part      string                `json:"part"`
	Stream    string                `json:"stream"`
	Message   string                `json:"message"`
	File      string                `json:"file,omitempty"` // of Line, where one event is at fault
	Line      int                   `json:"line,omitempty"`
	Offset    *int64                `json:"offset,omitempty"` // of a Kafka message
	Time      string                `json:"time,omitempty"`   // of the event, RFC 3339
	Found     time.Time             `json:"found"`            // when it was judged
	Violation *validators.Violation `json:"violation,omitempty"`
	Truncated bool                  `json:"truncated,omitempty"` // the violation is not all here: it was too large for where this went
}

// Receiver is where alerts go.
type Receiver interface {
	// Name tells it apart, in metrics and checkpoints. It has no secrets.
	Name() string
	// Deliver returns nil when all alerts have arrived for good. After an error
	// the same are delivered again, but for *RefusedError. It must not change
	// them, and returns soon after ctx has ended.
	Deliver(ctx context.Context, alerts []Alert) error
	Close() error
}

// Pending is an alert that some receivers do not have yet.
type Pending struct {
	Alert Alert    `json:"alert"`
	For   []string `json:"for"` // the names of those receivers
}

// Outbox is where a monitor puts its alerts.
type Outbox interface {
	// Reserve returns how many events may be judged now, at most so many: room is
	// set aside for the alerts that they make, until Add. Where it is 0, too many
	// alerts are pending, and more is closed when there may be room.
	Reserve(events int) (n int, more <-chan struct{})
	// Add takes the alerts of so many events of a part, for which room was set
	// aside.
	Add(part string, alerts []Alert, events int)
	// Pending returns those of the part that some receivers do not have yet, in
	// order. They may be delivered while it is looked at.
	Pending(part string) []Pending
	// Restore takes those that a checkpoint has.
	Restore(part string, pending []Pending)
	// Drop forgets those of the part: it is another process's now.
	Drop(part string)
}
