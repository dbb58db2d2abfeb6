package kcpstorage

import "tracecheck/validators"

type (
	action = validators.Action[pair]
	clause = validators.Clause[pair]
)

// next is the module's Next, in its order. Terminating never happens: pc, which
// is left out, never is Done. The process User only skips, and is not in Next.
var next = validators.Relation[pair]{namespaceController, pvcController, syncerProcess}

func isAction(name string) bool {
	for _, a := range next {
		if a.Name == name {
			return true
		}
	}
	return false
}
