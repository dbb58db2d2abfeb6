package updatecluster

import "tracecheck/validators/model"

// Status is the status of a request.
type Status uint8

// The statuses; the zero Status is outside the type.
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

// statuses are the statuses by the text's names.
var statuses = model.Names{
	badStatus: "?", Waiting: "waiting", Submitted: "submitted", Rejected: "rejected", Valid: "valid",
	Processing: "processing", Partial: "partial", PartialFailure: "partialFailure", Success: "success",
	Failure: "failure", Rolledback: "rolledback",
}

func (s Status) String() string { return statuses[s] }

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

// mayBe says that the boolean is the value, or not known.
func (t ternary) mayBe(b bool) bool { return t == unknown || t == ternaryOf(b) }

// boolean prints as the text writes it.
type boolean bool

func (b boolean) String() string {
	if b {
		return "TRUE"
	}
	return "FALSE"
}
