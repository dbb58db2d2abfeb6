package portallocator

import (
	"encoding/json"
	"slices"

	"tracecheck/internal/generate/walk"
)

// Walk is one behaviour.
type Walk struct {
	walk.Start
	r           *walk.Rand
	objects     int
	first, last int // DynamicPortNumber
	names       names
	endpoints   walk.Set[*endpoint]
	allocated   map[address]*endpoint // with who has the address
	taken       []int                 // how many dynamic numbers, by protocol
	allocator   allocator
	lastID      int64
	grown       bool
	similar     *endpoint // for AllocateIdempotent
}

var (
	newEndpoint    = &walk.Action{Name: "NewEndpoint"}
	updateEndpoint = &walk.Action{Name: "UpdateEndpoint"}
	removeEndpoint = &walk.Action{Name: "RemoveEndpoint"}
)

// New returns a walk.
func New(c walk.Config) walk.Walk {
	w := &Walk{Start: walk.Start{Shown: true}, r: c.Rand, objects: c.Objects, first: 30000, last: 32767, allocated: map[address]*endpoint{}}
	w.names = names{[]string{`"http"`, `"https"`, `"metrics"`, `"admin"`, `"grpc"`}, []string{`"tcp"`, `"udp"`, `"sctp"`}}
	w.allocator.w = w
	var numbers [2]int
	if json.Unmarshal([]byte(c.Constants["dynamic_ports"]), &numbers) == nil {
		w.first, w.last = numbers[0], numbers[1]
	}
	var protocols []string
	if json.Unmarshal([]byte(c.Constants["protocols"]), &protocols) == nil {
		w.names.protocols = nil
		for _, p := range protocols {
			quoted, _ := json.Marshal(p) // a string is JSON
			w.names.protocols = append(w.names.protocols, string(quoted))
		}
	}
	w.taken = make([]int, len(w.names.protocols))
	if c.Snapshot {
		for w.endpoints.Len() < w.objects {
			spec := w.spec()
			none := w.newEndpoint()
			if ports, ok := w.allocate(none, spec); ok {
				w.apply(none, spec, ports)
				w.endpoints.Put(none, true)
				w.Begin(none)
			}
		}
		w.grown = true
	}
	return w
}

func (w *Walk) newEndpoint() *endpoint {
	w.lastID++
	return &endpoint{id: w.lastID, names: &w.names}
}

// Take implements walk.Walk.
func (w *Walk) Take(s *walk.Step, room int) {
	for !w.try(s) {
	}
	if room > 1 && w.endpoints.Len() <= 50 && w.r.Chance(20) && !s.Full && !s.Has(&w.allocator) {
		s.Update(nil, &w.allocator, walk.All)
		s.Full = true // the line reports the end of the step
	}
}

func (w *Walk) try(s *walk.Step) bool {
	n := w.endpoints.Len()
	w.grown = w.grown || n >= w.objects
	arrive := 30 // of 100; as many as go where there are too many
	if n >= w.objects {
		arrive = 10
	}
	switch k := w.r.N(100); {
	case !w.grown || n == 0 || k < arrive:
		return w.request(s, w.newEndpoint(), w.spec(), false)
	case k < arrive+60:
		e := w.endpoints.Pick(w.r)
		return !s.Has(e) && w.request(s, e, w.changed(e.spec), true)
	default:
		e := w.endpoints.Pick(w.r)
		if s.Has(e) {
			// Every endpoint of a few may have been touched already.
			return w.request(s, w.newEndpoint(), w.spec(), false)
		}
		w.apply(e, nil, nil)
		w.endpoints.Put(e, false)
		s.Delete(removeEndpoint, e)
	}
	return true
}

// request asks for the spec, and records what becomes of it.
func (w *Walk) request(s *walk.Step, e *endpoint, spec []port, exists bool) bool {
	ports, ok := w.allocate(e, spec)
	switch {
	case !ok:
		// A refusal is judged by the states before and after its step.
		if len(s.Lines) > 0 {
			return false
		}
		s.Full = true
		s.Reject(&request{endpoint{id: e.id, names: e.names, spec: spec}})
	case exists:
		if slices.Equal(e.spec, spec) { // nothing changes
			if len(s.Lines) > 0 {
				return false
			}
			s.Full = true
		}
		w.apply(e, spec, ports)
		s.Update(updateEndpoint, e, fieldSpec|fieldPorts)
	default:
		w.apply(e, spec, ports)
		w.endpoints.Put(e, true)
		s.Create(newEndpoint, e)
	}
	return true
}

// spec is what a user may ask for.
func (w *Walk) spec() []port {
	var spec []port
	for range w.r.N(4) {
		spec = w.ask(spec)
	}
	return spec
}

// ask adds a port. It asks for no two numbers of the same name: the text knows
// that the second of them would not be kept, and AllocateIdempotent not hold.
func (w *Walk) ask(spec []port) []port {
	p := port{name: uint8(w.r.N(len(w.names.ports))), protocol: uint8(w.r.N(len(w.names.protocols)))}
	switch k := w.r.N(100); {
	case k < 15:
		p.host = true
		if k < 10 {
			p.number = uint16(8000 + w.r.N(20))
		}
	case k < 25: // what others want, too
		p.number = uint16(8000 + w.r.N(20))
	case k < 29:
		if w.endpoints.Len() > 0 { // what another may have
			if taken := w.endpoints.Pick(w.r).ports; len(taken) > 0 {
				p = taken[0]
			}
		}
	case k < 33:
		p.number = uint16(w.first + w.r.N(w.last-w.first+1))
	case k < 55:
		p.number = uint16(1 + w.r.N(65535))
	}
	for _, other := range spec {
		if p.isDynamic() && other.isDynamic() && mostlyEqual(p, other) {
			return spec
		}
	}
	return append(spec, p)
}

// changed is a spec after another.
func (w *Walk) changed(spec []port) []port {
	next := append([]port(nil), spec...)
	if w.r.Chance(50) {
		return next
	}
	if len(next) > 0 && w.r.Chance(500) {
		i := w.r.N(len(next))
		next = append(next[:i], next[i+1:]...)
	}
	if len(next) < 4 {
		next = w.ask(next)
	}
	return next
}
