package swarmkit

import (
	"tracecheck/specs/internal/swarm"
	"tracecheck/trace"
	"tracecheck/trace/codec"
)

// run is what the current run of snapshots has shown.
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
	of.Code(p.Codec, func(_ trace.Kind, id string) bool { return p.s.tasks.Get(id) != nil })
	if p.Reading() && len(of.nodes)+len(of.services)+len(of.tasks) > 0 {
		p.m.sighted = of
	}
}

// Records that others name, by their ids.

func (p *persister) serviceOf(sv **service) {
	swarm.CodeRecord(p.Codec, sv, p.s.services.Get, p.Name, "service", false)
}

func (p *persister) taskOf(t **task) {
	swarm.CodeRecord(p.Codec, t, p.s.tasks.Get, func(id *string) { codec.String(p.Codec, id) }, "task", false)
}

// codeNode is for a node that was written before, or none.
func (s *state) codeNode(c *codec.Codec, n **node) {
	swarm.CodeRecord(c, n, s.nodes.Get, c.Name, "node", true)
}
