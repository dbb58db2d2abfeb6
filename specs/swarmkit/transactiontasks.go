package swarmkit

import (
	"iter"
	"slices"
)

// Tasks that a transaction creates or deletes, and changes of desired_state.

func (e *explainer) tasks() bool {
	m, w := e.m, e.w
	if len(m.tasks) > len(w.changes) {
		for i := range m.tasks {
			switch c := &m.tasks[i]; {
			case c.writes() == mixes:
				return e.refuse(c, "a transaction either creates a task, deletes it, changes its desired state, or changes its state")
			case len(w.changes) > 0 && c.writes() == moves:
				return e.refuse(c, "a transaction that changes a task's state creates no task, deletes none, and changes no desired state")
			}
		}
		return e.moves()
	}
	for block := range runs(w.changes, func(a, b *written) bool {
		return a.writes == b.writes && w.slots[a.slot].of == w.slots[b.slot].of
	}) {
		if !e.block(block, &taskRules[block[0].writes]) {
			return false
		}
	}
	return true
}

func (e *explainer) refuse(c *taskChange, text string) bool {
	what := c.subject()
	what.what += "; " + text
	return e.fail(what, e.part(nil, nil), nil)
}

// runs yields the longest runs of equal neighbours.
func runs(list []written, same func(a, b *written) bool) iter.Seq[[]written] {
	return func(yield func([]written) bool) {
		for from, to := 0, 0; from < len(list); from = to {
			for to = from + 1; to < len(list) && same(&list[from], &list[to]); to++ {
			}
			if !yield(list[from:to]) {
				return
			}
		}
	}
}

// block explains tasks of one service with the same kind of write: all together, or else
// those of each vslot, or else each task alone.
func (e *explainer) block(block []written, rules *ruleSet) bool {
	if len(rules.first) > 0 {
		for i := range block {
			block[i].done = block[i].done || e.together(block[i:i+1], rules.first)
		}
	}
	if e.together(block, rules.service) {
		return true
	}
	for slot := range runs(block, func(a, b *written) bool { return a.slot == b.slot }) {
		if e.together(slot, rules.slot) {
			continue
		}
		for i := range slot {
			if !slot[i].done && !e.alone(&slot[i], rules) {
				return false
			}
		}
	}
	return true
}

// together explains all tasks that are not explained yet at once.
func (e *explainer) together(list []written, rules relation) bool {
	if len(rules) == 0 {
		return false
	}
	group := e.w.group[:0]
	for i := range list {
		if !list[i].done {
			group = append(group, *list[i].taskChange)
		}
	}
	e.w.group = group
	return len(group) == 0 || e.try(e.part(group, &e.w.slots[list[0].slot]), rules)
}

// alone explains one task, or this task and the new one of its vslot.
func (e *explainer) alone(c *written, rules *ruleSet) bool {
	s := &e.w.slots[c.slot]
	var next *written
	if len(rules.pair) > 0 && s.created > 0 {
		next = e.createdIn(s, c.slot)
	}
	if next != nil && e.try(e.partOf(s, c, next), rules.pair) {
		next.done = true
		return true
	}
	if e.try(e.partOf(s, c), rules.task) {
		return true
	}
	if next != nil {
		return e.fail(c.subject(), e.partOf(s, c, next), slices.Concat(rules.pair, rules.task))
	}
	return e.fail(c.subject(), e.partOf(s, c), slices.Concat(rules.task, rules.slot, rules.service))
}

// partOf returns the part of the tasks of a vslot.
func (e *explainer) partOf(s *slotStep, tasks ...*written) *pair {
	e.w.group = e.w.group[:0]
	for _, c := range tasks {
		e.w.group = append(e.w.group, *c.taskChange)
	}
	return e.part(e.w.group, s)
}

// createdIn returns a created task of the vslot that no rule has explained yet. These tasks
// are neighbours.
func (e *explainer) createdIn(s *slotStep, slot int) *written {
	for i := s.newAt; i < len(e.w.changes) && e.w.changes[i].slot == slot; i++ {
		if c := &e.w.changes[i]; !c.done {
			return c
		}
	}
	return nil
}
