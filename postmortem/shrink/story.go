package shrink

import "slices"

// story has the lines that opened an obligation. They stay, even if the obligation would also
// be open without some of them:
//
//   - the line that opened the obligation;
//   - the change that made the action necessary: the last change of the holder
//     before that line or, for a part of it, the last step that changed the part;
//   - the changes of the opening line's object, from the last one before the
//     action became necessary;
//   - for each kind, the changes of one related object after the action became
//     necessary. The component that owes the action may have read that object
//     before the change, and tried to write it after.
//
// A change that is older than the deadline does not belong to it: its own wait would have been
// overdue.
type story struct {
	origin int                    // the unit that opened the obligation; 0: snapshots did
	lines  int                    // number of lines that stay
	fields map[objectKey][]string // fields that stay, with their values, in all lines of the object
}

// keeps reports whether the line's field belongs to the story.
func (s *story) keeps(l *line, f *field) bool {
	switch {
	case s == nil:
		return false
	case f.envelope:
		return l.stays && f.name == "time"
	}
	return slices.Contains(s.fields[l.object()], f.name)
}

// isWhole reports whether no line of the story is missing.
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

// findStory returns the story of the wait, nil if there is no wait. reaches is false if the
// units do not reach back to the line that opened the obligation.
func (c *collector) findStory() (*story, bool) {
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

// storyLines returns the numbers of the lines that stay. The meta line has the number 1.
func (d *draft) storyLines() (numbers []int) {
	n := 1
	d.each(func(l *line) {
		if n++; l.stays {
			numbers = append(numbers, n)
		}
	})
	return numbers
}

// unitOf returns the unit of the draft's n-th line. The meta line is the first.
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
