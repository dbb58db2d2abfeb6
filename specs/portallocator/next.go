package portallocator

import "tracecheck/validators"

type (
	action = validators.Action[pair]
	clause = validators.Clause[pair]
)

// next is the module's Next, in its order.
var next = validators.Relation[pair]{newEndpoint, updateEndpoint, removeEndpoint}
