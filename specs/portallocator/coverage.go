package portallocator

import "tracecheck/validators"

// branches are the ways in which AllocationsOK holds.
var branches = validators.Branches[seen]{
	{RuleBranch: branch(`\E e \in Range(endpoints) : \E p \in Range(e.ports) : Addr(p) = addr`), Taken: func(v *seen) bool {
		u := v.s.uses.get(v.a)
		return v.e == nil && u.allocated && u.ingress+u.host > 0
	}},
	{RuleBranch: branch(`Len(e.spec) = Len(e.ports)`), Taken: func(v *seen) bool {
		return v.e != nil && len(v.e.spec.ports) > 0 && len(v.e.spec.ports) == len(v.e.ports.ports)
	}},
	{RuleBranch: branch(`IF spec.mode = ingress /\ spec.published_port = dynamic THEN PortsMostlyEqual(spec, port)`), Taken: func(v *seen) bool {
		return v.some(func(spec, port *port) bool { return spec.wantsNumber() && mostlyEqual(spec, port) })
	}},
	{RuleBranch: branch(`ELSE spec = port`), Taken: func(v *seen) bool {
		return v.some(func(spec, port *port) bool { return !spec.wantsNumber() && *spec == *port })
	}},
	{RuleBranch: branch(`port.mode = ingress /\ Addr(port) \in allocated`), Taken: func(v *seen) bool {
		return v.some(func(_, port *port) bool { return port.mode == ingress && v.s.uses.get(port.addr()).allocated })
	}},
	{RuleBranch: branch(`spec.mode = ingress /\ Addr(port) # Addr(p2)`), Taken: func(v *seen) bool {
		return v.some(func(spec, port *port) bool {
			u := v.s.uses.get(port.addr())
			return spec.mode == ingress && u.ingress+u.host == 1
		})
	}},
	{RuleBranch: branch(`spec.mode = ingress /\ Addr(port) = Addr(p2) /\ p2.mode = host`), Taken: func(v *seen) bool {
		return v.some(func(spec, port *port) bool { return spec.mode == ingress && v.s.uses.get(port.addr()).host > 0 })
	}},
}

func branch(text string) validators.RuleBranch {
	return validators.RuleBranch{Rule: allocationsOK.Name, Branch: text}
}

// some says that f holds of some port with its spec.
func (v *seen) some(f func(spec, port *port) bool) bool {
	return v.e != nil && !v.each(func(spec, port *port) bool { return !f(spec, port) })
}

// Count implements validators.Machine.
func (m *machine) Count(counts []int) {
	add := func(a *action) {
		if at := next.Place(a); at >= 0 { // else it is an allowance
			counts[at]++
		}
	}
	if m.by != nil {
		add(m.by)
	}
	if m.plan != nil {
		for _, a := range m.plan.steps {
			add(a)
		}
	}
	if m.cover == nil {
		return
	}
	addresses := map[address]bool{}
	for i := range m.endpoints {
		c := &m.endpoints[i]
		if c.is {
			branches.Cover(m.seeEndpoint(m.s.endpoints.Get(c.id)), m.cover)
		}
		for _, list := range [...][]port{c.old.ports.ports, c.new.ports.ports} {
			for k := range list {
				addresses[list[k].addr()] = true
			}
		}
	}
	for a := range addresses {
		branches.Cover(m.seeAddress(a), m.cover)
	}
}

// coverClauses counts the clauses that decide on a step of one action.
func (m *machine) coverClauses() {
	if m.cover == nil || m.taken || m.faulty.Has(validators.OfTransition) || m.batched && m.madeAnew() {
		return
	}
	if !m.batched || m.rules.Match(&m.pair) != nil {
		m.rules.Cover(&m.pair, m.cover)
	}
}
