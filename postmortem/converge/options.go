// Package converge decides whether services of a swarm have become what was
// asked for: events in, a decision out. It has no clock: time is that of the
// events, and what Advance says. docs/converge.md says what each rule means.
package converge

import "time"

// Options say what is waited for. Zero durations and numbers are meant as such.
type Options struct {
	Services []string // names or ids; each must be there, and as it was asked for
	Stream   string   // the stream to look at; "" is the first that is seen

	// Since is when the wait begins; what was before it is only remembered. The
	// zero time is that of the first event that has one.
	Since time.Time

	Stable  time.Duration // how long the services must have been as asked for
	Timeout time.Duration // how long is waited, from Since
	Grace   time.Duration // how long a task may find no node, or no port

	// MaxFailures is how many tasks of one slot must end by themselves for a
	// crash loop; 0 is no bound.
	MaxFailures int
}

// The patience that no option sets.
const (
	// settling is how long a task of another spec version may count as current
	// only because nothing replaces it: the orchestrator must have had the time
	// to look at it.
	settling = 10 * time.Second

	// givingUp is how long a slot must rest in which the restart policy allows
	// no new task: recordings cut what is written together into pieces.
	givingUp = time.Second
)
