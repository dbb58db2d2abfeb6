package validators

import (
	"encoding/json"

	"tracecheck/trace/codec"
)

// Code encodes or decodes a finding that is not reported yet.
func (f *Finding) Code(c *codec.Codec) {
	codec.String(c, &f.Kind)
	c.Name(&f.Rule)
	f.Pos.Code(c)
	codec.String(c, &f.Message)
	codec.Slice(c, &f.Nearest, func(n *Near) { n.code(c) })
	codec.Slice(c, &f.Changes, func(x *Change) { x.code(c) })
	codec.Slice(c, &f.Sequence, c.Name)
	f.First.Code(c)
	f.Last.Code(c)
}

func (n *Near) code(c *codec.Codec) {
	c.Name(&n.Action)
	c.Name(&n.Actor)
	codec.Slice(c, &n.Failed, c.Name)
	codec.Slice(c, &n.Values, func(v *string) { codec.String(c, v) })
	codec.Slice(c, &n.Held, c.Name)
	if c.Reading() && n.Failed == nil {
		n.Failed = []string{} // not nil, as from Nearest: JSON distinguishes it from null
	}
}

func (x *Change) code(c *codec.Codec) {
	c.Name(&x.Kind)
	codec.String(c, &x.ID)
	codeRaw(c, &x.Before)
	codeRaw(c, &x.After)
}

// codeRaw encodes or decodes JSON; no JSON is nil.
func codeRaw(c *codec.Codec, raw *json.RawMessage) {
	text := string(*raw)
	codec.String(c, &text)
	switch {
	case !c.Reading() || text == "":
	case !json.Valid([]byte(text)):
		c.Fail("%q is not JSON", text)
	default:
		*raw = json.RawMessage(text)
	}
}

// code encodes or decodes a violation that is not reported yet.
func (v *Violation) code(c *codec.Codec) {
	codec.String(c, &v.ID)
	c.Name(&v.Stream)
	c.Name(&v.Spec)
	codec.String(c, &v.Kind)
	c.Name(&v.Rule)
	for _, file := range []*string{&v.File, &v.FirstFile, &v.LastFile} {
		c.Name(file)
	}
	for _, n := range []*int{&v.Line, &v.FirstLine, &v.LastLine, &v.Total} {
		codec.Int(c, n)
	}
	for _, n := range []**int64{&v.Offset, &v.Seq} {
		is := *n != nil
		if codec.Bool(c, &is); is {
			if c.Reading() {
				*n = new(int64)
			}
			codec.Int(c, *n)
		}
	}
	codec.String(c, &v.Time)
	codec.String(c, &v.Message)
	if codec.Slice(c, &v.Nearest, func(n *Near) { n.code(c) }); v.Nearest == nil {
		v.Nearest = []Near{} // as report sets it
	}
	codec.Slice(c, &v.Changes, func(x *Change) { x.code(c) })
	codec.Slice(c, &v.Events, func(e *Event) {
		c.Name(&e.File)
		codec.Int(c, &e.Line)
		codeRaw(c, &e.Raw)
	})
	codec.Slice(c, &v.Sequence, func(text *string) { codec.String(c, text) })
}
