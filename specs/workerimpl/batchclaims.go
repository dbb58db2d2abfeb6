package workerimpl

import (
	"fmt"
	"slices"

	"tracecheck/trace"
	"tracecheck/validators"
	"tracecheck/validators/model"
)

// collectClaims hands the step's claims to the items that they are made of, and
// returns them all.
func (b *batch) collectClaims(step *trace.Step) []*trace.Event {
	claims := says.Claims(step)
	for _, ev := range claims {
		if i, ok := b.index[ev.ID]; ok && ev.Kind != kindNode {
			b.items[i].claims = append(b.items[i].claims, ev)
		}
	}
	return claims
}

// roam puts tasks of which claims are made, and which may go and come on the
// way, on workers that the step does not show them on: there an action may meet
// the claims which no other can. It reports whether there are such tasks.
func (b *batch) roam() bool {
	roams := false
	for i := range b.items {
		if it := &b.items[i]; len(it.claims) == 0 || !it.moves || it.lasts() ||
			b.s.workers() > 0 && b.primary(i, b.s.elsewhere) != b.s.elsewhere {
			continue
		}
		for _, n := range b.s.nodes.Sorted() {
			if n.isWorker || b.s.role(n) == candidate {
				b.put(i, n)
				roams = true
				if n.isWorker {
					break // one will do: all that matters is that it is not where the task was
				}
			}
		}
	}
	clear(b.rests)
	clear(b.alphas)
	return roams
}

// isIdle says that the claim is made of an object that the step does not change; of a
// node, that it is of no action that changes one.
func (b *batch) isIdle(ev *trace.Event) bool {
	i, ok := b.index[ev.ID]
	switch ev.Kind {
	case kindTask:
		return !ok || !b.items[i].moves
	case kindContainer:
		return !ok || len(b.items[i].conts) == 0
	}
	n := b.s.nodes.Of(ev)
	return n == nil || !n.either || !workerUp.Title().Meets(ev) && !workerDown.Title().Meets(ev)
}

// unmetClaim is the finding of a step that is explained, but by no sequence
// that meets the claims. It reports the first that cannot be met by itself.
func (b *batch) unmetClaim(claims []*trace.Event) validators.Finding {
	n := b.m.plans[0].node
	b.claims = true
	at := slices.IndexFunc(claims, func(c *trace.Event) bool { return b.isIdle(c) || !b.meetsAlone(c, n) })
	ev := claims[max(at, 0)]
	b.claims = false
	rule, value := "action", ev.Action
	if value == "" || ev.Actor != "" && ev.Actor != agentActor && !slices.Contains(model.NamesOf(next[:others]...), ev.Action) {
		rule, value = "actor", ev.Actor
	}
	f := model.ClaimFinding(ev, rule, fmt.Sprintf(
		"%s %s claims the %s %s, but in no sequence that explains the step does such an action change it", ev.Kind, ev.ID, rule, value), b.m.changes)
	f.Sequence = b.m.plans[0].shown()
	return f
}

// meetsAlone says that the claim could be met if its item made no other, and
// the step changed nothing else.
func (b *batch) meetsAlone(ev *trace.Event, n *node) bool {
	if ev.Kind == kindNode {
		return true
	}
	i := b.index[ev.ID]
	it := &b.items[i]
	n = b.primary(i, n)
	if b.alone(i, n, true) {
		return true
	}
	all := it.claims
	it.claims = []*trace.Event{ev}
	met := b.alone(i, n, true)
	it.claims = all
	return met
}

// culprit is the first item that could not do what it does even if the step
// changed nothing else, nil if it is not as simple as that.
func (b *batch) culprit() *item {
	if b.bad {
		return nil
	}
	for i := range b.items {
		views := []*node{b.primary(i, b.s.elsewhere)}
		if b.s.workers() == 0 {
			views = append(views, b.items[i].nodes...)
		}
		if !slices.ContainsFunc(views, func(n *node) bool { return b.alone(i, n, false) }) {
			return &b.items[i]
		}
	}
	for _, g := range b.restOf().fails {
		if of := &b.groups[g]; of.services != nil {
			return &b.items[of.items[0]]
		}
	}
	return nil
}

// nearestTo lists what came nearest to explaining what the item does, were it
// atomic.
func (b *batch) nearestTo(it *item) []validators.Near {
	p := pair{s: b.s, node: b.primary(b.index[it.id], b.s.elsewhere)}
	if b.s.workers() == 0 && len(it.nodes) > 0 {
		p.node = it.nodes[0]
	}
	for _, c := range it.tasks {
		p.tasks = append(p.tasks, *c)
	}
	if c := it.on(p.node); c != nil {
		p.containers = append(p.containers, *c)
	}
	return near.Nearest(&p, nearestShown)
}

// what says in words what happens to the item.
func (it *item) what() string {
	if len(it.tasks) > 0 && (it.was != it.is || it.old != it.new || len(it.conts) == 0) {
		return whatTask(it.tasks[0])
	}
	return whatContainer(it.conts[0])
}
