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

// parts has what follows see each part alone that changes something or that a claim is of. A model
// without parts has one: the step.
func (j *machine[S, P]) parts(yield func() bool) {
	if j.of.Enter == nil || j.only >= 0 {
		if j.of.Enter != nil {
			j.known = j.of.Enter(j.s, j.only)
		}
		yield()
		return
	}
	if len(j.stated) > 1 {
		slices.SortStableFunc(j.stated, func(a, b stated[S, P]) int { return cmp.Compare(a.part, b.part) })
	}
	all, rest := j.stated, j.stated
	j.widen(false)
	for more := true; more; {
		for len(rest) > 0 && rest[0].part < 0 { // of a line that says nothing
			rest = rest[1:]
		}
		part, n := noPart, 0
		if len(rest) > 0 {
			part = rest[0].part
		}
		for set := j.uses.step; set != 0; set = set.rest() {
			t := j.of.Tables[set.first()]
			part = min(part, t.nextPart(j.s))
		}
		if part == noPart {
			break
		}
		for n < len(rest) && rest[n].part == part {
			n++
		}
		j.stated, rest = rest[:n:n], rest[n:]
		j.changed = 0
		for set := j.uses.step; set != 0; set = set.rest() {
			place := set.first()
			t := j.of.Tables[place]
			n, j.from[place] = t.narrow(j.s, part)
			j.changed += n
		}
		j.known = j.of.Enter(j.s, part)
		more = yield()
	}
	j.stated = all
	j.widen(true)
}

// widen has what follows see all of the step, or nothing of it.
func (j *machine[S, P]) widen(whole bool) {
	for set := j.uses.step; set != 0; set = set.rest() {
		t := j.of.Tables[set.first()]
		t.widen(j.s, whole)
	}
}

// restsOnUnseen says, under --attach, that the step changes something of a part
// that rests on what no line has shown, or names an action that may leave it as it is.
func (j *machine[S, P]) restsOnUnseen() (is bool) {
	mayStutter := func(c stated[S, P]) bool { return c.action != nil && c.action.Stutters != nil }
	for range j.parts {
		is = is || !j.known && (!j.stutters() || slices.ContainsFunc(j.stated, mayStutter))
	}
	return is
}

// judgeParts is of the first part that nothing explains, and of the first claim
// that is not met.
func (j *machine[S, P]) judgeParts(step *trace.Step) (found []validators.Finding, err error) {
	for range j.parts {
		more, err := j.judgePart(step)
		if err != nil {
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
