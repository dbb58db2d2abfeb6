package trace

import (
	"tracecheck/trace/codec"
)

// Code writes down where the sequencer is in its stream, or makes it again,
// between two pushes. OnGap and Recover are the caller's to set.
func (q *Sequencer) Code(c *codec.Codec) {
	codec.Int(c, &q.Duplicates)
	codec.Int(c, &q.Gaps)
	codec.Int(c, &q.Skipped)
	codec.Int(c, &q.next)
	codec.Bool(c, &q.numbered)
	codec.Bool(c, &q.lost)
	codec.Bool(c, &q.lacking)
	codec.Bool(c, &q.snapshots)
	codec.Slice(c, &q.pending, func(ev *Event) { ev.code(c) })
	if c.Reading() {
		q.owned = len(q.pending)
	}
}

// code writes the event's line, or decodes it anew.
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

// Code writes down the position, or makes it again.
func (p *Pos) Code(c *codec.Codec) {
	c.Name(&p.File)
	if codec.Int(c, &p.Line); p.Line < 0 {
		c.Fail("there is no line %d", p.Line)
	}
}
