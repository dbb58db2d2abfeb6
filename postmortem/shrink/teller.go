package shrink

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"tracecheck/postmortem/replay"
	"tracecheck/trace"
	"tracecheck/validators"
)

// teller finds a story in the units of a collector.
type teller struct {
	units    []*unit
	opened   int // the unit that opened the obligation
	deadline time.Duration
	holder   objectKey // zero: the stream
	part     string    // of the holder
	objects  map[objectKey]*lifetime
	order    []objectKey // by first appearance
}

// lifetime has the changes of an object in the units.
type lifetime struct {
	changes []change
	then    *replay.Object // its state when the obligation opened, or its last one before; nil: it was created later
	gone    bool           // deleted at the end
}

// change is a line that changes a field of format 1.
type change struct {
	unit   int
	line   *line
	fields []string
}

func newTeller(c *collector, owed *validators.Waiting, opened int) *teller {
	t := &teller{units: c.units, opened: opened, deadline: c.jury.opts.Deadline, part: owed.Part, objects: map[objectKey]*lifetime{}}
	t.holder = objectKey{trace.ParseKind(owed.Kind), owed.ID}
	state := c.base.Clone()
	for _, o := range state.Objects() {
		t.life(objectKey{o.Kind, o.ID}).then = copied(o)
	}
	for i, u := range c.units {
		for _, l := range u.lines {
			t.follow(state, i, l)
		}
	}
	return t
}

func (t *teller) life(k objectKey) *lifetime {
	life := t.objects[k]
	if life == nil {
		life = &lifetime{}
		t.objects[k] = life
		t.order = append(t.order, k)
	}
	return life
}

// follow takes the next line.
func (t *teller) follow(state *replay.Stream, unit int, l *line) {
	life := t.life(l.object())
	before := copied(state.Object(l.kind, l.id))
	state.Apply(&l.event)
	after := copied(state.Object(l.kind, l.id))
	life.gone = after == nil
	if after != nil && unit <= t.opened {
		life.then = after
	}
	var fields []string
	switch {
	case l.op == trace.OpSnapshot:
		return
	case after == nil:
	case before == nil:
		before = &replay.Object{}
		fallthrough
	default:
		for _, d := range before.Differences(after) {
			if trace.KnowsField(d.Name) {
				fields = append(fields, d.Name)
			}
		}
		if fields == nil && l.op != trace.OpCreate {
			return
		}
	}
	life.changes = append(life.changes, change{unit, l, fields})
}

func copied(o *replay.Object) *replay.Object {
	if o == nil {
		return nil
	}
	c := *o
	c.Fields = slices.Clone(o.Fields)
	return &c
}

// choose returns the changes of the story.
func (t *teller) choose() []change {
	opening := t.opening()
	subject := opening.line.object()
	story := []change{opening}
	from, before := -1, t.opened // nothing in between
	if requested := t.lastBefore(t.holder, t.opened); requested != nil && t.part == "" && t.holder != subject {
		story = append(story, *requested)
		from, before = requested.unit, requested.unit
	}
	since := before
	if last := t.lastBefore(subject, before); last != nil {
		since = last.unit
		if from < 0 {
			from = since
		}
	}
	for _, ch := range t.life(subject).changes {
		if ch.unit >= since && ch.unit < t.opened {
			story = append(story, ch)
		}
	}
	if from < 0 {
		return story
	}
	if t.part != "" { // the last step that changed a part of it made the action necessary
		for _, k := range t.order {
			for _, ch := range t.life(k).changes {
				if ch.unit == since && t.concern(k, t.holder, t.part) {
					story = append(story, ch)
				}
			}
		}
	}
	for _, kind := range replay.Kinds() {
		story = append(story, t.between(kind, from, subject)...)
	}
	return story
}

// opening returns the line that opened the obligation. It is the last line of the unit about an
// object related to the holder, if there is one.
func (t *teller) opening() change {
	lines := t.units[t.opened].lines
	at := lines[len(lines)-1]
	for i := len(lines) - 1; i >= 0; i-- {
		if k := lines[i].object(); k == t.holder || t.concern(k, t.holder, t.part) {
			at = lines[i]
			break
		}
	}
	for _, ch := range t.life(at.object()).changes {
		if ch.line == at {
			return ch
		}
	}
	return change{unit: t.opened, line: at}
}

// lastBefore returns the object's last change before the unit. It is nil if there is none, or
// if it is older than the deadline when the obligation opens.
func (t *teller) lastBefore(k objectKey, unit int) *change {
	life := t.objects[k]
	if life == nil {
		return nil
	}
	for i := len(life.changes) - 1; i >= 0; i-- {
		ch := &life.changes[i]
		if ch.unit >= unit {
			continue
		}
		then, now := &ch.line.event, &t.units[t.opened].lines[0].event
		if then.Time != "" && now.Time != "" && now.Nanos-then.Nanos > int64(t.deadline) {
			return nil
		}
		return ch
	}
	return nil
}

// between returns the changes of one related object of the kind, after the unit and before the
// one that opened the obligation. It prefers the object that changed last there and never again.
func (t *teller) between(kind trace.Kind, from int, subject objectKey) (best []change) {
	bestStays := false
	for _, k := range t.order {
		life := t.objects[k]
		if k.kind != kind || k == t.holder || k == subject || life.gone ||
			!t.concern(k, t.holder, t.part) && !t.concern(subject, k, "") {
			continue
		}
		var within []change
		stays, beside := true, false
		for _, ch := range life.changes {
			switch {
			case ch.unit == t.opened:
				beside = true
			case ch.unit > t.opened:
				stays = false
			case ch.unit > from:
				within = append(within, ch)
			}
		}
		if within == nil || beside {
			continue
		}
		if last := len(within) - 1; best == nil || stays && !bestStays ||
			stays == bestStays && within[last].unit >= best[len(best)-1].unit {
			best, bestStays = within, stays
		}
	}
	return best
}

// concern reports whether one of the objects names the other, or has its id. With a part of b,
// such as "slot 3", a must belong to this part.
func (t *teller) concern(a, b objectKey, part string) bool {
	if a.id == b.id && a.id != "" {
		return true
	}
	one, other := t.objects[a], t.objects[b]
	if one != nil && one.then != nil && names(one.then, b) {
		words := strings.Fields(part)
		if len(words) < 2 {
			return true
		}
		field, value := words[len(words)-2], words[len(words)-1]
		has := one.then.Get(field)
		return has == "" || has == value || has == strconv.Quote(value)
	}
	return other != nil && other.then != nil && names(other.then, a)
}

// names reports whether a field of the object refers to another one.
func names(o *replay.Object, other objectKey) bool {
	return other.id != "" && o.Get(other.kind.String()) == strconv.Quote(other.id)
}
