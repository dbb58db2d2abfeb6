// Package specs lists the specifications that there are.
package specs

import (
	"tracecheck/specs/kcpstorage"
	"tracecheck/specs/portallocator"
	"tracecheck/specs/swarmkit"
	"tracecheck/specs/updatecluster"
	"tracecheck/specs/workerimpl"
	"tracecheck/validators"
)

// All returns every spec, in the order in which they are documented.
func All() []*validators.Spec {
	return []*validators.Spec{swarmkit.Spec, workerimpl.Spec, portallocator.Spec, updatecluster.Spec, kcpstorage.Spec}
}
