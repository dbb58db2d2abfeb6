package validators

import (
	"encoding/json"

	"tracecheck/trace/codec"
)

// Code writes down what a machine has found and not told yet, or makes it again.
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
		n.Failed = []string{} // as Nearest has it, and JSON tells it from null
	}
}

func (x *Change) code(c *codec.Codec) {
	c.Name(&x.Kind)
	codec.String(c, &x.ID)
	for _, side := range []*json.RawMessage{&x.Before, &x.After} {
		text := string(*side)
		if codec.String(c, &text); c.Reading() && text != "" {
			*side = json.RawMessage(text)
		}
	}
}
