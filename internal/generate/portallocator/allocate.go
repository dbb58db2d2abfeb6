package portallocator

// recoverExistingPorts is RecoverExistingPorts(endpoint, spec).
func recoverExistingPorts(old *endpoint, spec []port) []port {
	recovered := append([]port(nil), spec...)
	for i, s := range spec {
		if s.isDynamic() && !isDuplicate(spec, i) && wasAskedFor(old.spec, s) {
			recovered[i].number = firstLike(old.ports, s, spec)
		}
	}
	return recovered
}

// isDuplicate is duplicate, of spec[i].
func isDuplicate(spec []port, i int) bool {
	for _, p := range spec[:i] {
		if p.isDynamic() && mostlyEqual(p, spec[i]) {
			return true
		}
	}
	return false
}

// wasAskedFor is \E k \in DOMAIN endpoint.spec : endpoint.spec[k] = s.
func wasAskedFor(spec []port, s port) bool {
	for _, p := range spec {
		if p == s {
			return true
		}
	}
	return false
}

// firstLike is the number of the first of olds, dynamic where there is none.
func firstLike(oldPorts []port, s port, spec []port) uint16 {
	for _, p := range oldPorts {
		if mostlyEqual(p, s) && !isForcedAddr(spec, p.addr()) {
			return p.number
		}
	}
	return 0
}

// isForcedAddr is a \in forcedAddr.
func isForcedAddr(spec []port, a address) bool {
	for _, p := range spec {
		if p.isForced() && p.addr() == a {
			return true
		}
	}
	return false
}

// allocate returns the ports of one of the proposals in Allocate(endpoint,
// spec); ok is false where there is none, so that the request is refused.
func (w *Walk) allocate(old *endpoint, specFromUser []port) (ports []port, ok bool) {
	ports = recoverExistingPorts(old, specFromUser)
	for i, p := range ports {
		if !p.isForced() {
			continue
		}
		if w.usedByOthers(old, p.addr()) { // alreadyInUse
			return nil, false
		}
		for _, other := range ports[:i] { // haveForcedDuplicates
			if other.isForced() && other.addr() == p.addr() {
				return nil, false
			}
		}
	}
	for i, p := range ports {
		if p.isDynamic() {
			if ports[i].number = w.free(old, ports, p); ports[i].number == 0 {
				return nil, false
			}
		}
	}
	return ports, true
}

// free is a dynamic number that nothing has, 0 where there is none. It tries
// some by chance before it looks at all of them.
func (w *Walk) free(old *endpoint, ports []port, p port) uint16 {
	size := w.last - w.first + 1
	if w.taken[p.protocol] == size { // what it has itself is all that it may get
		for _, own := range old.ports {
			if !own.host && own.protocol == p.protocol && w.dynamic(own) == 1 && !isForcedAddr(ports, own.addr()) {
				return own.number
			}
		}
		return 0
	}
	start := 0
	for i := range 8 + size {
		if i <= 8 {
			start = w.r.N(size)
		}
		p.number = uint16(w.first + (start+i)%size)
		if !w.usedByOthers(old, p.addr()) && !isForcedAddr(ports, p.addr()) {
			return p.number
		}
	}
	return 0
}

// usedByOthers is a \in addrsForOthers.
func (w *Walk) usedByOthers(old *endpoint, a address) bool {
	e := w.allocated[a]
	return e != nil && e != old
}

// apply is Apply(prop), with endpoints' = [… e |-> [spec, ports]].
func (w *Walk) apply(e *endpoint, spec, ports []port) {
	for _, p := range e.ports {
		if !p.host {
			delete(w.allocated, p.addr())
			w.taken[p.protocol] -= w.dynamic(p)
		}
	}
	e.spec, e.ports = spec, ports
	for _, p := range ports {
		if !p.host {
			w.allocated[p.addr()] = e
			w.taken[p.protocol] += w.dynamic(p)
		}
	}
}

// dynamic is 1 where the port's number is in DynamicPortNumber.
func (w *Walk) dynamic(p port) int {
	if w.first <= int(p.number) && int(p.number) <= w.last {
		return 1
	}
	return 0
}
