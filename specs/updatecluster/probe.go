package updatecluster

import (
	"fmt"

	"tracecheck/trace"
	"tracecheck/validators"
)

// Probe implements validators.Prober: the step as a whole and, where it may be
// the sum of several actions, each request of it with the cluster.
func (m *machine) Probe(step *trace.Step) []validators.Part {
	logged := m.s.queueLogged
	defer func() { m.s.queueLogged = logged }()
	m.bind(step)
	if m.taken || m.faults.Has(validators.OfTransition) || m.pair.stutters() {
		return nil
	}
	line, what := m.subject()
	n := len(m.requests)
	if n > 1 {
		what += fmt.Sprintf(" (one of %d requests that change)", n)
	}
	parts := []validators.Part{{What: what, Line: line, Whole: true, Attempts: next.Attempts(&m.pair)}}
	if n < 2 || !m.batched {
		return parts
	}
	for i := range m.requests {
		p := m.pair
		p.requests = m.requests[i : i+1]
		parts = append(parts, validators.Part{What: m.requests[i].what(), Line: m.requests[i].line, Attempts: next.Attempts(&p)})
	}
	return parts
}
