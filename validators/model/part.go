package model

import (
	"cmp"
	"math"
	"slices"

	"tracecheck/trace"
	"tracecheck/validators"
)

// A step may have parts that have nothing to do with each other, such as the
// namespaces of a stream of which the module models one. Each is judged alone.

// noPart comes after all parts.
const noPart = math.MaxInt

// What is in place of a step's only part.
const (
	several = -1 - iota
	unset
)

// order sorts the rows that change by their parts.
func (k *Kind[S, R]) order(t *Rows[R]) {
	slices.SortStableFunc(t.touched[:t.whole], func(a, b *Change[R]) int { return cmp.Compare(k.Part(a), k.Part(b)) })
}

// nextPart is the part that comes after the one that the table was narrowed to.
func (k *Kind[S, R]) nextPart(s *S) int {
	t := k.Rows(s)
	if i := t.from + t.changed; i < t.whole {
		return k.Part(t.touched[i])
	}
	return noPart
}

// narrow has what follows see the part alone.
func (k *Kind[S, R]) narrow(s *S, part int) (changed int, from Statuses) {
	t := k.Rows(s)
	t.from, t.changed = t.from+t.changed, 0
	for _, c := range t.touched[t.from:t.whole] {
		if k.Part(c) != part {
			break
		}
		t.changed++
		if k.status != nil {
			from |= 1 << k.status.value(c.Old)
		}
	}
	return t.changed, from
}

// widen has what follows see all of the step, or nothing of it.
func (k *Kind[S, R]) widen(s *S, whole bool) {
	t := k.Rows(s)
	if t.from, t.changed = 0, 0; whole {
		t.changed = t.whole
	}
}

// parts begins a loop over the parts of the step: nextPart goes to each.
func (j *machine[S, P]) parts() {
	if j.of.Enter == nil {
		return
	}
	if j.only >= 0 {
		j.known = j.of.Enter(j.s, j.only)
		return
	}
	if len(j.stated) > 1 {
		slices.SortStableFunc(j.stated, func(a, b stated[S, P]) int { return cmp.Compare(a.part, b.part) })
	}
	j.all, j.claims, j.stated = j.stated, j.stated, j.stated[:0]
	for set := j.uses.step; set != 0; set = set.rest() {
		t := j.of.Tables[set.first()]
		t.widen(j.s, false)
	}
}

// nextPart goes to the next part that changes something or that a claim is of,
// until there is none. A model without parts has one: the step.
func (j *machine[S, P]) nextPart(first bool) bool {
	if j.of.Enter == nil || j.only >= 0 {
		return first
	}
	rest := j.claims[len(j.stated):]
	part := noPart
	for len(rest) > 0 && rest[0].part < 0 { // of a line that says nothing
		rest = rest[1:]
	}
	if len(rest) > 0 {
		part = rest[0].part
	}
	for set := j.uses.step; set != 0; set = set.rest() {
		t := j.of.Tables[set.first()]
		part = min(part, t.nextPart(j.s))
	}
	if j.claims = rest; part == noPart {
		j.whole()
		return false
	}
	n := 0
	for n < len(rest) && rest[n].part == part {
		n++
	}
	j.stated = rest[:n:n]
	j.changed = 0
	for set := j.uses.step; set != 0; set = set.rest() {
		place := set.first()
		t := j.of.Tables[place]
		var n int
		n, j.from[place] = t.narrow(j.s, part)
		j.changed += n
	}
	j.known = j.of.Enter(j.s, part)
	return true
}

// whole goes back to all of the step.
func (j *machine[S, P]) whole() {
	if j.of.Enter != nil && j.only < 0 {
		j.stated = j.all
		for set := j.uses.step; set != 0; set = set.rest() {
			t := j.of.Tables[set.first()]
			t.widen(j.s, true)
		}
	}
}

// restsOnUnseen says, under --attach, that the step changes something of a part
// that rests on what no line has shown, or names an action that may leave it as it is.
func (j *machine[S, P]) restsOnUnseen() (is bool) {
	j.parts()
	mayStutter := func(c stated[S, P]) bool { return c.action != nil && c.action.Stutters != nil }
	for first := true; j.nextPart(first); first = false {
		is = is || !j.known && (!j.stutters() || slices.ContainsFunc(j.stated, mayStutter))
	}
	return is
}

// judgeParts is of the first part that nothing explains, and of the first claim
// that is not met.
func (j *machine[S, P]) judgeParts(step *trace.Step) (found []validators.Finding, err error) {
	j.parts()
	for first := true; j.nextPart(first); first = false {
		more, err := j.judgePart(step)
		if err != nil {
			j.whole()
			return nil, err
		}
		if len(more) > 0 {
			found = addFirst(found, more)
		}
	}
	return found, nil
}

// addFirst adds findings, but of a rule of which there is one only the earlier claim.
func addFirst(found, more []validators.Finding) []validators.Finding {
	for _, f := range more {
		i := slices.IndexFunc(found, func(g validators.Finding) bool { return g.Rule == f.Rule })
		switch {
		case i < 0:
			found = append(found, f)
		case f.Kind == validators.OfClaim && f.Pos.Line < found[i].Pos.Line:
			found[i] = f
		}
	}
	return found
}
