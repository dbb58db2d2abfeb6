package portallocator

// align brings the ports into the order of their specs, if there is one in which
// each is a port for its spec; of ports that do for one another, into that of the
// old ones. moved says that they stood in another.
func (v *value) align(old *value) (moved bool) {
	spec, ports := v.spec.ports, v.ports.ports
	switch {
	case v.spec.missing || v.ports.missing || len(spec) != len(ports) || v.equal(old):
		return false
	case v.spec.equal(&old.spec) && samePorts(ports, old.ports.ports):
		v.ports.ports = old.ports.ports
		return true
	case isAligned(spec, ports):
		return false
	}
	if aligned := arrange(spec, ports, old); aligned != nil {
		v.ports.ports = aligned
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

func isAligned(spec, ports []port) bool {
	for i := range spec {
		if !ports[i].isFor(&spec[i]) {
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
func samePorts(a, b []port) bool {
	if len(a) != len(b) {
		return false
	}
	n := counts(a)
	for i := range b {
		if n[b[i]]--; n[b[i]] < 0 {
			return false
		}
	}
	return true
}

// arrange gives each spec a port for it, nil where that cannot be. A dynamic one
// gets the number that it had, where that is among them.
func arrange(spec, ports []port, old *value) []port {
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
	for k := range min(len(old.spec.ports), len(old.ports.ports)) {
		if s := &old.spec.ports[k]; s.wantsNumber() {
			had[s.similar()] = append(had[s.similar()], old.ports.ports[k].published)
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
func (m *machine) alignPorts() {
	for i := range m.endpoints {
		c := &m.endpoints[i]
		if !c.is || !c.new.align(&c.old) {
			continue
		}
		if c.was && c.new.spec.equal(&c.old.spec) {
			m.uses.Add(reorderedByLeader, 1)
		} else {
			m.uses.Add(portsReordered, 1)
		}
	}
}
