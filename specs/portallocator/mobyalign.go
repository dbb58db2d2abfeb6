package portallocator

import "maps"

// align brings the ports into the order of their specs, if there is one in which
// each is a port for its spec; of ports that do for one another, into that of the
// old ones. moved says that they were in another.
func (e *Endpoint) align(s *State, old *Endpoint) (moved bool) {
	if !e.Spec.isKnown() || !e.Ports.isKnown() || e.Spec == old.Spec && e.Ports == old.Ports || isAligned(e.Spec, e.Ports) && e.Spec != old.Spec {
		return false
	}
	spec, ports := e.Spec.open(nil), e.Ports.open(nil)
	switch {
	case len(spec) != len(ports):
		return false
	case e.Spec == old.Spec && samePorts(ports, old.Ports.open(nil)):
		e.Ports = old.Ports
		return true
	case isAligned(e.Spec, e.Ports):
		return false
	}
	if aligned := arrange(spec, ports, old); aligned != nil {
		e.Ports = listOf(aligned)
		return true
	}
	return false
}

// isFor says that the port may be what the allocator gives for the spec.
func (p *port) isFor(spec *port) bool {
	if spec.wantsNumber() {
		return mostlyEqual(spec, p)
	}
	return *p == *spec
}

func isAligned(specs, ports list) bool {
	spec, rest := specs.rest(), ports.rest()
	for spec != "" && rest != "" {
		p, q := rest.next(), spec.next()
		if !p.isFor(&q) {
			return false
		}
	}
	return true
}

func counts(ports []port) map[port]int {
	n := map[port]int{}
	for i := range ports {
		n[ports[i]]++
	}
	return n
}

// samePorts compares as multisets.
func samePorts(a, b []port) bool { return maps.Equal(counts(a), counts(b)) }

// arrange gives each spec a port for it, nil where that cannot be. A dynamic one
// gets the number that it had, where that is among them.
func arrange(spec, ports []port, old *Endpoint) []port {
	left := counts(ports)
	out := make([]port, len(spec))
	take := func(i int, p port) bool {
		if left[p] == 0 {
			return false
		}
		left[p]--
		out[i] = p
		return true
	}
	had := map[similar][]int32{}
	for spec, ports := old.Spec.rest(), old.Ports.rest(); spec != "" && ports != ""; {
		if s, p := spec.next(), ports.next(); s.wantsNumber() {
			had[s.similar()] = append(had[s.similar()], p.published)
		}
	}
	var waiting []int
	for i := range spec {
		s := &spec[i]
		if !s.wantsNumber() {
			if !take(i, *s) {
				return nil
			}
			continue
		}
		numbers := had[s.similar()]
		if len(numbers) == 0 || !take(i, s.with(numbers[0])) {
			waiting = append(waiting, i)
			continue
		}
		had[s.similar()] = numbers[1:]
	}
	rest := map[similar][]port{}
	for _, p := range ports {
		if left[p] > 0 && p.mode == ingress {
			left[p]--
			rest[p.similar()] = append(rest[p.similar()], p)
		}
	}
	for _, i := range waiting {
		similars := rest[spec[i].similar()]
		if len(similars) == 0 {
			return nil
		}
		out[i], rest[spec[i].similar()] = similars[0], similars[1:]
	}
	return out
}

// alignPorts aligns what the step gives, before what differs is found.
func (s *State) alignPorts() {
	if !s.moby {
		return
	}
	for _, c := range s.endpoints.Touched() {
		old := c.Old
		if !c.Had {
			old = &none
		}
		switch {
		case !c.Shown || !c.New.align(s, old):
		case c.Had && c.New.Spec == c.Old.Spec:
			s.moved = append(s.moved, reorderedByLeader)
		default:
			s.moved = append(s.moved, portsReordered)
		}
	}
}
