package updatecluster

import "tracecheck/validators"

type (
	action = validators.Action[pair]
	clause = validators.Clause[pair]
)

// next is the module's Next, in its order.
var next = validators.Relation[pair]{
	processQueue,
	submit, initialcheck,
	pushToQueue,
	startApply, completeApply,
	rollback,
}

func isAction(name string) bool {
	for _, a := range next {
		if a.Name == name {
			return true
		}
	}
	return false
}
