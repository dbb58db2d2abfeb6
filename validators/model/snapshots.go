package model

import (
	"slices"
	"strings"

	"tracecheck/trace"
	"tracecheck/trace/codec"
	"tracecheck/validators"
)

// Shown collects what a run of snapshot lines breaks. A spec with its own storage of objects can use
// it alone.
type Shown struct {
	Found    []validators.Finding // the first value outside its type
	Suspects []Suspect
}

// Suspect is an object that broke a rule when a line showed it. A later line of the run can repair
// this.
type Suspect struct {
	Kind trace.Kind
	ID   string
	At   trace.Pos
}

// Object returns the suspect without its line.
func (s Suspect) Object() Suspect { return Suspect{s.Kind, s.ID, trace.Pos{}} }

// Outside notes the message of a value outside its type. An empty message notes nothing.
func (run *Shown) Outside(rule string, at trace.Pos, what string) {
	if what != "" && len(run.Found) == 0 {
		run.Found = append(run.Found, validators.Finding{Kind: validators.OfType, Rule: rule, Pos: at, Message: what})
	}
}

// Suspect notes an object to judge at the end of the run. live is the number of objects that exist.
func (run *Shown) Suspect(kind trace.Kind, id string, at trace.Pos, live int) {
	run.Suspects = append(validators.Distinct(run.Suspects, live, Suspect.Object), Suspect{kind, strings.Clone(id), at})
}

// Code writes or reads what was collected.
func (run *Shown) Code(c *codec.Codec, isKnown func(trace.Kind, string) bool) {
	codec.Slice(c, &run.Found, func(f *validators.Finding) { f.Code(c) })
	codec.Slice(c, &run.Suspects, func(of *Suspect) {
		of.Kind.Code(c)
		codec.String(c, &of.ID)
		of.At.Code(c)
		if !isKnown(of.Kind, of.ID) {
			c.Fail("object %q of kind %d is not known", of.ID, of.Kind)
		}
	})
}

// Snapshot implements validators.Machine.
func (j *machine[S, P]) Snapshot(ev *trace.Event) {
	if t := j.of.reads(ev.Kind); t != nil {
		j.clear()
		if j.of.Begin != nil {
			j.of.Begin(j.s)
		}
		j.faults = j.faults[:0]
		id, outside := t.snapshot(&j.binder, ev)
		for set := j.uses.step; set != 0; set = set.rest() {
			t := j.of.Tables[set.first()]
			t.sight(j.s)
		}
		j.run.Outside(j.of.Type.Name, ev.Pos, outside)
		j.suspect(t, ev, id)
		for set := j.uses.step; set != 0; set = set.rest() {
			other := j.of.Tables[set.first()]
			if j.of.Late && other.single() && other.kind() != ev.Kind {
				j.run.Suspect(other.kind(), "", ev.Pos, other.live(j.s))
			}
		}
	}
}

// suspect notes the object if it breaks a rule, or may come to break one.
func (j *machine[S, P]) suspect(t Table[S], ev *trace.Event, id string) {
	at := Suspect{ev.Kind, id, ev.Pos}
	if j.of.Late || slices.ContainsFunc(j.of.Rules, func(rule Judged[S]) bool { return len(rule.suspected(j.s, &at, nil)) > 0 }) {
		j.run.Suspect(t.kind(), id, ev.Pos, t.live(j.s))
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
	j.run = Shown{}
	for _, t := range j.of.Tables {
		t.followShown(j.s, j.c.Ledger)
	}
	j.followStream()
	found := run.Found
	if j.of.First {
		slices.Reverse(run.Suspects)
	}
	for _, single := range []bool{false, true} {
		for i := len(run.Suspects) - 1; i >= 0; i-- {
			for k := 0; k < len(j.of.Rules) && j.of.reads(run.Suspects[i].Kind).single() == single; k++ {
				found = j.of.Rules[k].suspected(j.s, &run.Suspects[i], found)
			}
		}
	}
	return found
}
