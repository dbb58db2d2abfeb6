package shrink

import "slices"

// story is what made an obligation open: lines that stay, though the obligation
// would be open without some of them. They are found in the trace:
//
//   - the line that opened the obligation;
//   - what asked for the action: the last change of the holder before that, or
//     of a part of it the step that changed the part last;
//   - the changes of the opening line's object, from the last one before the
//     action was asked for;
//   - what came in between: of each kind, the changes of one related object
//     after the action was asked for. The component that owes the action may
//     have read that object before, and tried to write it after.
//
// A change that is older than the deadline is no part of it: what it asked for
// would have been overdue by itself.
type story struct {
	origin int                    // of the unit that opened the obligation; 0: snapshots did
	lines  int                    // how many stay
	fields map[objectKey][]string // that stay, with their values, in all lines of their objects
}

// keeps says that the line's field is of the story.
func (s *story) keeps(l *line, f *field) bool {
	switch {
	case s == nil:
		return false
	case f.envelope:
		return l.stays && f.name == "time"
	}
	return slices.Contains(s.fields[l.object()], f.name)
}

// isWhole says that no line of the story is missing.
func (d *draft) isWhole() bool {
	if d.story == nil {
		return true
	}
	n := 0
	d.each(func(l *line) {
		if l.stays {
			n++
		}
	})
	return n == d.story.lines
}

// tell finds the story of what is owed, nil where nothing is. It is not found
// where the units do not reach back to the line that opened the obligation.
func (c *collector) tell() (*story, bool) {
	owed := c.jury.owed
	if owed == nil {
		return nil, true
	}
	opened := slices.IndexFunc(c.units, func(u *unit) bool {
		return u.last.File == owed.SinceFile && u.last.Line == owed.SinceLine
	})
	if opened < 0 { // nor is it in what is kept at most, where a meta line came since
		return &story{}, !c.fell || c.count <= c.most
	}
	if c.units[opened].isSnapshots() {
		return &story{}, true
	}
	s := &story{origin: c.units[opened].origin, fields: map[objectKey][]string{}}
	for _, ch := range newTeller(c, owed, opened).choose() {
		if ch.line.stays {
			continue
		}
		ch.line.stays = true
		s.lines++
		k := ch.line.object()
		s.fields[k] = append(s.fields[k], ch.fields...)
	}
	return s, true
}

// storyLines are the numbers of the lines that stay, the meta line's being 1.
func (d *draft) storyLines() (numbers []int) {
	n := 1
	d.each(func(l *line) {
		if n++; l.stays {
			numbers = append(numbers, n)
		}
	})
	return numbers
}

// unitOf is the unit of the draft's n-th line, the meta line being the first.
func (d *draft) unitOf(n int) *unit {
	n -= 2
	for _, u := range d.units {
		if n >= 0 && n < len(u.lines) {
			return u
		}
		n -= len(u.lines)
	}
	return nil
}
