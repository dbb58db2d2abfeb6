package swarmkit

import (
	"tracecheck/trace/codec"
	"tracecheck/validators"
)

// run is what the run of snapshots at hand has shown.
func (p *persister) run() {
	of := p.m.sighted
	if of == nil {
		of = &sighted{}
	}
	codec.Slice(p.Codec, &of.nodes, func(n **node) {
		if p.s.codeNode(p.Codec, n); *n == nil {
			p.Fail("a node without a name was shown")
		}
	})
	codec.Slice(p.Codec, &of.services, p.serviceOf)
	codec.Slice(p.Codec, &of.tasks, p.taskOf)
	codec.Slice(p.Codec, &of.found, func(f *validators.Finding) { f.Code(p.Codec) })
	codec.Slice(p.Codec, &of.suspects, func(s *suspect) {
		codec.String(p.Codec, &s.id)
		s.at.Code(p.Codec)
	})
	if p.Reading() && len(of.nodes)+len(of.services)+len(of.tasks) > 0 {
		p.m.sighted = of
	}
}

// Records that others name, by their ids.

func (p *persister) serviceOf(sv **service) {
	codeRecord(p.Codec, sv, &p.s.services, p.Name, "service", false)
}

func (p *persister) taskOf(t **task) {
	codeRecord(p.Codec, t, &p.s.tasks, func(id *string) { codec.String(p.Codec, id) }, "task", false)
}

// codeNode is for a node that was written before, or none.
func (s *state) codeNode(c *codec.Codec, n **node) { codeRecord(c, n, &s.nodes, c.Name, "node", true) }

// codeRecord is a record by its id. Where it is optional, "" is none.
func codeRecord[R validators.Keyed](c *codec.Codec, r *R, in *validators.Index[R], code func(*string), what string, optional bool) {
	var none R
	id := ""
	if *r != none {
		id = (*r).Key()
	}
	if code(&id); !c.Reading() {
		return
	}
	if *r = in.Get(id); *r == none && !(optional && id == "") {
		c.Fail("%s %q is not known", what, id)
	}
}
