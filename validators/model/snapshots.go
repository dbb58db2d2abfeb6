package model

import (
	"slices"
	"strings"

	"tracecheck/trace"
	"tracecheck/validators"
)

// snapshotRun is what a run of snapshot lines has shown.
type snapshotRun struct {
	found    []validators.Finding // of the first value outside its type
	suspects []suspect
}

// suspect is an object that broke a rule when it was shown: a later line may yet
// justify it.
type suspect struct {
	kind trace.Kind
	id   string
	at   trace.Pos
}

// Snapshot implements validators.Machine.
func (j *machine[S, P]) Snapshot(ev *trace.Event) {
	if t := j.of.reads(ev.Kind); t != nil {
		j.clear()
		if j.of.Begin != nil {
			j.of.Begin(j.s)
		}
		j.faults, j.many = j.faults[:0], false
		id, outside := t.snapshot(&j.binder, ev)
		for _, t := range j.of.in(j.uses.step) {
			t.sight(j.s)
		}
		if outside != "" && len(j.run.found) == 0 {
			j.run.found = append(j.run.found, validators.Finding{Kind: validators.OfType, Rule: j.of.Type.Name, Pos: ev.Pos, Message: outside})
		}
		j.suspect(t, ev, id)
		for _, other := range j.of.in(j.uses.step) {
			if j.of.Late && other.single() && other.kind() != ev.Kind {
				j.suspects(other, "", ev)
			}
		}
	}
}

// suspects has the object be judged when the run is over.
func (j *machine[S, P]) suspects(t Table[S], id string, ev *trace.Event) {
	j.run.suspects = validators.Distinct(j.run.suspects, t.live(j.s), func(s suspect) suspect { return suspect{s.kind, s.id, trace.Pos{}} })
	j.run.suspects = append(j.run.suspects, suspect{t.kind(), strings.Clone(id), ev.Pos})
}

// suspect notes the object if it breaks a rule, or may come to break one.
func (j *machine[S, P]) suspect(t Table[S], ev *trace.Event, id string) {
	at := suspect{ev.Kind, id, ev.Pos}
	if j.of.Late || slices.ContainsFunc(j.of.Rules, func(rule Judged[S]) bool { return rule.isBroken(j.s, &at) }) {
		j.suspects(t, id, ev)
	}
}

// snapshot sets what the line shows, and says what of it is outside its type, ""
// if nothing is.
func (k *Kind[S, R]) snapshot(b *binder[S], ev *trace.Event) (id, outside string) {
	s := b.s
	b.line = 0
	c := k.find(b, ev)
	if len(b.faults) > 0 {
		outside = b.faults[0].Text
	}
	if c == nil {
		return ev.ID, outside
	}
	k.clear(c, &k.Snapshot)
	c.Line, c.Shown = 0, true
	if noted := k.merge(s, c, ev); noted|c.bad != 0 {
		outside = ""
		k.schema.Wrong(s, k.named(ev), ev, noted|c.bad, func(text string) {
			if outside == "" {
				outside = text
			}
		})
	}
	if k.Seen != nil {
		k.Seen(s, c)
	}
	k.infer(c)
	k.set(s, c)
	return c.ID, outside
}

// SnapshotsEnd implements validators.Machine.
func (j *machine[S, P]) SnapshotsEnd() []validators.Finding {
	run := j.run
	j.run = snapshotRun{}
	if j.of.End != nil {
		j.of.End(j.s)
	}
	for _, t := range j.of.Tables {
		t.followShown(j.s, j.c.Ledger)
	}
	j.followStream()
	found := run.found
	if j.of.First {
		slices.Reverse(run.suspects)
	}
	for _, single := range []bool{false, true} {
		for i := len(run.suspects) - 1; i >= 0; i-- {
			for k := 0; k < len(j.of.Rules) && j.of.reads(run.suspects[i].kind).single() == single; k++ {
				found = j.of.Rules[k].suspected(j.s, &run.suspects[i], found)
			}
		}
	}
	return found
}
