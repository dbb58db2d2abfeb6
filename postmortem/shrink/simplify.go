package shrink

import (
	"slices"
	"strconv"

	"tracecheck/internal/kinds"
)

// simplify makes numbers smaller and puts tasks on one node, so that more can be removed. It
// reports whether it has changed anything.
func (j *jury) simplify(d *draft) (*draft, bool) {
	changed := false
	for u := range d.units {
		for l := range d.units[u].lines {
			for f := range d.units[u].lines[l].fields {
				if d.story.keeps(d.units[u].lines[l], &d.units[u].lines[l].fields[f]) {
					continue
				}
				for _, value := range simpler(d, &d.units[u].lines[l].fields[f]) {
					if less := d.withValue(u, l, f, value); j.accepts(less) {
						d, changed = less, true
						break
					}
				}
			}
		}
	}
	return d, changed
}

// simpler returns the values to try instead of the field's.
func simpler(d *draft, f *field) (values []string) {
	if f.envelope {
		return nil
	}
	if f.name == fieldNode.String() {
		for _, u := range d.units {
			for _, l := range u.lines {
				if l.kind != kinds.Node {
					continue
				}
				if id := strconv.Quote(l.id); id != f.value {
					values = []string{id}
				}
				return values // this is the first node
			}
		}
	}
	n, err := strconv.Atoi(f.value)
	for small := 0; err == nil && small < min(n, 3); small++ {
		values = append(values, strconv.Itoa(small))
	}
	return values
}

// withValue returns the draft with another value of a field.
func (d *draft) withValue(u, l, f int, value string) *draft {
	old := d.units[u].lines[l]
	changed := &line{kind: old.kind, op: old.op, id: old.id, hasObject: old.hasObject, stays: old.stays, fields: slices.Clone(old.fields)}
	changed.fields[f].value = value
	lines := slices.Clone(d.units[u].lines)
	lines[l] = changed
	other := &draft{d.meta, slices.Clone(d.units), d.story}
	other.units[u] = d.units[u].of(lines)
	return other
}
