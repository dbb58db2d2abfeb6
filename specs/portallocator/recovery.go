package portallocator

// A dynamic port with a static number. It takes an endpoint whose spec has the
// port as a dynamic one already ("holds it"), and which gets the number by a
// similar port before it:
//
//	[foo dynamic]             30000   held, with any number
//	[foo 80], [foo dynamic]   80, 30000
//	[foo dynamic]             80      recovered from the first similar port
//
// A port is first held with a dynamic number. Where others leave the protocol
// one, it does for all ports in turn. Where they have them all, only what an
// endpoint holds before the step, and keeps holding, can recover: such ports
// move among the static numbers, with a free one to go around in circles.

// odd lists the ports of the new value that have to recover a static number:
// the first of similar ones; any other cannot.
func (s *state) odd(v *value) []int {
	var odd []int
	var before map[similar]bool
	for i := range v.spec.ports {
		p := &v.spec.ports[i]
		if !p.wantsNumber() {
			continue
		}
		if before == nil {
			before = map[similar]bool{}
		}
		if !before[p.similar()] && !s.isDynamic(v.ports.ports[i].published) {
			odd = append(odd, i)
		}
		before[p.similar()] = true
	}
	return odd
}

// recoverable is a value from which the new one can recover its odd ports.
func (s *state) recoverable(v *value) value {
	var from value
	for _, i := range s.odd(v) {
		from.spec.ports = append(from.spec.ports, v.spec.ports[i])
		from.ports.ports = append(from.ports.ports, v.ports.ports[i])
	}
	return from
}

// token is a port that an endpoint keeps holding: the k-th of its ports.
type token struct {
	*item
	k      int
	target address
}

func (t *token) at() address { return t.now.ports.ports[t.k].addr() }

// portsPerAction is how many ports make an action count for one more in the
// budget: what an action costs follows their number.
const portsPerAction = 16

// try is act at the budget's expense. An endpoint with many odd ports takes many
// actions, each of all its ports.
func (b *batch) try(it *item, to value) bool {
	b.left -= 1 + (len(it.now.ports.ports)+len(to.ports.ports))/portsPerAction
	return b.left >= 0 && b.act(it, updateEndpoint, to)
}

// byRecovery empties the endpoints, has them hold their odd ports with the
// right numbers, and brings them to their end.
func (b *batch) byRecovery() bool {
	b.remove()
	full := b.exhausted()
	var tokens []token
	for i := range b.items {
		it := &b.items[i]
		if !it.is {
			continue
		}
		var keep []port
		for _, k := range b.m.s.odd(&it.new) {
			if p := it.new.spec.ports[k]; full[p.protocol] {
				tokens = append(tokens, token{it, len(keep), it.new.ports.ports[k].addr()})
				keep = append(keep, p)
			}
		}
		if !b.keep(it, keep) {
			b.stuck = it
			return false
		}
	}
	if !b.place(tokens) {
		return false
	}
	for i := range b.items {
		if it := &b.items[i]; it.is && !b.hold(it, full) {
			b.stuck = it
			return false
		}
	}
	left := b.finish(b.all())
	if len(left) > 0 {
		b.stuck = &b.items[left[0]]
	}
	return len(left) == 0
}

// exhausted says of each protocol whether others have all its dynamic numbers.
func (b *batch) exhausted() []bool {
	s := b.m.s
	used := append([]int32(nil), s.dynamicUsed...)
	seen := map[address]bool{}
	for i := range b.items {
		old := b.items[i].old.ports.ports
		for k := range old {
			a := old[k].addr()
			if old[k].mode == ingress && !seen[a] && s.valid(a) && s.isDynamic(a.number()) && s.uses.get(a).allocated {
				seen[a] = true
				used[a.protocol()]--
			}
		}
	}
	full := make([]bool, len(used))
	for p := range used {
		full[p] = int(used[p]) == s.dynamics()
	}
	return full
}

