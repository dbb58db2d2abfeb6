package converge

import "time"

// Verdict is the decision.
type Verdict string

// The verdicts.
const (
	Converged    Verdict = "converged"
	NotConverged Verdict = "not converged"
	CannotTell   Verdict = "cannot tell"
)

// ExitStatus returns the command's exit status for the verdict.
func (v Verdict) ExitStatus() int {
	switch v {
	case Converged:
		return 0
	case NotConverged:
		return 1
	}
	return 3
}

// Cause is why the services have not converged, in a word or two.
type Cause string

// The causes of "not converged".
const (
	CauseRollback    Cause = "rollback"
	CausePaused      Cause = "paused"
	CauseImage       Cause = "missing image"
	CauseRejected    Cause = "rejected"
	CauseCrashLoop   Cause = "crash loop"
	CauseGivenUp     Cause = "given up"
	CauseNoNode      Cause = "no suitable node"
	CausePort        Cause = "port in use"
	CauseServiceGone Cause = "service removed"
	CauseTimeout     Cause = "timeout"
)

// The causes of "cannot tell".
const (
	CauseUnknown     Cause = "unknown service"
	CauseEnded       Cause = "recording ended"
	CauseNoTime      Cause = "no time"
	CauseInput       Cause = "unusable input"
	CauseInterrupted Cause = "interrupted"
	CauseAway        Cause = "manager away"
)

// Result is the decision, with the state of each service at that time. Its JSON is the
// command's output.
type Result struct {
	Version  int       `json:"version"` // of this structure: 1
	Verdict  Verdict   `json:"verdict"`
	Cause    Cause     `json:"cause,omitempty"`
	Reason   string    `json:"reason"`
	From     *Time     `json:"from,omitempty"` // when the wait began
	At       *Time     `json:"at,omitempty"`   // when it was decided
	Services []Service `json:"services"`
}

// Service is the state of one service.
type Service struct {
	Name        string    `json:"name"`
	ID          string    `json:"id,omitempty"` // "": it was not seen
	Mode        string    `json:"mode,omitempty"`
	UpdateState string    `json:"update_state,omitempty"`
	Converged   bool      `json:"converged"`          // whether it has converged
	Since       *Time     `json:"since,omitempty"`    // when it last became so
	Running     int       `json:"running"`            // number of running tasks; for a job: of complete ones
	Wanted      int       `json:"wanted"`             // number of tasks that are asked for
	Failures    int       `json:"failures,omitempty"` // tasks that ended by themselves, since the last change of its spec
	Waiting     []Waiting `json:"waiting"`            // the open ends
}

// Waiting is an open end: something that must still happen to an object.
type Waiting struct {
	Task    string `json:"task,omitempty"`
	Slot    int    `json:"slot,omitempty"` // 0: none, or one task per node
	Node    string `json:"node,omitempty"`
	State   string `json:"state,omitempty"`
	Desired string `json:"desired_state,omitempty"`
	Since   *Time  `json:"since,omitempty"`
	Action  string `json:"action,omitempty"` // of SwarmKit's TLA+ text
	Why     string `json:"why"`
	Err     string `json:"err,omitempty"`     // the engine's own words
	Message string `json:"message,omitempty"` // and these
}

// Time is a time in the form of JSON and text.
type Time struct{ time.Time }

const timeLayout = "2006-01-02T15:04:05.000000Z"

func (t Time) String() string { return t.UTC().Format(timeLayout) }

// MarshalJSON gives all times one length.
func (t Time) MarshalJSON() ([]byte, error) { return []byte(`"` + t.String() + `"`), nil }

// moment returns t for a Result; nil if it is zero.
func moment(t time.Time) *Time {
	if t.IsZero() {
		return nil
	}
	return &Time{t}
}
