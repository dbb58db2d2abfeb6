package portallocator

import "tracecheck/validators"

type (
	action = validators.Action[pair]
	clause = validators.Clause[pair]
)

type relation = validators.Relation[pair]

// next is the module's Next, in its order.
var next = relation{newEndpoint, updateEndpoint, removeEndpoint}
