package model

import (
	"tracecheck/trace"
	"tracecheck/trace/codec"
	"tracecheck/validators"
)

// Persist implements validators.Machine.
func (j *machine[S, P]) Persist(c *codec.Codec) {
	s, l := j.s, j.c.Ledger
	for _, g := range j.of.Gates {
		l.Gate(c, g.At(s))
	}
	if j.of.Code != nil {
		j.of.Code(s, c)
	}
	for _, t := range j.of.Tables {
		t.code(s, c)
	}
	j.run.Code(c, func(kind trace.Kind, id string) bool { t := j.of.reads(kind); return t != nil && t.has(s, id) })
	for _, t := range j.of.Tables {
		t.codeWaits(s, c, l)
	}
	for i := range j.of.Stream {
		j.waits[i] = l.Held(c, j.waits[i], validators.Want{For: j.of.Stream[i].For, Stage: j.of.Stream[i].stage(s)})
	}
}

// code writes the rows, or makes them again: what is counted follows.
func (k *Kind[S, R]) code(s *S, c *codec.Codec) {
	t := k.Rows(s)
	if k.single() {
		k.codeOne(s, c)
		return
	}
	t.records.Code(c, t.all.ToWrite(c), func(c *codec.Codec, r *Row[R]) {
		var id string
		if !c.Reading() {
			id = r.id
		}
		codec.String(c, &id)
		if c.Reading() {
			if r = k.made(s, c, id); c.Err() != nil {
				return
			}
		}
		k.codeRow(s, c, r)
		switch {
		case !c.Reading():
		case r.implied:
			t.implied++
		default:
			k.tally(s, &r.Value, +1)
		}
	})
	codec.Slice(c, &t.shown, func(at **Row[R]) {
		var id string
		if !c.Reading() {
			id = (*at).id
		}
		if codec.String(c, &id); c.Reading() {
			if *at = t.all.Get(id); *at == nil {
				c.Fail("%s %q is not known", k.Kind, id)
			}
		}
	})
}

// made is the row of the id, to be read.
func (k *Kind[S, R]) made(s *S, c *codec.Codec, id string) *Row[R] {
	t := k.Rows(s)
	r := t.all.Get(id)
	switch {
	case r == nil:
		r = &Row[R]{kind: t.kind, id: id}
		if k.Make != nil {
			r.Value = k.Make(s, id)
		}
		t.all.Put(r)
	case k.Referred != nil && r.implied: // by a row of another kind that was read before
		t.implied--
	default:
		c.Fail("%s %q comes twice", k.Kind, id)
	}
	return r
}

func (k *Kind[S, R]) codeRow(s *S, c *codec.Codec, r *Row[R]) {
	m := Marks{r.bad, r.unseen}
	k.schema.Code(s, c, &r.Value, &m)
	r.bad, r.unseen = m.Bad, m.Unseen
	if k.Referred != nil {
		codec.Bool(c, &r.implied)
	}
}

// codeOne writes the single object, which may not have been shown.
func (k *Kind[S, R]) codeOne(s *S, c *codec.Codec) {
	t := k.Rows(s)
	codec.Bool(c, &t.oneShown)
	is := t.one.Row != nil
	codec.Bool(c, &is)
	r := t.row
	was := r.Value
	if k.codeRow(s, c, r); !c.Reading() || c.Err() != nil {
		return
	}
	if t.one.Row != nil {
		k.tally(s, &was, -1)
	}
	if t.one.Row = nil; is {
		t.one.Row = r
		k.tally(s, &r.Value, +1)
	}
	t.reset()
}

// has says that the object is there.
func (k *Kind[S, R]) has(s *S, id string) bool {
	if k.single() {
		return id == ""
	}
	return k.Rows(s).all.Get(id) != nil
}
