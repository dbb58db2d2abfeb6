package portallocator

import (
	"fmt"

	"tracecheck/trace"
	"tracecheck/validators"
)

// The module has no actors: only actions are claimed.

// claimed reports whether the event names an action that the step must be
// explained by. A refusal is no step.
func claimed(ev *trace.Event) bool {
	return ev.Action != "" && ev.Op != trace.OpReject && isOwn(ev.Kind) && actionOf(ev.Action) != nil
}

func isOwn(k trace.Kind) bool { return k == trace.KindEndpoint || k == trace.KindAllocator }

func actionOf(name string) *action {
	for _, a := range next {
		if a.Name == name {
			return a
		}
	}
	return nil
}

const claimRule = "action"

// unknownNames reports a claim of an action that the spec does not have.
func (m *machine) unknownNames(step *trace.Step, found []validators.Finding) []validators.Finding {
	for i := range step.Events {
		if ev := &step.Events[i]; ev.Action != "" && isOwn(ev.Kind) && actionOf(ev.Action) == nil {
			return append(found, m.claimFinding(ev, fmt.Sprintf(
				"PortAllocator has no action %q: it has NewEndpoint, UpdateEndpoint, RemoveEndpoint", ev.Action)))
		}
	}
	return found
}

// claims reports a claim that is not of the action which explains the step; of
// a stuttering step, one that cannot stutter.
func (m *machine) claims(step *trace.Step, found []validators.Finding) []validators.Finding {
	for i := range step.Events {
		ev := &step.Events[i]
		if !claimed(ev) {
			continue
		}
		a := actionOf(ev.Action)
		what := ""
		switch {
		case m.by == a:
			continue
		case m.by != nil:
			what = "the step is " + m.by.Name
		case a.Stutter != nil && a.Stutter(&m.pair):
			continue
		default:
			what = "nothing changes, and that action cannot leave this state as it is"
		}
		return m.addClaim(found, ev, what)
	}
	return found
}

// batchedClaims reports a claim that no sequence meets which explains the
// step: some action of it must be the one named, and change the line's object.
// As an endpoint that differs may take any spec on the way, and one that does
// not stand throughout may be created, removed and created again, it is enough
// to know which it is.
func (m *machine) batchedClaims(step *trace.Step, found []validators.Finding) []validators.Finding {
	if len(m.endpoints) == 0 {
		return m.claims(step, found)
	}
	var stands map[string]bool // of each endpoint that changes
	mayComeAndGo := false
	for i := range step.Events {
		ev := &step.Events[i]
		if !claimed(ev) {
			continue
		}
		if stands == nil {
			stands = map[string]bool{}
			for k := range m.endpoints {
				c := &m.endpoints[k]
				stands[c.id] = c.stands()
				mayComeAndGo = mayComeAndGo || !c.stands()
			}
		}
		standing, changes := stands[ev.ID]
		if ev.Kind == trace.KindAllocator { // any action may change it
			standing, changes = !mayComeAndGo, m.room()
		}
		switch {
		case !changes:
			return m.addClaim(found, ev, "no action of this step can change that")
		case standing && ev.Action != updateEndpoint.Name:
			return m.addClaim(found, ev, "no endpoint is created or removed in this step")
		}
	}
	return found
}

// room: at some moment of the step there is an address to allocate, or one to
// take back.
func (m *machine) room() bool {
	for i := range m.endpoints {
		c := &m.endpoints[i]
		for _, ports := range [][]port{c.old.ports.ports, c.new.ports.ports} {
			for k := range ports {
				if ports[k].mode == ingress {
					return true
				}
			}
		}
	}
	return m.s.size < maxPort*len(m.s.protocols)
}

func (m *machine) addClaim(found []validators.Finding, ev *trace.Event, what string) []validators.Finding {
	if validators.HasRule(found, claimRule) {
		return found
	}
	return append(found, m.claimFinding(ev, fmt.Sprintf("%s %s claims the action %s, but %s", ev.Kind, ev.ID, ev.Action, what)))
}

func (m *machine) claimFinding(ev *trace.Event, text string) validators.Finding {
	return validators.Finding{Kind: validators.OfClaim, Rule: claimRule, Pos: ev.Pos, Message: text, Changes: m.changes()}
}
