package updatecluster

import (
	"fmt"

	"tracecheck/trace"
	"tracecheck/validators"
)

// claimSet is a set of actions, by their places in next.
type claimSet uint8

func claimOf(a *action) claimSet {
	for i := range next {
		if next[i] == a {
			return 1 << i
		}
	}
	return 0
}

func claimNamed(name string) claimSet {
	for i := range next {
		if next[i].Name == name {
			return 1 << i
		}
	}
	return 0
}

// claimsOf lists the step's claims of actions that there are.
func claimsOf(step *trace.Step) []*trace.Event {
	var claims []*trace.Event
	for i := range step.Events {
		if ev := &step.Events[i]; claimed(ev) && isAction(ev.Action) {
			claims = append(claims, ev)
		}
	}
	return claims
}

// assign hands the claims to the objects that they are made of: some action of
// the sequence must be what each says, and change that object. It is false
// where no action can change the object. A request that may have been pushed to
// the queue unlogged may be so in this step.
func (b *batch) assign(claims []*trace.Event) bool {
	if len(claims) == 0 {
		return true
	}
	at := make(map[string]int, len(b.m.touched)) // the items are the first of these
	for i := range b.m.touched {
		at[b.m.touched[i].id] = i
	}
	for _, ev := range claims {
		set := claimNamed(ev.Action)
		if ev.Kind == trace.KindCluster {
			b.claims |= set
			continue
		}
		i := at[ev.ID]
		if i < len(b.items) {
			it := &b.items[i]
			it.claims |= set
			if pushed := placeOf(Valid, in).set(); ev.Action == pushToQueue.Name && it.goal&pushed != 0 {
				it.goal = pushed // a goal that leaves it open is of a valid request
			}
			continue
		}
		c := &b.m.touched[i]
		if ev.Action != pushToQueue.Name || !c.mayBePushed() {
			return false
		}
	}
	return true
}

func (b *batch) claimsMet() bool {
	if b.claims&^b.met != 0 {
		return false
	}
	for i := range b.items {
		if it := &b.items[i]; it.claims&^it.met != 0 {
			return false
		}
	}
	return true
}

// orderMatters says that another order of the same actions may meet the claims.
// Only CompleteApply and Rollback may either leave the cluster as it is or
// change it.
func (b *batch) orderMatters() bool {
	var taken claimSet
	for i := range b.items {
		it := &b.items[i]
		if it.claims&^it.met != 0 {
			return false
		}
		taken |= it.met
	}
	return b.claims&^b.met&^(taken&(claimOf(completeApply)|claimOf(rollback))) == 0
}

// unmetInBatch is the finding of a step that is explained, but by no sequence
// that meets the claims. b found one that does not.
func (m *machine) unmetInBatch(b *batch, claims []*trace.Event) validators.Finding {
	met := map[string]claimSet{}
	for i := range b.items {
		met[b.items[i].id] = b.items[i].met
	}
	ev := claims[0]
	for _, c := range claims {
		of := met[c.ID]
		if c.Kind == trace.KindCluster {
			of = b.met
		}
		if of&claimNamed(c.Action) == 0 {
			ev = c
			break
		}
	}
	f := m.claimFinding(ev, fmt.Sprintf(
		"%s claims the action %s, but no sequence of actions that explains the step has one that changes it so", named(ev), ev.Action))
	f.Sequence = b.sequence()
	return f
}

// sequence is the plan for a reader, as far as a report goes.
func (b *batch) sequence() []string {
	var list []string
	for i, done := range b.plan {
		if i == validators.MaxChanges {
			return append(list, fmt.Sprintf("and %d more", len(b.plan)-i))
		}
		list = append(list, fmt.Sprintf("%s(%s)", done.action.Name, done.id))
	}
	return list
}

// unexplainedBatch is the finding of a step that no sequence explains.
func (m *machine) unexplainedBatch(step *trace.Step, b *batch) validators.Finding {
	line, what := m.subject()
	if b.stuck != nil {
		line, what = b.stuck.line, b.stuck.what()
	}
	text := "no sequence of UpdateCluster's actions explains this step: " + what
	if n := len(m.requests); n > 1 {
		text += fmt.Sprintf(" (one of %d requests that change)", n)
	}
	if b.stuck == nil && b.undone == 0 && !m.sameCluster() {
		text += fmt.Sprintf(". The cluster cannot be left as %s", m.cluster)
	}
	if len(b.near) > 0 && len(b.near[0].Failed) > 0 {
		n := &b.near[0]
		text += fmt.Sprintf(". Nearest is %s, but not: %s", n.Action, n.Failed[0])
		if n.Values[0] != "" {
			text += " (" + n.Values[0] + ")"
		}
	}
	return validators.Finding{Kind: validators.OfTransition, Rule: validators.NextRule, Pos: step.Events[line].Pos,
		Message: text, Nearest: b.near, Changes: m.changes()}
}
