package alert

import (
	"fmt"
	"time"
)

// RefusedError means that a receiver will never accept some of the alerts. The
// others are delivered.
type RefusedError struct {
	Refusals []Refusal
}

// Refusal is why one alert is refused.
type Refusal struct {
	Index  int // index in the alerts of Deliver
	Reason string
}

func (e *RefusedError) Error() string {
	if len(e.Refusals) == 0 {
		return "no alert is refused"
	}
	return fmt.Sprintf("%d alerts are refused; the first: %s", len(e.Refusals), e.Refusals[0].Reason)
}

// LaterError is an error of a receiver that names the time of the next attempt.
type LaterError struct {
	Err   error
	After time.Duration
}

func (e *LaterError) Error() string { return e.Err.Error() }
func (e *LaterError) Unwrap() error { return e.Err }
