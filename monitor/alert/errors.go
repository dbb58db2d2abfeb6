package alert

import (
	"fmt"
	"time"
)

// RefusedError says that a receiver will never take some of the alerts, however
// often they are delivered. All others of them have arrived.
type RefusedError struct {
	Refusals []Refusal
}

// Refusal says why one alert is not taken.
type Refusal struct {
	Index  int // in the alerts delivered
	Reason string
}

func (e *RefusedError) Error() string {
	if len(e.Refusals) == 0 {
		return "no alert is refused"
	}
	return fmt.Sprintf("%d alerts are refused, the first one since: %s", len(e.Refusals), e.Refusals[0].Reason)
}

// LaterError is an error of a receiver that says itself when to try again.
type LaterError struct {
	Err   error
	After time.Duration
}

func (e *LaterError) Error() string { return e.Err.Error() }
func (e *LaterError) Unwrap() error { return e.Err }
