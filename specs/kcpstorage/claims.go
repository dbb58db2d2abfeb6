package kcpstorage

import (
	"fmt"

	"tracecheck/trace"
	"tracecheck/validators"
)

// claimed reports whether the event names an action that the step must be
// explained by. The module has no actors: its actions are its processes. A
// refusal is no action.
func claimed(ev *trace.Event) bool {
	return ev.Action != "" && ev.Op != trace.OpReject && isOwn(ev.Kind)
}

func isOwn(k trace.Kind) bool {
	return k == trace.KindNamespace || k == trace.KindPVC || k == trace.KindSyncer
}

// claims reports the first claim of a process that the module does not have,
// or else the first that the explanation of its namespace's part does not meet.
func (m *machine) claims(step *trace.Step) []validators.Finding {
	any := false
	for i := range step.Events {
		ev := &step.Events[i]
		if ev.Action != "" && isOwn(ev.Kind) && !isAction(ev.Action) {
			return []validators.Finding{m.claimFinding(ev, fmt.Sprintf(
				"kcpStorage has no process %q; `tracecheck specs kcpstorage` lists them", ev.Action))}
		}
		any = any || claimed(ev)
	}
	if !any {
		return nil
	}
	var changed map[objectKey]bool
	if m.batched {
		changed = m.changed()
	}
	for i := range step.Events {
		ev := &step.Events[i]
		if !claimed(ev) || m.inPart[i] < 0 {
			continue
		}
		p, why := &m.parts[m.inPart[i]], ""
		switch p.by {
		case unexplained:
			continue
		case byStuttering:
			why = p.stutterClaim(ev)
		case byOne, bySeveral:
			if m.batched {
				why = batchedClaim(ev, changed[p.key(ev.Kind, ev.ID)])
			} else if ev.Action != p.one.Name {
				why = "the step is " + p.one.Name
			}
		}
		if why != "" {
			return []validators.Finding{m.claimFinding(ev, fmt.Sprintf("%s claims the action %s, but %s", named(ev), ev.Action, why))}
		}
	}
	return nil
}

// stutterClaim says what keeps the claimed process from leaving the namespace
// as it is, "" if nothing does.
func (p *part) stutterClaim(ev *trace.Event) string {
	for _, a := range next {
		if a.Name == ev.Action && a.Stutter != nil && a.Stutter(&p.pair) {
			return ""
		}
	}
	return "nothing changes, and that process cannot leave this state as it is"
}

// batchedClaim says what keeps the claimed process from changing the line's
// object: one process only changes each kind.
func batchedClaim(ev *trace.Event, changes bool) string {
	of := namespaceController
	switch ev.Kind {
	case trace.KindPVC:
		of = pvcController
	case trace.KindSyncer:
		of = syncerProcess
	}
	switch {
	case !changes:
		return "nothing of it changes"
	case ev.Action != of.Name:
		return "only " + of.Name + " changes it"
	}
	return ""
}

// key is the object's name within a step.
func (p *part) key(kind trace.Kind, id string) objectKey { return objectKey{kind, p.space, id} }

// changed is the set of the objects that differ.
func (m *machine) changed() map[objectKey]bool {
	set := map[objectKey]bool{}
	for i := range m.parts {
		p := &m.parts[i]
		set[p.key(trace.KindNamespace, p.space.id)] = !p.sameNS()
		for k := range p.pvcs {
			set[p.key(trace.KindPVC, p.pvcs[k].id)] = true
		}
		for k := range p.syncers {
			set[p.key(trace.KindSyncer, m.s.clusters.names[p.syncers[k].cluster])] = true
		}
	}
	return set
}

func (m *machine) claimFinding(ev *trace.Event, text string) validators.Finding {
	return validators.Finding{Kind: validators.OfClaim, Rule: "action", Pos: ev.Pos, Message: text, Changes: m.changes()}
}
