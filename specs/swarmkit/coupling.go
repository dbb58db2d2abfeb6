package swarmkit

// Plans that cannot be merged are made once more. This time moves cost more that
// couple a vslot to others: those whose guards count what exists elsewhere, and
// those that part a task from the others of its node, which are orphaned all at
// once.

// couplingCost is what such a move costs beyond its being one: more than most ways
// around it.
const couplingCost = 12

// fate is what the step's other tasks on a node say of it.
type fate struct {
	doomed bool // some are orphaned
	kept   bool // some are owned by it throughout: none can be orphaned
}

// findFates makes coupling moves cost more in the plans to come.
func (b *batch) findFates() {
	b.fates = map[*node]fate{}
	for _, t := range b.items {
		f := b.fates[t.new.node]
		f.doomed = f.doomed || t.is && t.new.state == Orphaned && !(t.was && t.old.state == Orphaned)
		f.kept = f.kept || t.lasts() && t.old.state.Owned() && t.new.state.Owned()
		b.fates[t.new.node] = f
	}
}

// flaggedMeanwhile: RemoveService has marked the task. Two moves of many vslots
// at once, this one and OrphanTasks, want one order in all of them.
func (t *item) flaggedMeanwhile() bool {
	return t.change != nil && t.change.record.remove && !t.change.old.remove
}

// coupling is what the move costs beyond its being one.
func (b *batch) coupling(mv *move) int {
	if b.fates == nil {
		return 0
	}
	bound := false
	switch mv.action {
	case createSlot, requestRemoval:
		bound = true
	case orphanTasks:
		bound = b.fates[mv.node].kept || mv.item.flaggedMeanwhile()
	case containerExit, shutdownComplete, rejectTask:
		t := mv.item
		bound = !t.lasts() && b.fates[t.now.node].doomed
	}
	return couplingCost * b2i(bound)
}
