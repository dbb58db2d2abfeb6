package object

import "tracecheck/ingest/swarm/wire"

// Jobs are the ids of replicated jobs. Their slots count from 0, which
// otherwise means no slot. They are kept forever, since tasks outlive their
// service.
type Jobs map[string]bool

// See learns from an object.
func (j Jobs) See(o wire.Object) {
	switch o := o.(type) {
	case *wire.Service:
		if o.Spec.ReplicatedJob != nil {
			j[o.ID] = true
		}
	case *wire.Task:
		// Its service may be deleted already. A job with slots is replicated.
		if o.JobIteration != nil && o.Slot > 0 {
			j[o.ServiceID] = true
		}
	}
}
