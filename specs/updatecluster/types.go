package updatecluster

import "strconv"

// Status is the status of a request.
type Status uint8

// The statuses, by the text's names; the zero Status is outside the type.
const (
	badStatus Status = iota
	Waiting
	Submitted
	Rejected
	Valid
	Processing
	Partial
	PartialFailure
	Success
	Failure
	Rolledback
	statusCount
)

var statusNames = [...]string{
	badStatus: "?", Waiting: "waiting", Submitted: "submitted", Rejected: "rejected", Valid: "valid",
	Processing: "processing", Partial: "partial", PartialFailure: "partialFailure", Success: "success",
	Failure: "failure", Rolledback: "rolledback",
}

func (s Status) String() string { return statusNames[s] }

// parseStatus returns the status of that name, badStatus where there is none.
func parseStatus(name string) Status {
	for s := Waiting; s < statusCount; s++ {
		if statusNames[s] == name {
			return s
		}
	}
	return badStatus
}

// rankValue is a request's rank; the zero value is NULL.
type rankValue struct {
	set bool
	n   int64
}

func (r rankValue) is(n int64) bool { return r.set && r.n == n }

func (r rankValue) String() string {
	if !r.set {
		return "NULL"
	}
	return strconv.FormatInt(r.n, 10)
}

// membership is what is known of a request's membership of queue: a set of
// possibilities. A line that gives a value outside the type leaves none.
type membership uint8

const (
	out  membership = 1 << iota // r \notin queue
	in                          // r \in queue
	open = out | in             // either: no line has logged it
)

// ternary is what is known of a boolean.
type ternary uint8

const (
	unknown ternary = iota
	yes
	no
)

func ternaryOf(b bool) ternary {
	if b {
		return yes
	}
	return no
}

// boolean prints as the text writes it.
type boolean bool

func (b boolean) String() string {
	if b {
		return "TRUE"
	}
	return "FALSE"
}
