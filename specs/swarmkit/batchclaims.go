package swarmkit

import (
	"fmt"
	"slices"
	"strings"

	"tracecheck/trace"
	"tracecheck/validators"
	"tracecheck/validators/model"
)

// maxClaims is how many claims of one object a batched step follows.
const maxClaims = 8

// collectClaims hands the step's claims to the objects that they are made of,
// and returns them all.
func (b *batch) collectClaims() []*trace.Event {
	claims := b.m.says().Claims(b.step)
	for _, t := range b.items {
		b.tasks[t.id] = append(b.tasks[t.id], t)
	}
	for _, ev := range claims {
		switch ev.Kind {
		case kindTask:
			for _, t := range b.tasks[ev.ID] {
				t.claims = addClaim(t.claims, ev)
			}
		case kindService:
			if c := b.changes[b.s.services.Of(ev)]; c != nil {
				c.claims = addClaim(c.claims, ev)
			}
		}
	}
	return claims
}

func addClaim(claims []*trace.Event, ev *trace.Event) []*trace.Event {
	same := func(have *trace.Event) bool { return have.Actor == ev.Actor && have.Action == ev.Action }
	if len(claims) == maxClaims || slices.ContainsFunc(claims, same) {
		return claims
	}
	return append(claims, ev)
}

// meets marks the claims that the action meets.
func (b *batch) meets(a *action, claims []*trace.Event) uint8 {
	var met uint8
	for i, ev := range claims {
		if a.Title().Meets(ev) {
			met |= 1 << i
		}
	}
	return met
}

// full marks all claims.
func full(claims []*trace.Event) uint8 { return uint8(1<<len(claims) - 1) }

// mayMeet says that the claim is made of an object that the step changes; a node's, of the
// actions that change a node.
func (b *batch) mayMeet(ev *trace.Event) bool {
	switch ev.Kind {
	case kindTask:
		return len(b.tasks[ev.ID]) > 0
	case kindService:
		return b.changes[b.s.services.Of(ev)] != nil
	}
	return (workerUp.Title().Meets(ev) || workerDown.Title().Meets(ev)) && slices.ContainsFunc(b.nodes, func(c nodeItem) bool { return c.id == ev.ID })
}

// unmetClaim is the finding of a step that is explained, but by no sequence
// that meets the claims. b found one that does not meet them all.
func (b *batch) unmetClaim(m *machine, claims []*trace.Event) validators.Finding {
	ev := claims[max(0, slices.IndexFunc(claims, func(c *trace.Event) bool { return !b.mayMeet(c) || !b.isMet(c) }))]
	var by []string
	actor, action := ev.Actor == "", ev.Action == ""
	for _, done := range b.plan {
		if done.objectKey == keyOf(ev) {
			by = append(by, done.action.Name)
			actor = actor || done.action.Actor == ev.Actor
			action = action || done.action.Name == ev.Action
		}
	}
	rule, value := "action", ev.Action
	if !actor || value == "" {
		rule, value = "actor", ev.Actor
	}
	what := "nothing of it changes"
	if len(by) > 0 {
		what = "what happens to it is " + strings.Join(by, ", ")
	}
	f := model.ClaimFinding(ev, rule, fmt.Sprintf("%s %s claims the %s %s, but %s, and no other sequence meets the claim", ev.Kind, ev.ID, rule, value, what), m.changes)
	f.Sequence = validators.Sequence(len(b.plan), func(i int) string { return b.plan[i].String() })
	return f
}

func (b *batch) isMet(ev *trace.Event) bool {
	return ev.Kind == kindNode ||
		slices.ContainsFunc(b.plan, func(done planned) bool { return done.objectKey == keyOf(ev) && done.action.Title().Meets(ev) })
}
