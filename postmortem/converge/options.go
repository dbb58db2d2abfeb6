// Package converge decides whether services of a swarm have reached the state that their
// users asked for. It takes events, and returns a decision. It has no clock: time is that
// of the events and of Advance. docs/converge.md explains each rule.
package converge

import "time"

// Options are the settings of a Gate. Zero durations and numbers have no special meaning.
type Options struct {
	Services []string // names or ids; each service must exist and have converged
	Stream   string   // the stream to look at; "" is the first that is seen

	// Since is when the wait begins. Earlier events only set the state. The zero
	// time means the time of the first event with a time.
	Since time.Time

	Stable  time.Duration // how long the services must stay converged
	Timeout time.Duration // the longest wait, from Since
	Grace   time.Duration // how long a task may be without a suitable node, or without a port

	// MaxFailures is how many tasks of one slot must end by themselves for a
	// crash loop; 0 is no bound.
	MaxFailures int
}

// The timeouts without an option.
const (
	// settling is how long a task of another spec version may count as current
	// only because nothing replaces it: the orchestrator must have had the time
	// to look at it.
	settling = 10 * time.Second

	// givingUp is how long a slot must rest in which the restart policy allows
	// no new task: recordings cut what is written together into pieces.
	givingUp = time.Second
)
