package shrink

import (
	"bytes"
	"slices"

	"tracecheck/postmortem/replay"
	"tracecheck/trace"
)

// way makes shorter drafts of a draft. It returns the number of removable parts, and a function
// that makes a draft with some of them.
type way func(d *draft) (parts int, keeping func(keep []bool) *draft)

// reduce removes parts as long as the violation shows. It removes large pieces first, then
// smaller ones, until no single part can be removed.
func (j *jury) reduce(d *draft, by way) *draft {
	n, keeping := by(d)
	keep := slices.Repeat([]bool{true}, n)
	left := n
	for size := max(1, (n+1)/2); left > 0; {
		removed := false
		for from := 0; from < n && j.err == nil; {
			piece := make([]int, 0, size)
			for ; from < n && len(piece) < size; from++ {
				if keep[from] {
					piece = append(piece, from)
				}
			}
			for _, i := range piece {
				keep[i] = false
			}
			if len(piece) > 0 && j.accepts(keeping(keep)) {
				removed, left = true, left-len(piece)
				continue
			}
			for _, i := range piece {
				keep[i] = true
			}
		}
		if j.err != nil || size == 1 && !removed {
			break
		}
		if size > 1 {
			size = (min(size, left) + 1) / 2
		}
	}
	return keeping(keep)
}

// shrink removes everything that can be removed.
func (j *jury) shrink(d *draft) *draft {
	ways := []way{(*draft).withoutObjects, (*draft).withoutUnits, (*draft).withoutChanges, (*draft).withoutPast, (*draft).withoutLines, (*draft).withoutFields}
	if j.lines != nil {
		ways = []way{(*draft).withoutValues, (*draft).withoutLines, (*draft).withoutFields}
	}
	for {
		before := d.size()
		for _, by := range ways {
			d = j.reduce(d, by)
			d = j.fold(d)
		}
		less := d.size() < before
		if !less {
			d, less = j.simplify(d)
		}
		if j.err != nil || !less {
			return d
		}
	}
}

// size returns the number of lines, fields and constants of a draft.
func (d *draft) size() int {
	n := len(d.meta.constants)
	for _, u := range d.units {
		for _, l := range u.lines {
			n += 1 + len(l.fields)
		}
	}
	return n
}

// apart returns the draft with lines that are split into fields.
func (d *draft) apart() *draft {
	plain := &draft{meta: d.meta, story: d.story}
	plain.meta.stream = ""
	for _, u := range d.units {
		lines := make([]*line, len(u.lines))
		for i, l := range u.lines {
			lines[i] = l.apart()
		}
		plain.units = append(plain.units, u.of(lines))
	}
	return plain
}

// withoutSnapshots removes snapshot lines.
func (d *draft) withoutSnapshots() (int, func([]bool) *draft) {
	return d.withoutSome(func(l *line) bool { return l.op == trace.OpSnapshot })
}

// withoutLines removes lines.
func (d *draft) withoutLines() (int, func([]bool) *draft) {
	return d.withoutSome(func(*line) bool { return true })
}

func (d *draft) withoutSome(may func(*line) bool) (int, func([]bool) *draft) {
	place := map[*line]int{}
	d.each(func(l *line) {
		if may(l) && !l.stays {
			place[l] = len(place)
		}
	})
	return len(place), func(keep []bool) *draft {
		return d.with(func(_ *unit, l *line) bool {
			i, is := place[l]
			return !is || keep[i]
		})
	}
}

// withoutUnits removes whole steps and whole runs of snapshots.
func (d *draft) withoutUnits() (int, func([]bool) *draft) {
	place := map[*unit]int{}
	for _, u := range d.units {
		if !slices.ContainsFunc(u.lines, func(l *line) bool { return l.stays }) {
			place[u] = len(place)
		}
	}
	return len(place), func(keep []bool) *draft {
		return d.with(func(u *unit, _ *line) bool {
			i, is := place[u]
			return !is || keep[i]
		})
	}
}

// withoutFields removes fields, times, claims, constants and names of transactions.
func (d *draft) withoutFields() (int, func([]bool) *draft) {
	n := len(d.meta.constants)
	for _, u := range d.units {
		if u.tx != "" {
			n++
		}
	}
	d.each(func(l *line) {
		for i := range l.fields {
			if !d.story.keeps(l, &l.fields[i]) {
				n++
			}
		}
	})
	return n, func(keep []bool) *draft {
		less := &draft{meta: d.meta, story: d.story}
		at := 0
		next := func() bool {
			at++
			return keep[at-1]
		}
		less.meta.constants = nil
		for i := range d.meta.constants {
			if next() {
				less.meta.constants = append(less.meta.constants, d.meta.constants[i])
			}
		}
		for _, u := range d.units {
			lines := make([]*line, len(u.lines))
			for i, l := range u.lines {
				if lines[i] = l; len(l.fields) > 0 {
					lines[i] = l.without(func(f int) bool { return d.story.keeps(l, &l.fields[f]) || next() })
				}
			}
			u = u.of(lines)
			if u.tx != "" && !next() {
				u.tx = ""
			}
			less.units = append(less.units, u)
		}
		return less
	}
}

// fold replaces the first steps by snapshots of the state after them, as many steps as possible.
func (j *jury) fold(d *draft) *draft {
	if d.meta.none {
		return d
	}
	for n := len(d.units) - 1; n > 0 && j.err == nil; n /= 2 {
		for n < len(d.units) {
			folded := d.folded(n)
			if folded.size() >= d.size() || !j.accepts(folded) {
				break
			}
			d = folded
		}
	}
	return d
}

func (d *draft) folded(n int) *draft {
	s := replay.Stream{Initially: d.meta.initially}
	for _, u := range d.units[:n] {
		for _, l := range u.lines {
			s.Apply(l.decoded(u.transaction()))
		}
	}
	begin := (&draft{d.meta, beginning(&s), d.story}).apart()
	begin.units = append(begin.units, d.units[n:]...)
	return begin
}

// beginning returns the stream's state as the beginning of a trace: a run of snapshots, and
// perhaps steps after it.
func beginning(s *replay.Stream) []*unit {
	var out bytes.Buffer
	if err := replay.Write(&out, []*replay.Stream{s}, nil); err != nil {
		panic("shrink: an object does not encode: " + err.Error()) // it was decoded
	}
	var units []*unit
	for raw := range bytes.Lines(out.Bytes()) {
		l := decodedLine(bytes.TrimSuffix(raw, []byte{'\n'}))
		if last := len(units) - 1; last >= 0 && l.op == trace.OpSnapshot {
			units[last].lines = append(units[last].lines, l)
			continue
		}
		units = append(units, &unit{lines: []*line{l}})
	}
	return units
}
