package replay

import (
	"maps"
	"slices"
)

// Clone returns a copy that shares nothing with the stream.
func (s *Stream) Clone() *Stream {
	c := *s
	c.places = maps.Clone(s.places)
	for id, h := range c.places {
		of := *h
		c.places[id] = &of
	}
	c.allocation = s.allocation.clone()
	c.objects, c.gone = maps.Clone(s.objects), maps.Clone(s.gone)
	for k, o := range c.objects {
		c.objects[k] = o.clone()
	}
	for id, o := range c.gone {
		c.gone[id] = o.clone()
	}
	return &c
}

func (o *Object) clone() *Object {
	c := *o
	c.Fields = slices.Clone(o.Fields)
	return &c
}