// keep updates the endpoint to no more than the ports that it is to keep
// holding, with whichever numbers these recover.
func (b *batch) keep(it *item, spec []port) bool {
	if len(spec) == 0 {
		b.empty(it)
		return true
	}
	if !it.here {
		return false
	}
	x := &b.p.prop.allocation
	x.begin(&b.p.view, &it.now, spec)
	ports := make([]port, len(spec))
	for i := range spec {
		ports[i] = spec[i].with(x.spec[i])
	}
	return b.act(it, updateEndpoint, valueOf(spec, ports))
}

// place brings the tokens to their targets, those first whose target is free.
func (b *batch) place(tokens []token) bool {
	moving := map[address]bool{} // where they are
	for i := range tokens {
		if t := &tokens[i]; t.at() != t.target {
			moving[t.at()] = true
		}
	}
	wanted := map[address]int{}
	var ready []int
	for i := range tokens {
		t := &tokens[i]
		if t.at() == t.target {
			continue
		}
		_, twice := wanted[t.target]
		free := !b.p.allocated(t.target)
		if twice || !free && !moving[t.target] {
			b.stuck = t.item
			return false
		}
		wanted[t.target] = i
		if free {
			ready = append(ready, i)
		}
	}
	for circle := 0; len(wanted) > 0; {
		var t *token
		var to address
		if n := len(ready) - 1; n >= 0 {
			t, ready = &tokens[ready[n]], ready[:n]
			to = t.target
			delete(wanted, to)
		} else { // all that are left go around in circles: one steps aside
			for i, ok := wanted[tokens[circle].target]; !ok || i != circle; i, ok = wanted[tokens[circle].target] {
				circle++
			}
			t = &tokens[circle]
			to = b.aside(t.target.protocol())
		}
		from := t.at()
		if !b.move(t, to.number()) {
			b.stuck = t.item
			return false
		}
		if i, ok := wanted[from]; ok {
			ready = append(ready, i)
		}
	}
	return true
}

// aside is an address of the protocol that nobody has, and so no dynamic one:
// others have these. Where there is none, it is one that no action allocates.
// One circle is closed before the next one asks, so that its number is free
// again.
func (b *batch) aside(protocol uint16) address {
	n := max(b.spares[protocol], 1)
	for n <= maxPort && b.p.allocated(at(protocol, n)) {
		n++
	}
	b.spares[protocol] = n
	if n > maxPort {
		n = badNumber
	}
	return at(protocol, n)
}

// move gives the token another number, by a similar port before it.
func (b *batch) move(t *token, number int32) bool {
	spec, ports := t.now.spec.ports, t.now.ports.ports
	p := spec[t.k].with(number)
	if !b.try(t.item, valueOf(append([]port{p}, spec...), append([]port{p}, ports...))) {
		return false
	}
	ports = append([]port(nil), ports...)
	ports[t.k] = p
	return b.try(t.item, valueOf(spec, ports))
}

// hold has the endpoint hold its odd ports of protocols that have a dynamic
// number left.
func (b *batch) hold(it *item, full []bool) bool {
	for _, i := range b.m.s.odd(&it.new) {
		dyn, static := it.new.spec.ports[i], it.new.ports.ports[i]
		if full[dyn.protocol] {
			continue
		}
		if !it.here && !b.act(it, newEndpoint, value{}) {
			return false
		}
		spec, ports := it.now.spec.ports, it.now.ports.ports
		n := len(spec)
		both := valueOf(append(spec[:n:n], static, dyn), append(ports[:n:n], static, dyn.with(b.spare(dyn.protocol))))
		if !b.try(it, both) || !b.try(it, valueOf(append(spec[:n:n], dyn), append(ports[:n:n], static))) {
			return false
		}
	}
	return true
}

// spare is a dynamic number of the protocol that nobody has while the step's
// endpoints are emptied.
func (b *batch) spare(protocol uint16) int32 {
	if n, ok := b.spares[protocol]; ok {
		return n
	}
	s := b.m.s
	n := s.first
	for n < s.last && b.p.allocated(at(protocol, n)) {
		n++
	}
	b.spares[protocol] = n
	return n
}

func valueOf(spec, ports []port) value { return value{list{ports: spec}, list{ports: ports}} }
