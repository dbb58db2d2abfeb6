package shrink

import (
	"slices"
	"sort"

	"tracecheck/postmortem/replay"
	"tracecheck/trace"
)

// objects returns the objects that can be removed, with their numbers of lines. Those with the
// most lines come first, so that the remaining ones have few lines.
func (d *draft) objects() ([]objectKey, map[objectKey]int) {
	count, stay := map[objectKey]int{}, map[objectKey]bool{}
	var list []objectKey
	d.each(func(l *line) {
		k := l.object()
		if count[k]++; count[k] == 1 {
			list = append(list, k)
		}
		stay[k] = stay[k] || l.stays
	})
	list = slices.DeleteFunc(list, func(k objectKey) bool { return stay[k] })
	sort.SliceStable(list, func(i, j int) bool { return count[list[i]] > count[list[j]] })
	return list, count
}

// withoutObjects removes all lines of objects.
func (d *draft) withoutObjects() (int, func([]bool) *draft) {
	list, _ := d.objects()
	return len(list), func(keep []bool) *draft {
		out := chosen(list, keep)
		return d.with(func(_ *unit, l *line) bool { return !out[l.object()] })
	}
}

// withoutChanges removes all lines of objects except their snapshots.
func (d *draft) withoutChanges() (int, func([]bool) *draft) {
	list := d.changing()
	return len(list), func(keep []bool) *draft {
		out := chosen(list, keep)
		return d.with(func(_ *unit, l *line) bool { return l.op == trace.OpSnapshot || !out[l.object()] })
	}
}

// withoutPast removes all lines of objects except their snapshots, which then have the final
// state.
func (d *draft) withoutPast() (int, func([]bool) *draft) {
	list := d.changing()
	return len(list), func(keep []bool) *draft {
		out := chosen(list, keep)
		last := map[objectKey]*replay.Stream{}
		for k := range out {
			last[k] = &replay.Stream{Initially: d.meta.initially}
		}
		for _, u := range d.units {
			for _, l := range u.lines {
				if s := last[l.object()]; s != nil {
					s.Apply(l.decoded(u.transaction()))
				}
			}
		}
		less := d.with(func(_ *unit, l *line) bool { return l.op == trace.OpSnapshot || !out[l.object()] })
		for i, u := range less.units {
			less.units[i] = u.of(slices.Clone(u.lines))
			for k, l := range less.units[i].lines {
				if s := last[l.object()]; s != nil && s.Object(l.kind, l.id) != nil {
					less.units[i].lines[k] = beginning(s)[0].lines[0].apart()
				}
			}
		}
		return less
	}
}

// changing returns the removable objects that change after a snapshot, without those of the
// last step, which shows the violation.
func (d *draft) changing() []objectKey {
	list, count := d.objects()
	snapshots := map[objectKey]int{}
	d.each(func(l *line) {
		if l.op == trace.OpSnapshot {
			snapshots[l.object()]++
		}
	})
	for _, l := range d.units[len(d.units)-1].lines {
		snapshots[l.object()] = 0
	}
	return slices.DeleteFunc(list, func(k objectKey) bool { return snapshots[k] != 1 || count[k] == 1 })
}

// chosen returns the objects that are not kept.
func chosen(list []objectKey, keep []bool) map[objectKey]bool {
	out := map[objectKey]bool{}
	for i, k := range list {
		if !keep[i] {
			out[k] = true
		}
	}
	return out
}
