package trace

import (
	"tracecheck/trace/codec"
)

// Code writes down where the sequencer is in its stream, or makes it again,
// between two pushes. OnGap, Recover and Remember are the caller's to set.
func (q *Sequencer) Code(c *codec.Codec) {
	codec.Int(c, &q.Duplicates)
	codec.Int(c, &q.Gaps)
	codec.Int(c, &q.Skipped)
	q.codeAnother(c)
	codec.Int(c, &q.last)
	codec.Bool(c, &q.numbered)
	codec.Bool(c, &q.begun)
	codec.Bool(c, &q.lost)
	codec.Bool(c, &q.lacking)
	codec.Bool(c, &q.snapshots)
	codec.Uint(c, &q.settings)
	q.memory.code(c, q.most())
	held := q.turn != nil
	if codec.Bool(c, &held); held {
		if c.Reading() {
			q.turn = &turn{}
		}
		q.turn.code(c)
	}
	var pending []Event
	if q.open != nil {
		pending = q.open.events
	}
	codec.Slice(c, &pending, func(ev *Event) { ev.code(c) })
	if c.Reading() && len(pending) > 0 {
		q.open = &transaction{events: pending, owned: len(pending)}
	}
}

func (q *Sequencer) codeAnother(c *codec.Codec) {
	is := q.Another != nil
	if codec.Bool(c, &is); !is {
		return
	}
	if c.Reading() {
		q.Another = &Error{}
	}
	q.Another.Code(c)
}

// code writes the event's line, or decodes it again.
func (e *Event) code(c *codec.Codec) {
	pos, stream, raw := e.Pos, e.Stream, e.Raw
	pos.Code(c)
	c.Name(&stream)
	codec.String(c, &raw)
	if !c.Reading() || c.Err() != nil {
		return
	}
	var d Decoder // its own: the event outlives others
	if err := d.Decode([]byte(raw), pos, e); err != nil {
		c.Fail("%s", err)
	}
	e.Stream = stream // perhaps the key of a message
}

// Code writes down the error, or makes it again.
func (e *Error) Code(c *codec.Codec) {
	e.Pos.Code(c)
	codec.String(c, &e.Stream)
	codec.String(c, &e.Reason)
}

// Code writes down the position, or makes it again.
func (p *Pos) Code(c *codec.Codec) {
	c.Name(&p.File)
	if codec.Int(c, &p.Line); p.Line < 0 {
		c.Fail("there is no line %d", p.Line)
	}
}

// Code writes down the kind, or makes it again: one that is not built in by its
// name, since its number depends on what else the program has.
func (k *Kind) Code(c *codec.Codec) {
	n, name, known := min(*k, builtinKinds), "", true
	if codec.Uint(c, &n); n >= builtinKinds {
		if !c.Reading() {
			name = k.String()
		}
		codec.String(c, &name)
		n = ParseKind(name)
		known = n != KindNone
	}
	if !c.Reading() {
		return
	}
	if *k = n; !known {
		c.Fail("the kind %q is not known", name)
	}
}

// Code writes down the set, or makes it again.
func (s *KindSet) Code(c *codec.Codec) {
	builtin := *s & (1<<builtinKinds - 1)
	others := *s &^ builtin
	if others != 0 {
		builtin |= 1 << builtinKinds // they follow
	}
	codec.Uint(c, &builtin)
	if builtin>>builtinKinds == 0 {
		if c.Reading() {
			*s = builtin
		}
		return
	}
	var list []Kind
	for k := builtinKinds; k < MaxKinds; k++ {
		if others.Has(k) {
			list = append(list, k)
		}
	}
	codec.Slice(c, &list, func(k *Kind) { k.Code(c) })
	if c.Reading() {
		*s = builtin & (1<<builtinKinds - 1)
		for _, k := range list {
			s.Add(k)
		}
	}
}
