package swarmkit

import "tracecheck/validators"

// Tasks that a transaction creates and deletes, and whose desired state it
// changes.

func (e *explainer) tasks() bool {
	m, w := e.m, e.w
	if moved := len(m.tasks) - len(w.changes); moved > 0 {
		for i := range m.tasks {
			switch c := &m.tasks[i]; {
			case c.writes() == mixes:
				return e.refuse(c, "a transaction writes one thing of a task: that it is created, deleted, its desired state, or its state")
			case len(w.changes) > 0 && c.writes() == moves:
				return e.refuse(c, "a transaction that changes the state of a task creates and deletes none and changes no desired state")
			}
		}
		return e.moves()
	}
	for from := 0; from < len(w.changes); {
		first := &w.changes[from]
		to := from + 1
		for to < len(w.changes) && w.changes[to].writes == first.writes &&
			w.slots[w.changes[to].slot].of == w.slots[first.slot].of {
			to++
		}
		ok := true
		switch block := w.changes[from:to]; first.writes {
		case marksRemove:
			ok = e.eachGroup(block, markServiceRules, markSlotRules, markRules)
		case marksShutdown:
			ok = e.shutdowns(block)
		case releases:
			ok = e.eachGroup(block, nil, nil, releaseRules)
		case deletes:
			e.each(block, deleteFirstRules)
			ok = e.eachGroup(block, deleteServiceRules, deleteSlotRules, deleteRules)
		case creates:
			ok = e.eachGroup(block, nil, nil, createRules)
		}
		if !ok {
			return false
		}
		from = to
	}
	return true
}

func (e *explainer) refuse(c *taskChange, text string) bool {
	what := c.subject()
	what.what += "; " + text
	e.why = trouble{subject: what}
	if e.told != nil {
		*e.told = append(*e.told, validators.Part{What: what.what, Line: what.line})
	}
	return false
}

// eachGroup explains the block's tasks all together, or else those of each
// vslot, or else each by itself.
func (e *explainer) eachGroup(block []written, service, slot, task relation) bool {
	if e.open(block) == 0 {
		return true
	}
	if service != nil && e.try(e.collect(block), &e.w.slots[block[0].slot], service) {
		return true
	}
	for from := 0; from < len(block); {
		to := from + 1
		for to < len(block) && block[to].slot == block[from].slot {
			to++
		}
		s := &e.w.slots[block[from].slot]
		switch {
		case e.open(block[from:to]) == 0:
		case slot == nil || !e.try(e.collect(block[from:to]), s, slot):
			for i := from; i < to; i++ {
				if block[i].done {
					continue
				}
				one := e.collect(block[i : i+1])
				if !e.try(one, s, task) {
					return e.fail(one, s, concat(task, slot, service))
				}
			}
		}
		from = to
	}
	return true
}

// each explains those of the block's tasks that the rules explain one by one.
func (e *explainer) each(block []written, rules relation) {
	for i := range block {
		c := &block[i]
		c.done = c.done || e.try(e.collect(block[i:i+1]), &e.w.slots[c.slot], rules)
	}
}

func (e *explainer) open(block []written) int {
	n := 0
	for i := range block {
		n += b2i(!block[i].done)
	}
	return n
}

// collect copies the changes side by side.
func (e *explainer) collect(block []written) []taskChange {
	e.w.group = e.w.group[:0]
	for i := range block {
		if !block[i].done {
			e.w.group = append(e.w.group, *block[i].taskChange)
		}
	}
	return e.w.group
}

// shutdowns explains tasks that are to shut down, with the new one of their
// vslot if it is one's replacement.
func (e *explainer) shutdowns(block []written) bool {
	for i := range block {
		c := &block[i]
		s := &e.w.slots[c.slot]
		var next *written
		if s.created > 0 {
			next = e.createdIn(s, c.slot)
		}
		if next != nil && e.try(e.both(c, next), s, restartRules) {
			next.done = true
			continue
		}
		if one := e.collect(block[i : i+1]); !e.try(one, s, shutdownRules) {
			if next != nil {
				return e.fail(e.both(c, next), s, concat(restartRules, shutdownRules))
			}
			return e.fail(one, s, shutdownRules)
		}
	}
	return true
}

func (e *explainer) both(old, created *written) []taskChange {
	e.w.group = append(e.w.group[:0], *old.taskChange, *created.taskChange)
	return e.w.group
}

// createdIn returns a task that is created in the vslot, if no rule has taken it
// yet. They stand side by side.
func (e *explainer) createdIn(s *slotStep, slot int) *written {
	for i := s.newAt; i < len(e.w.changes) && e.w.changes[i].slot == slot; i++ {
		if c := &e.w.changes[i]; !c.done {
			return c
		}
	}
	return nil
}
