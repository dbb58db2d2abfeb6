package swarm

import "tracecheck/trace"

var kindNode = trace.NewKind("node")

// WithoutArrivals is the step without lines that change which nodes there are.
func WithoutArrivals(step *trace.Step, exists func(node string) bool) *trace.Step {
	var kept trace.Step
	for i := range step.Events {
		ev := &step.Events[i]
		if ev.Kind != kindNode || ev.Op == trace.OpUpdate && exists(ev.ID) {
			kept.Events = append(kept.Events, *ev)
		}
	}
	return &kept
}
