package model

import (
	"fmt"
	"slices"

	"tracecheck/trace"
	"tracecheck/validators"
)

// nearestShown is how many actions an explanation lists.
const nearestShown = 4

// unexplained is the finding of a step that no action explains.
func (j *machine[S, P]) unexplained(step *trace.Step) validators.Finding {
	line, what := j.subject()
	text := fmt.Sprintf("no %s of %s explains this step: %s", j.of.calls(), j.of.Module, what)
	n, of := j.mainly()
	return validators.Unexplained(step, line, text+validators.Among(n, of, !j.batched), j.nearest(), j.changes())
}

// nearest is the actions that come nearest to what the step shows.
func (j *machine[S, P]) nearest() []validators.Near {
	near := j.law.relation.Nearest(&Try[S, P]{s: j.s}, nearestShown)
	if len(near) == 0 {
		near = j.law.relation.Nearest(&Try[S, P]{s: j.s, any: true}, nearestShown)
	}
	return near
}

// subject is the first object that changes: its line, and what happens to it.
func (j *machine[S, P]) subject() (line int, what string) {
	if i := slices.IndexFunc(j.of.reported, func(t Table[S]) bool { return t.changes(j.s) > 0 }); i >= 0 {
		line, what = j.of.reported[i].subject(j.s)
	}
	return max(line, 0), what
}

// mainly is of how many objects the subject is one. A single object does not
// count where others change.
func (j *machine[S, P]) mainly() (n int, of string) {
	for _, t := range j.of.reported {
		switch changes := t.changes(j.s); {
		case changes == 0:
		case n == 0:
			n, of = changes, t.kind().String()+"s"
		case !t.single():
			n, of = n+changes, "objects"
		}
	}
	return n, of
}

// changes lists what the step changes.
func (j *machine[S, P]) changes() (list []validators.Change) {
	for _, t := range j.of.Tables {
		t.lists(j.s, &list)
	}
	return list
}

// Probe implements validators.Prober with the step as a whole. The step may be the sum of
// several actions: then each object that is not the only one of its kind is probed, too.
func (j *machine[S, P]) Probe(step *trace.Step) (parts []validators.Part) {
	j.bind(step)
	defer j.release()
	if j.taken || j.faults.Has(validators.OfTransition) {
		return nil
	}
	for range j.parts {
		if !j.stutters() {
			parts = append(parts, j.probePart()...)
		}
	}
	return parts
}

func (j *machine[S, P]) probePart() []validators.Part {
	line, what := j.subject()
	n, of := j.mainly()
	what += validators.Among(n, of, false)
	t := Try[S, P]{s: j.s}
	parts := []validators.Part{{What: what, Line: line, Whole: true, Attempts: j.law.relation.Attempts(&t)}}
	if n < 2 || !j.batched {
		return parts
	}
	for _, k := range j.of.Tables {
		k.alone(j.s, func(line int, what string) {
			parts = append(parts, validators.Part{What: what, Line: line, Attempts: j.law.relation.Attempts(&t)})
		})
	}
	return parts
}

// alone has do called for each object that the step changes, as if it were the
// only one of its kind to change.
func (k *Kind[S, R]) alone(s *S, do func(line int, what string)) {
	if k.single() {
		return
	}
	t := k.Rows(s)
	for i := range t.changed {
		k.narrowed(s, t.from+i, func(c *Change[R]) { do(c.Line, k.what(s, c)) })
	}
}

// narrowed has do see the change at the place as if it were the only one of its
// kind.
func (k *Kind[S, R]) narrowed(s *S, place int, do func(*Change[R])) {
	t := k.Rows(s)
	from, n := t.from, t.changed
	t.from, t.changed = place, 1
	do(t.touched[place])
	t.from, t.changed = from, n
}
