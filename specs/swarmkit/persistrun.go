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
		if p.nodeOf(n); *n == nil {
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

// Records that others name.

// nodeOf is a node by its name; "" is none.
func (p *persister) nodeOf(n **node) {
	id := ""
	if *n != nil {
		id = (*n).id
	}
	if p.Name(&id); !p.Reading() || id == "" {
		return
	}
	if *n = p.s.nodes.Get(id); *n == nil {
		p.Fail("node %q is not known", id)
	}
}

func (p *persister) serviceOf(sv **service) {
	id := ""
	if *sv != nil {
		id = (*sv).id
	}
	if p.Name(&id); p.Reading() {
		if *sv = p.s.services.Get(id); *sv == nil {
			p.Fail("service %q is not known", id)
		}
	}
}

func (p *persister) taskOf(t **task) {
	id := ""
	if *t != nil {
		id = (*t).id
	}
	if codec.String(p.Codec, &id); p.Reading() {
		if *t = p.s.tasks.Get(id); *t == nil {
			p.Fail("task %q is not known", id)
		}
	}
}
