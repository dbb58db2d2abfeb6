package trace

import (
	"tracecheck/trace/codec"
)

// Code encodes or decodes the sequencer's state, between two pushes. The caller
// sets OnGap, Recover and Remember.
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

// code encodes or decodes the event by its line.
func (e *Event) code(c *codec.Codec) {
	pos, stream, raw := e.Pos, e.Stream, e.Raw
	pos.Code(c)
	c.Name(&stream)
	codec.String(c, &raw)
	if !c.Reading() || c.Err() != nil {
		return
	}
	var d Decoder // its own arena: the event outlives others
	if err := d.Decode([]byte(raw), pos, e); err != nil {
		c.Fail("%s", err)
	}
	e.Stream = stream // may be the key of a message
}

// Code encodes or decodes the error.
func (e *Error) Code(c *codec.Codec) {
	e.Pos.Code(c)
	codec.String(c, &e.Stream)
	codec.String(c, &e.Reason)
}

// Code encodes or decodes the position.
func (p *Pos) Code(c *codec.Codec) {
	c.Name(&p.File)
	if codec.Int(c, &p.Line); p.Line < 0 {
		c.Fail("there is no line %d", p.Line)
	}
}

// Code encodes or decodes the kind by its name: its number depends on the program's
// other specs.
func (k *Kind) Code(c *codec.Codec) {
	name := ""
	if !c.Reading() {
		name = k.String()
	}
	if codec.String(c, &name); !c.Reading() {
		return
	}
	if *k = ParseKind(name); *k == KindNone && name != "" {
		c.Fail("unknown kind %q", name)
	}
}

// Code encodes or decodes the set.
func (s *KindSet) Code(c *codec.Codec) {
	var list []Kind
	for k := range Kind(MaxKinds) {
		if s.Has(k) {
			list = append(list, k)
		}
	}
	codec.Slice(c, &list, func(k *Kind) { k.Code(c) })
	if c.Reading() {
		*s = 0
		for _, k := range list {
			s.Add(k)
		}
	}
}
