package workerimpl

import "tracecheck/validators/model"

// CreateTask wants all tasks of a service to have one mode. Where a service has
// tasks in slots and global ones, before the step, after it or standing, its
// items are a group: a word of theirs has symbols of the service besides, from
// each of which on it has tasks of one mode only, and gets more.

// group is the items of services with tasks of both modes, or one item that is of
// no such service.
type group struct {
	items    []int
	services []*service
	modes    []serviceMode // that a service may come to have alone: all of the other change
}

// serviceMode is the tasks of a service with a slot, or its global ones.
type serviceMode struct {
	of     *service
	global bool
}

// findGroups makes the groups.
func (b *batch) findGroups() {
	type tally struct{ all, unchanged [2]int } // by mode: tasks that a service has or gets, and those that the step leaves alone
	tallies := map[*service]*tally{}
	at := func(sv *service) *tally {
		if tallies[sv] == nil {
			tallies[sv] = &tally{sv.tasks, sv.tasks}
		}
		return tallies[sv]
	}
	for i := range b.items {
		it := &b.items[i]
		if it.leaves() {
			at(it.old.service).unchanged[modeOf(&it.old)]--
		}
		if it.comes() {
			at(it.new.service).all[modeOf(&it.new)]++
		}
	}
	of := map[*service]int{} // the group
	all := make([]int, len(b.items))
	b.groups = make([]group, 0, len(b.items))
	for i := range b.items {
		it := &b.items[i]
		all[i], it.group = i, len(b.groups)
		isOfNone := true
		join := func(sv *service) {
			n := tallies[sv]
			if n.all[0] == 0 || n.all[1] == 0 {
				return
			}
			if _, known := of[sv]; !known {
				of[sv] = len(b.groups)
				b.groups = append(b.groups, newGroup(sv, n.unchanged))
			}
			if isOfNone {
				isOfNone, it.group = false, of[sv]
				b.groups[it.group].items = append(b.groups[it.group].items, i)
			} else if of[sv] != it.group {
				b.join(it.group, of[sv], of)
			}
		}
		if it.leaves() {
			join(it.old.service)
		}
		if it.comes() {
			join(it.new.service)
		}
		if isOfNone {
			b.groups = append(b.groups, group{items: all[i : i+1 : i+1]})
		}
	}
}

// leaves says that the service of the item's old task may lose it, and comes that the
// service of the new one gets it.
func (it *item) leaves() bool { return it.moves && it.was }
func (it *item) comes() bool  { return it.moves && (it.is || !it.was) }

func newGroup(sv *service, unchanged [2]int) group {
	g := group{services: []*service{sv}}
	for mode := range 2 {
		if unchanged[1-mode] == 0 {
			g.modes = append(g.modes, serviceMode{sv, mode == 1})
		}
	}
	return g
}

// modeOf is 0 of a task in a slot, 1 of a global one.
func modeOf(v *taskValue) int { return model.BoolInt(v.isGlobal()) }

// join moves the second group's services and items to the first, as a task does that is
// recreated for another service. It stays, without items.
func (b *batch) join(first, second int, of map[*service]int) {
	to, from := &b.groups[first], &b.groups[second]
	for _, sv := range from.services {
		of[sv] = first
	}
	for _, i := range from.items {
		b.items[i].group = first
	}
	to.items = append(to.items, from.items...)
	to.services = append(to.services, from.services...)
	to.modes = append(to.modes, from.modes...)
	from.items, from.modes = nil, nil
}
