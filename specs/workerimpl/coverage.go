package workerimpl

import (
	"slices"

	"tracecheck/specs/internal/swarm"
)

// Count implements validators.Machine.
func (m *machine) Count(counts []int) {
	if m.by != nil {
		counts[slices.Index(next, m.by)]++
	} else if len(m.plans) > 0 {
		for _, a := range m.plans[0].actions() {
			counts[slices.Index(next, a.action)]++
		}
	}
	if m.cover == nil || m.by == nil || m.by.Actor == "" {
		return
	}
	for i := range m.tasks {
		if c := &m.tasks[i]; c.was && c.is && c.old.state != c.new.state {
			m.cover.Moved(m.by.Actor, swarm.Null(c.old.state), swarm.Null(c.new.state))
		}
	}
}

// coverClauses counts the clauses that decide on a step of one action, for each
// instance that judges it.
func (m *machine) coverClauses() {
	if m.cover == nil || m.taken || m.ofNone || m.batched && m.remakes() {
		return
	}
	views, _ := m.listViews()
	if len(views) == 0 {
		views = append(views, m.subjectNode())
	}
	for _, n := range views {
		if p := m.at(n); !m.batched || pairs.Match(p) != nil {
			pairs.Cover(p, m.cover)
		}
	}
}
