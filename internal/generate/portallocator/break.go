package portallocator

import (
	"fmt"
	"slices"

	"tracecheck/internal/generate/walk"
	"tracecheck/internal/kinds"
	"tracecheck/trace"
)

const (
	idempotent = "AllocateIdempotent"
	noActors   = "the module has no actors, and a line's actor is not checked"
)

// Spec is PortAllocator.
var Spec = &walk.Spec{
	Name:  "portallocator",
	Kinds: []trace.Kind{kinds.Endpoint, kinds.Allocator},
	Rules: []walk.Rule{
		{Name: "Next"}, {Name: "TypeOK"}, {Name: "AllocationsOK"}, {Name: idempotent}, {Name: "RejectJustified"},
		{Name: "action"}, {Name: "actor", Cannot: noActors},
	},
	New: New,
}

// Break implements walk.Walk.
func (w *Walk) Break(rule string, s *walk.Step, _ int) (walk.Broken, bool) {
	switch rule {
	case "Next":
		e := walk.NewStray(kinds.Endpoint, "nobody", "")
		s.Delete(nil, e)
		return did("endpoint %s is removed, which is not there", e)
	case "TypeOK":
		const ports = `[{"name":"http","protocol":%s,"mode":"host","published_port":70000}]`
		e := walk.NewStray(kinds.Endpoint, "beyond", `{"spec":`+ports+`,"ports":`+ports+`}`, w.names.protocols[0], w.names.protocols[0])
		s.Snapshot(e)
		return did("a snapshot shows endpoint %s, with port 70000", e)
	case "AllocationsOK":
		const ports = `[{"name":"http","protocol":%s,"mode":"host","published_port":%d}]`
		e := walk.NewStray(kinds.Endpoint, "other", `{"spec":`+ports+`,"ports":`+ports+`}`, w.names.protocols[0], 8080, w.names.protocols[0], 8081)
		s.Snapshot(e)
		return did("a snapshot shows endpoint %s, which has another port than it asks for", e)
	case "RejectJustified":
		r := &request{endpoint{id: w.lastID + 1, names: &w.names}}
		s.Reject(r)
		return did("endpoint %s is refused, which asks for nothing", r)
	case idempotent:
		return w.forget(s)
	}
	return w.misclaim(s)
}

func (w *Walk) misclaim(s *walk.Step) (walk.Broken, bool) {
	if w.endpoints.Len() == 0 {
		return walk.Broken{}, false
	}
	e := w.endpoints.Pick(w.r)
	spec := w.changed(e.spec)
	ports, ok := w.allocate(e, spec)
	if !ok || slices.Equal(spec, e.spec) {
		return walk.Broken{}, false
	}
	w.apply(e, spec, ports)
	s.Update(newEndpoint, e, fieldSpec|fieldPorts)
	s.Lines[0].Insist = true
	return did("endpoint %s is updated, and the line says that it is new", e)
}

func did(format string, o walk.Object) (walk.Broken, bool) {
	return walk.Broken{What: fmt.Sprintf(format, walk.Name(o))}, true
}

// forget makes an endpoint with two similar ports, and then gives the second
// another number.
func (w *Walk) forget(s *walk.Step) (walk.Broken, bool) {
	if w.similar == nil {
		e, spec := w.newEndpoint(), []port{{}, {}}
		ports, ok := w.allocate(e, spec)
		if !ok {
			return walk.Broken{}, false
		}
		w.apply(e, spec, ports)
		w.similar = e
		s.Create(newEndpoint, e)
		return walk.Broken{Further: true}, true
	}
	e := w.similar
	ports := append([]port(nil), e.ports...)
	another, ok := w.allocate(&endpoint{}, []port{{}})
	if !ok {
		return walk.Broken{}, false
	}
	ports[1] = another[0]
	w.apply(e, e.spec, ports)
	s.Update(updateEndpoint, e, fieldPorts)
	return did("endpoint %s keeps its spec, and its second port gets another number", e)
}
