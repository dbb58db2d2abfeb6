// Package alert delivers a monitor's alerts to its receivers. It retries each
// alert until the receiver accepts it.
package alert

import (
	"context"
	"time"

	"tracecheck/validators"
)

// Kind is what an alert is about.
type Kind string

// The kinds of alerts.
const (
	OfViolation Kind = "violation"
	OfUnusable  Kind = "unusable" // a stream is no longer judged
)

// Alert reports a violation, or a stream that is no longer judged. If it is
// sent again, it keeps its id.
type Alert struct {
	ID        string                `json:"id"`
	Kind      Kind                  `json:"kind"`
	Part      string                `json:"part"`
	Stream    string                `json:"stream"`
	Message   string                `json:"message"`
	File      string                `json:"file,omitempty"` // the file of Line
	Line      int                   `json:"line,omitempty"`
	Offset    *int64                `json:"offset,omitempty"` // of the Kafka message
	Time      string                `json:"time,omitempty"`   // of the event, RFC 3339
	Found     time.Time             `json:"found"`            // when it was judged
	Violation *validators.Violation `json:"violation,omitempty"`
	Truncated bool                  `json:"truncated,omitempty"` // parts of the violation are left out: it was too large for the receiver
}

// Receiver is a destination of alerts.
type Receiver interface {
	// Name identifies the receiver in metrics and checkpoints. It has no
	// secrets.
	Name() string
	// Deliver returns nil when all alerts are stored. After an error it is
	// called again with the same alerts, except for a *RefusedError. It must
	// not change them. It returns soon after ctx ends.
	Deliver(ctx context.Context, alerts []Alert) error
	Close() error
}

// Pending is an alert that some receivers do not have yet.
type Pending struct {
	Alert Alert    `json:"alert"`
	For   []string `json:"for"` // the names of those receivers
}

// Outbox queues a monitor's alerts.
type Outbox interface {
	// Reserve reserves room for the alerts of at most the given number of
	// events. It returns how many events may be judged now. At 0, too many
	// alerts are pending, and more is closed when there may be room.
	Reserve(events int) (n int, more <-chan struct{})
	// Add queues alerts of a part, and releases the room reserved for the given
	// number of events.
	Add(part string, alerts []Alert, events int)
	// Pending returns the part's alerts that some receivers do not have yet, in
	// order. They may be delivered at the same time.
	Pending(part string) []Pending
	// Restore queues the pending alerts of a checkpoint.
	Restore(part string, pending []Pending)
	// Withdraw forgets those alerts of the part that which selects. It calls nothing of the
	// Outbox.
	Withdraw(part string, which func(*Alert) bool)
	// Drop forgets the part's alerts: another process owns the part now.
	Drop(part string)
}
