package object

import "github.com/moby/swarmkit/v2/api"

// Jobs are the ids of services that are replicated jobs: these count their
// slots from 0, which is otherwise a task without one. They stay for ever, since
// tasks outlive their service.
type Jobs map[string]bool

// See learns from an object.
func (j Jobs) See(o api.StoreObject) {
	switch o := o.(type) {
	case *api.Service:
		if o.Spec.GetReplicatedJob() != nil {
			j[o.ID] = true
		}
	case *api.Task:
		// Its service may be gone already. A job that uses slots is replicated.
		if o.JobIteration != nil && o.Slot > 0 {
			j[o.ServiceID] = true
		}
	}
}
