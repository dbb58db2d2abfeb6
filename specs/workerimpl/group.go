package workerimpl

import "slices"

// CreateTask wants all tasks of a service to have one mode. Where a service has
// tasks in slots and global ones, before the step, after it or standing, its
// items are a group: a word of theirs has symbols of the service besides, from
// each of which on it has tasks of one mode only, and gets more.

// group is the items of services with tasks of both modes, or one item that is of
// no such service.
type group struct {
	items     []int
	services  []*service
	unchanged map[*service][2]bool // whether tasks with and without a slot exist that the step does not change
}

// findGroups makes the groups. A task that is recreated for another service
// joins two.
func (b *batch) findGroups() {
	var services []*service
	index := map[*service]int{}
	var slotted, global []int // of each service, the tasks that it has or gets
	var changing [][2]int     // of these, those that it has and the step changes
	at := func(sv *service) int {
		i, ok := index[sv]
		if !ok {
			i = len(services)
			index[sv] = i
			services = append(services, sv)
			slotted, global = append(slotted, sv.slotted), append(global, sv.global)
			changing = append(changing, [2]int{})
		}
		return i
	}
	for i := range b.items {
		it := &b.items[i]
		if !it.moves {
			continue
		}
		if it.hasOld {
			changing[at(it.old.service)][modeOf(&it.old)]++
		}
		if it.hasNew || !it.hasOld {
			if k := at(it.new.service); it.new.isGlobal() {
				global[k]++
			} else {
				slotted[k]++
			}
		}
	}
	mixed := func(sv *service) bool { i := index[sv]; return slotted[i] > 0 && global[i] > 0 }
	of := map[*service]int{} // the group
	all := make([]int, len(b.items))
	b.groups = make([]group, 0, len(b.items))
	for i := range b.items {
		it := &b.items[i]
		all[i] = i
		var both []*service
		if it.moves && it.hasOld && mixed(it.old.service) {
			both = append(both, it.old.service)
		}
		if it.moves && (it.hasNew || !it.hasOld) && mixed(it.new.service) && !slices.Contains(both, it.new.service) {
			both = append(both, it.new.service)
		}
		for _, sv := range both {
			if _, ok := of[sv]; !ok {
				of[sv] = len(b.groups)
				k := index[sv]
				unchanged := [2]bool{sv.slotted > changing[k][0], sv.global > changing[k][1]}
				b.groups = append(b.groups, group{services: []*service{sv}, unchanged: map[*service][2]bool{sv: unchanged}})
			}
		}
		if len(both) == 0 {
			it.group = len(b.groups)
			b.groups = append(b.groups, group{items: all[i : i+1 : i+1]})
			continue
		}
		it.group = of[both[0]]
		b.groups[it.group].items = append(b.groups[it.group].items, i)
		if len(both) == 2 && of[both[1]] != it.group {
			b.join(it.group, of[both[1]], of)
		}
	}
}

// modeOf is 0 of a task in a slot, 1 of a global one.
func modeOf(v *taskValue) int {
	if v.isGlobal() {
		return 1
	}
	return 0
}

// join moves the second group's services and items to the first.
func (b *batch) join(first, second int, of map[*service]int) {
	from := &b.groups[second]
	for _, sv := range from.services {
		of[sv] = first
		b.groups[first].unchanged[sv] = from.unchanged[sv]
	}
	for _, i := range from.items {
		b.items[i].group = first
	}
	to := &b.groups[first]
	to.services = append(to.services, from.services...)
	to.items = append(to.items, from.items...)
	last := len(b.groups) - 1
	if second < last { // which takes its place
		*from = b.groups[last]
		for _, i := range from.items {
			b.items[i].group = second
		}
		for _, sv := range from.services {
			of[sv] = second
		}
	}
	b.groups = b.groups[:last]
}
