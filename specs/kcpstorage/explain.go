package kcpstorage

import (
	"encoding/json"
	"fmt"
	"strings"

	"tracecheck/trace"
	"tracecheck/validators"
)

// unexplained is the finding of a step that nothing explains in one namespace;
// stuck says why, of a batched one.
func (m *machine) unexplained(step *trace.Step, p *part, stuck string) validators.Finding {
	line, what := m.subject(p)
	near := next.Nearest(&p.pair, nearestShown)
	explains := "no process of kcpStorage explains"
	if m.batched {
		explains = "no sequence of kcpStorage's processes explains"
	}
	var text strings.Builder
	fmt.Fprintf(&text, "%s this step: %s", explains, what)
	n := len(p.pvcs) + len(p.syncers) + b2i(!p.sameNS())
	if n > 1 {
		fmt.Fprintf(&text, " (one of %d objects of the namespace that change)", n)
	}
	switch {
	case stuck != "":
		text.WriteString(". " + stuck)
	case n > 1:
		text.WriteString("; an atomic step is one action: if the recording sums up several, judge it with --steps batched")
	}
	if len(near) > 0 && len(near[0].Failed) > 0 && stuck == "" {
		fmt.Fprintf(&text, ". Nearest is %s, but not: %s", near[0].Action, near[0].Failed[0])
		if near[0].Values[0] != "" {
			fmt.Fprintf(&text, " (%s)", near[0].Values[0])
		}
	}
	return validators.Finding{Kind: validators.OfTransition, Rule: validators.NextRule, Pos: step.Events[line].Pos,
		Message: text.String(), Nearest: near, Changes: m.changes()}
}

// subject is the part's first object that changes: its line and what happens
// to it.
func (m *machine) subject(p *part) (int, string) {
	cs := m.s.clusters
	switch {
	case !p.sameNS():
		return p.line, fmt.Sprintf("namespace %s goes from %s to %s", p.space.id, cs.show(p.was.mapping), cs.show(p.new.mapping))
	case len(p.pvcs) > 0:
		c := &p.pvcs[0]
		return c.line, fmt.Sprintf("pvc %s goes from %s to %s", c.id, cs.show(c.old.mapping), cs.show(c.new.mapping))
	}
	c := &p.syncers[0]
	return c.line, fmt.Sprintf("syncer %s goes from %s to %s", cs.names[c.cluster], c.old, c.new)
}

// show prints a mapping for a reader: what is not nil.
func (cs *clusters) show(m mapping) string {
	if len(m) == 0 {
		return `all "nil"`
	}
	const most = 4
	var parts []string
	for i := range m {
		if i == most {
			parts = append(parts, fmt.Sprintf("and %d more", len(m)-most))
			break
		}
		parts = append(parts, fmt.Sprintf("%s: %q", cs.names[m[i].cluster], m[i].state))
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

// changes lists what the step changes, each namespace before what belongs to
// it.
func (m *machine) changes() []validators.Change {
	var list []validators.Change
	add := func(kind trace.Kind, id string, before, after json.RawMessage) {
		if len(list) < validators.MaxChanges {
			list = append(list, validators.Change{Kind: kind.String(), ID: strings.Clone(id), Before: before, After: after})
		}
	}
	cs := m.s.clusters
	for i := range m.parts {
		p := &m.parts[i]
		if len(list) == validators.MaxChanges {
			break
		}
		if !p.sameNS() {
			add(trace.KindNamespace, p.space.id, cs.namespaceJSON(p.was), cs.namespaceJSON(&p.new))
		}
		for k := range p.pvcs {
			c := &p.pvcs[k]
			add(trace.KindPVC, c.id, cs.pvcJSON(p.space.id, c.old), cs.pvcJSON(p.space.id, &c.new))
		}
		for k := range p.syncers {
			c := &p.syncers[k]
			add(trace.KindSyncer, cs.names[c.cluster], syncerJSON(p.space.id, c.old), syncerJSON(p.space.id, c.new))
		}
	}
	return list
}

// fields is the value as a line gives it; "?" is what is outside its type.
func (cs *clusters) fields(v *value) any {
	if v.bad {
		return badState.String()
	}
	fields := map[string]string{}
	for _, e := range v.mapping {
		fields[cs.names[e.cluster]] = e.state.String()
	}
	return fields
}

func (cs *clusters) namespaceJSON(v *value) json.RawMessage {
	return encode(struct {
		Clusters any `json:"clusters"`
	}{cs.fields(v)})
}

func (cs *clusters) pvcJSON(namespace string, v *value) json.RawMessage {
	return encode(struct {
		Namespace string `json:"namespace"`
		Clusters  any    `json:"clusters"`
	}{namespace, cs.fields(v)})
}

func syncerJSON(namespace string, s SyncState) json.RawMessage {
	return encode(struct {
		Namespace string `json:"namespace"`
		PVCState  string `json:"pvc_state"`
	}{namespace, s.String()})
}

func encode(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		panic("kcpstorage: strings did not encode: " + err.Error())
	}
	return b
}
