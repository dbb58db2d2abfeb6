package portallocator

import (
	"slices"
	"strings"

	"tracecheck/trace/codec"
	"tracecheck/validators"
)

// value is an Endpoint. Its lists are never written once they are made.
type value struct {
	spec, ports list
}

// list is an EndpointSpec or a Seq(PortConfig).
type list struct {
	ports   []port
	missing bool // not given, or no array at all
	unseen  bool // of missing: not known yet, rather than outside its type
}

func (l *list) equal(o *list) bool {
	return l.missing == o.missing && l.unseen == o.unseen && slices.Equal(l.ports, o.ports)
}

func (v *value) equal(o *value) bool { return v.spec.equal(&o.spec) && v.ports.equal(&o.ports) }

func (v *value) unseen() bool { return v.spec.unseen || v.ports.unseen }

// unknown is an endpoint of which nothing has been given.
func unknown(unseen bool) value {
	l := list{missing: true, unseen: unseen}
	return value{l, l}
}

// typeOK is v \in Endpoint.
func (v *value) typeOK() bool {
	return v.spec.typeOK((*port).inSpec) && v.ports.typeOK((*port).inConfig)
}

func (l *list) typeOK(typed func(*port) bool) bool {
	return l.unseen || !l.missing && badPort(l.ports, typed) < 0
}

// badPort is the first port outside its type, -1 if there is none.
func badPort(ports []port, typed func(*port) bool) int {
	for i := range ports {
		if !typed(&ports[i]) {
			return i
		}
	}
	return -1
}

// endpoint is a live endpoint.
type endpoint struct {
	value
	id     string
	steady bool // UpdateEndpoint to its own spec may leave it as it is
	codec.Mark
}

// Key implements validators.Keyed.
func (e *endpoint) Key() string { return e.id }

// use is what the state knows of an address.
type use struct {
	owner     *endpoint // one of those with an ingress port there; nil where that is not known
	ingress   int32     // ingress ports of endpoints that have the address
	host      int32     // host ports
	allocated bool      // \in allocated
}

// state is the variables endpoints and allocated, with their indexes.
type state struct {
	*constants
	endpoints validators.Index[*endpoint]
	records   codec.Records[*endpoint] // as written down
	uses      uses

	size        int     // Cardinality(allocated)
	dynamicUsed []int32 // of these, those with a dynamic number, by protocol
	missing     int     // addresses of ingress ports that are not allocated
	extra       int     // allocated addresses of no ingress port
	steady      int     // endpoints that are steady
	badSet      bool    // allocated was last given a value outside its type
	shown       bool    // the stream has had a line of kind allocator
}

func newState(c *constants) *state {
	return &state{
		constants:   c,
		dynamicUsed: make([]int32, len(c.protocols)),
	}
}

// put gives the endpoint of the id a value, which the state keeps.
func (s *state) put(id string, v value, steady bool) *endpoint {
	e := s.endpoints.Get(id)
	if e == nil {
		e = &endpoint{id: strings.Clone(id)}
		s.endpoints.Put(e)
		s.records.Add(e)
	} else {
		s.records.Keep(e)
		s.count(e, -1)
	}
	v.spec.ports, v.ports.ports = own(&e.value, &v)
	e.value, e.steady = v, steady
	s.count(e, +1)
	return e
}

// drop takes the endpoint of the id away.
func (s *state) drop(id string) {
	e := s.endpoints.Get(id)
	s.records.Keep(e)
	s.count(e, -1)
	s.endpoints.Delete(e.id)
}

// count enters an endpoint's ports into the indexes (d = 1) or takes them out
// (d = -1). What is allocated stays as it is.
func (s *state) count(e *endpoint, d int32) {
	if e.steady {
		s.steady += int(d)
	}
	for i := range e.ports.ports {
		p := &e.ports.ports[i]
		a := p.addr()
		u := s.uses.get(a)
		was := u
		switch p.mode {
		case ingress:
			u.ingress += d
			if d > 0 {
				if u.owner != nil {
					s.records.Keep(u.owner)
				}
				u.owner = e
			} else if u.owner == e {
				u.owner = nil
			}
		case host:
			u.host += d
		}
		s.set(a, was, u)
	}
}

// allocate puts the address into allocated, or takes it out.
func (s *state) allocate(a address, allocated bool) {
	was := s.uses.get(a)
	if was.allocated == allocated {
		return
	}
	u := was
	u.allocated = allocated
	s.set(a, was, u)
	d := 1
	if !allocated {
		d = -1
	}
	s.size += d
	if s.valid(a) && s.isDynamic(a.number()) {
		s.dynamicUsed[a.protocol()] += int32(d)
	}
}

func (s *state) set(a address, was, is use) {
	s.uses.set(a, is)
	s.missing += difference(was.ingress > 0 && !was.allocated, is.ingress > 0 && !is.allocated)
	s.extra += difference(was.ingress == 0 && was.allocated, is.ingress == 0 && is.allocated)
}

func difference(was, is bool) int {
	switch {
	case was == is:
		return 0
	case is:
		return 1
	}
	return -1
}

// setAllocated makes allocated what was logged, a sorted list, and returns the
// addresses that come or go. It is not on the path of a conforming step.
func (s *state) setAllocated(logged []address) []address {
	var shifted []address
	for a, u := range s.uses.all() {
		if _, found := slices.BinarySearch(logged, a); u.allocated && !found {
			shifted = append(shifted, a)
		}
	}
	for _, a := range logged {
		if !s.uses.get(a).allocated {
			shifted = append(shifted, a)
		}
	}
	slices.Sort(shifted)
	for _, a := range shifted {
		s.allocate(a, !s.uses.get(a).allocated)
	}
	return shifted
}

// own returns the value's lists as the state's own. A list that stays is
// shared, and so is each name that the old or the new value has at its place:
// the rest is borrowed from a line, and copied.
func own(old, v *value) (spec, ports []port) {
	spec, ports = v.spec.ports, v.ports.ports
	keepSpec, keepPorts := slices.Equal(old.spec.ports, spec), slices.Equal(old.ports.ports, ports)
	need := 0
	if keepSpec {
		spec = old.spec.ports
	} else {
		need = len(spec)
	}
	if keepPorts {
		ports = old.ports.ports
	} else {
		need += len(ports)
	}
	if need == 0 {
		return spec, ports
	}
	room := make([]port, 0, need)
	if !keepSpec {
		room = append(room, spec...)
		spec = room[:len(room):len(room)]
		ownNames(spec, old.spec.ports, old.ports.ports)
	}
	if !keepPorts {
		from := len(room)
		room = append(room, ports...)
		ports = room[from:]
		ownNames(ports, spec, old.ports.ports)
	}
	return spec, ports
}

func ownNames(list, first, second []port) {
	for i := range list {
		p := &list[i]
		switch {
		case i < len(first) && first[i].name == p.name:
			p.name = first[i].name
		case i < len(second) && second[i].name == p.name:
			p.name = second[i].name
		default:
			p.name = strings.Clone(p.name)
		}
	}
}
