package portallocator

import (
	"fmt"

	"tracecheck/trace"
	"tracecheck/validators"
)

// Probe implements validators.Prober: the step as a whole and, where it may be
// the sum of several actions, each endpoint of it.
func (m *machine) Probe(step *trace.Step) []validators.Part {
	uses := m.uses
	m.uses = nil
	defer func() { m.uses = uses }()
	m.bind(step)
	if m.taken || m.faulty.Has(validators.OfTransition) || m.stutters() {
		return nil
	}
	line, what := m.subject()
	n := len(m.endpoints)
	if n > 1 {
		what += fmt.Sprintf(" (one of %d endpoints that change)", n)
	}
	parts := []validators.Part{{What: what, Line: line, Whole: true, Attempts: m.rules.Attempts(&m.pair)}}
	if n < 2 || !m.batched {
		return parts
	}
	for i := range m.endpoints {
		c := &m.endpoints[i]
		p := pair{view: m.view, endpoints: m.endpoints[i : i+1]}
		parts = append(parts, validators.Part{What: m.what(c), Line: c.line, Attempts: m.rules.Attempts(&p)})
	}
	return parts
}
