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
func (s *State) odd(e *Endpoint) (odd []held) {
	var before map[similar]bool
	for spec, ports := e.Spec.rest(), e.Ports.rest(); spec != "" && ports != ""; {
		p, is := spec.next(), ports.next()
		if !p.wantsNumber() {
			continue
		}
		if before == nil {
			before = map[similar]bool{}
		}
		if !before[p.similar()] && !s.isDynamic(is.published) {
			odd = append(odd, held{p, is})
		}
		before[p.similar()] = true
	}
	return odd
}

// held is a dynamic port with a static number.
type held struct{ spec, port port }

// recoverable is a value from which the new one can recover its odd ports.
func (s *State) recoverable(e *Endpoint) Endpoint {
	var spec, ports []port
	for _, h := range s.odd(e) {
		spec, ports = append(spec, h.spec), append(ports, h.port)
	}
	return Endpoint{Spec: listOf(spec), Ports: listOf(ports)}
}

// token is a port that an endpoint keeps holding: the k-th of its ports.
type token struct {
	*change
	k      int
	target address
}

func (t *token) at() address { return t.Now.Ports.open(nil)[t.k].addr() }

// portsPerAction is how many ports make an action count for one more in the
// budget: what an action costs follows their number.
const portsPerAction = 16

// try is become at the budget's expense. An endpoint with many odd ports takes many
// actions, each of all its ports.
func (b *batch) try(c *change, spec, ports []port) bool {
	b.Left -= 1 + (c.Now.Ports.len()+len(ports))/portsPerAction
	return b.Left >= 0 && b.become(c, Endpoint{Spec: listOf(spec), Ports: listOf(ports)})
}

// byRecovery empties the endpoints, has them hold their odd ports with the
// right numbers, and brings them to their end.
func (b *batch) byRecovery() bool {
	full := b.exhausted()
	b.remove()
	var tokens []token
	for _, c := range b.remaining() {
		var keep []port
		for _, h := range b.s.odd(&c.New) {
			if full[h.spec.protocol] {
				tokens = append(tokens, token{c, len(keep), h.port.addr()})
				keep = append(keep, h.spec)
			}
		}
		if !b.keep(c, keep) {
			b.stuck = c
			return false
		}
	}
	if !b.place(tokens) {
		return false
	}
	for _, c := range b.remaining() {
		if !b.hold(c, full) {
			b.stuck = c
			return false
		}
	}
	left := b.finish(b.remaining())
	if len(left) > 0 {
		b.stuck = left[0]
	}
	return len(left) == 0
}

// exhausted says of each protocol whether others have all its dynamic numbers.
func (b *batch) exhausted() []bool {
	s := b.s
	used := append([]int32(nil), s.dynamicUsed...)
	seen := map[address]bool{}
	for _, c := range b.items {
		for a := range c.Old.Ports.ingress {
			if !seen[a] && s.valid(a) && s.isDynamic(a.number()) && s.allocated(a) {
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
func (b *batch) keep(c *change, spec []port) bool {
	if len(spec) == 0 {
		b.empty(c)
		return true
	}
	if !c.Exists() {
		return false
	}
	x := &b.s.lone.allocation
	asked := listOf(spec)
	x.begin(b.s, c.Now, asked)
	ports := make([]port, len(spec))
	for i := range spec {
		ports[i] = spec[i].with(x.spec[i])
	}
	return b.become(c, Endpoint{Spec: asked, Ports: listOf(ports)})
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
		free := !b.s.allocated(t.target)
		if twice || !free && !moving[t.target] {
			b.stuck = t.change
			return false
		}
		wanted[t.target] = i
		if free {
			ready = append(ready, i)
		}
	}
	for circle := 0; len(wanted) > 0; {
		var t *token
		var to int32
		if n := len(ready) - 1; n >= 0 {
			t, ready = &tokens[ready[n]], ready[:n]
			to = t.target.number()
			delete(wanted, t.target)
		} else {
			// All that are left go around in circles: one takes a number that no endpoint has. That is
			// not a dynamic one, since others have all of these.
			for i, ok := wanted[tokens[circle].target]; !ok || i != circle; i, ok = wanted[tokens[circle].target] {
				circle++
			}
			t = &tokens[circle]
			to = b.spare(t.target.protocol(), 1, maxPort)
		}
		from := t.at()
		if !b.move(t, to) {
			b.stuck = t.change
			return false
		}
		if i, ok := wanted[from]; ok {
			ready = append(ready, i)
		}
	}
	return true
}

// spare is a number of the protocol, within the bounds, that no endpoint has. Where there is none, it
// is one that no action allocates. It is free again before the next one is asked for.
func (b *batch) spare(protocol uint16, first, last int32) int32 {
	n := max(b.spares[protocol], first)
	for n <= last && b.s.allocated(at(protocol, n)) {
		n++
	}
	if b.spares[protocol] = n; n > last {
		return badNumber
	}
	return n
}

// move gives the token another number, by a similar port before it.
func (b *batch) move(t *token, number int32) bool {
	spec, ports := t.Now.Spec.open(nil), t.Now.Ports.open(nil)
	p := spec[t.k].with(number)
	if !b.try(t.change, append([]port{p}, spec...), append([]port{p}, ports...)) {
		return false
	}
	ports[t.k] = p
	return b.try(t.change, spec, ports)
}

// hold has the endpoint hold its odd ports of protocols that have a dynamic
// number left.
func (b *batch) hold(c *change, full []bool) bool {
	for _, h := range b.s.odd(&c.New) {
		if full[h.spec.protocol] {
			continue
		}
		if !c.Exists() && !b.become(c, Endpoint{Spec: empty, Ports: empty}) {
			return false
		}
		spec, ports := c.Now.Spec.open(nil), c.Now.Ports.open(nil)
		n := len(spec)
		spare := h.spec.with(b.spare(h.spec.protocol, b.s.first, b.s.last))
		if !b.try(c, append(spec[:n:n], h.port, h.spec), append(ports[:n:n], h.port, spare)) ||
			!b.try(c, append(spec[:n:n], h.spec), append(ports[:n:n], h.port)) {
			return false
		}
	}
	return true
}
