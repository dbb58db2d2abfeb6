package kcpstorage

import (
	"tracecheck/trace"
	"tracecheck/validators"
)

// Probe implements validators.Prober: each namespace is a part.
func (m *machine) Probe(step *trace.Step) []validators.Part {
	m.bind(step)
	var parts []validators.Part
	for i := range m.parts {
		p := &m.parts[i]
		if !p.stutters() && !m.taken && !m.faults.Has(validators.OfTransition) {
			line, what := m.subject(p)
			parts = append(parts, validators.Part{What: what, Line: line, Whole: true, Attempts: next.Attempts(&p.pair)})
		}
	}
	for i := range m.parts {
		m.s.release(m.parts[i].space)
	}
	return parts
}
