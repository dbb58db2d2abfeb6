package portallocator_test

import (
	"maps"
	"slices"
	"strconv"
)

// The oracle is a second reading of PortAllocator.tla, for tests only: sets,
// maps and enumeration, with nothing taken from the checker that it judges.

// oPort is a PortSpec or PortConfig; number 0 is `dynamic'.
type oPort struct {
	name, protocol, mode string
	number               int
}

func (p oPort) addr() string { return p.protocol + "/" + strconv.Itoa(p.number) }

func (p oPort) asks() bool { return p.mode == "ingress" && p.number == 0 }

func (p oPort) sets() bool { return p.mode == "ingress" && p.number != 0 }

// portsMostlyEqual ignores published_port.
func portsMostlyEqual(a, b oPort) bool {
	a.number, b.number = 0, 0
	return a == b
}

type oEndpoint struct{ spec, ports []oPort }

func (e oEndpoint) equal(o oEndpoint) bool {
	return slices.Equal(e.spec, o.spec) && slices.Equal(e.ports, o.ports)
}

// set is a set of addresses, or of anything else that has a name.
type set map[string]bool

func (s set) clone() set { return maps.Clone(s) }

func (s set) minus(o set) set {
	r := set{}
	for a := range s {
		if !o[a] {
			r[a] = true
		}
	}
	return r
}

func (s set) plus(o set) set {
	r := s.clone()
	for a := range o {
		r[a] = true
	}
	return r
}

func (s set) equal(o set) bool { return maps.Equal(s, o) }

func (s set) sorted() []string { return slices.Sorted(maps.Keys(s)) }

type oState struct {
	endpoints map[string]oEndpoint
	allocated set
}

func newOState() oState { return oState{map[string]oEndpoint{}, set{}} }

func (s oState) clone() oState { return oState{maps.Clone(s.endpoints), s.allocated.clone()} }

func (s oState) equal(o oState) bool {
	return s.allocated.equal(o.allocated) && maps.EqualFunc(s.endpoints, o.endpoints, oEndpoint.equal)
}

func (s oState) ids() []string { return slices.Sorted(maps.Keys(s.endpoints)) }

// key is equal for equal states only.
func (s oState) key() string {
	var b []byte
	for _, id := range s.ids() {
		b = append(strconv.AppendQuote(b, id), ':')
		for _, ports := range [][]oPort{s.endpoints[id].spec, s.endpoints[id].ports} {
			for _, p := range ports {
				b = strconv.AppendQuote(b, p.name)
				b = append(b, p.mode+p.addr()...)
			}
			b = append(b, ';')
		}
	}
	for _, a := range s.allocated.sorted() {
		b = append(append(b, a...), ' ')
	}
	return string(b)
}

func ingressAddrs(ports []oPort) set {
	r := set{}
	for _, p := range ports {
		if p.mode == "ingress" {
			r[p.addr()] = true
		}
	}
	return r
}

// oModel has the constants.
type oModel struct {
	protocols   []string
	first, last int // DynamicPortNumber
}

func (m oModel) dynamic(n int) bool { return m.first <= n && n <= m.last }

// recoverExistingPorts is RecoverExistingPorts(endpoint, spec).
func recoverExistingPorts(endpoint oEndpoint, spec []oPort) []oPort {
	forced := set{}
	for _, p := range spec {
		if p.sets() {
			forced[p.addr()] = true
		}
	}
	recovered := slices.Clone(spec)
	for i, s := range spec {
		if !s.asks() {
			continue
		}
		var olds []int
		for j, old := range endpoint.ports {
			if slices.Contains(endpoint.spec, s) && portsMostlyEqual(old, s) && !forced[old.addr()] {
				olds = append(olds, j)
			}
		}
		duplicate := false
		for j := range i {
			duplicate = duplicate || spec[j].asks() && portsMostlyEqual(spec[i], spec[j])
		}
		if len(olds) > 0 && !duplicate {
			recovered[i].number = endpoint.ports[slices.Min(olds)].number
		}
	}
	return recovered
}

type proposal struct {
	deallocate, allocate set
	ports                []oPort
}

func (p proposal) apply(allocated set) set { return allocated.minus(p.deallocate).plus(p.allocate) }

// allocate is Allocate(endpoint, specFromUser), by enumeration.
func (m oModel) allocate(allocated set, endpoint oEndpoint, specFromUser []oPort) []proposal {
	spec := recoverExistingPorts(endpoint, specFromUser)
	deallocate := ingressAddrs(endpoint.ports)
	others := allocated.minus(deallocate)
	for i, p := range spec {
		if !p.sets() {
			continue
		}
		if others[p.addr()] {
			return nil // alreadyInUse
		}
		for j, q := range spec {
			if i != j && q.sets() && p.addr() == q.addr() {
				return nil // haveForcedDuplicates
			}
		}
	}
	var needed []int
	for i, p := range spec {
		if p.asks() {
			needed = append(needed, i)
		}
	}
	var props []proposal
	alloc := slices.Clone(spec)
	var choose func(k int)
	choose = func(k int) {
		if k < len(needed) {
			for n := m.first; n <= m.last; n++ {
				alloc[needed[k]].number = n
				choose(k + 1)
			}
			return
		}
		for _, i := range needed {
			if others[alloc[i].addr()] {
				return
			}
			for j := range alloc {
				if j != i && alloc[j].mode != "host" && alloc[i].addr() == alloc[j].addr() {
					return
				}
			}
		}
		props = append(props, proposal{deallocate, ingressAddrs(alloc), slices.Clone(alloc)})
	}
	choose(0)
	return props
}

// oStep is one way to a next state.
type oStep struct {
	action, id string
	next       oState
}

// actionsOn are the steps of the endpoint id, to the given specs and, where it
// exists, to its removal.
func (m oModel) actionsOn(s oState, id string, specs [][]oPort) []oStep {
	old, exists := s.endpoints[id] // nullEndpoint where it does not
	action := "NewEndpoint"
	if exists {
		action = "UpdateEndpoint"
	}
	var steps []oStep
	for _, spec := range specs {
		for _, prop := range m.allocate(s.allocated, old, spec) {
			next := oState{maps.Clone(s.endpoints), prop.apply(s.allocated)}
			next.endpoints[id] = oEndpoint{spec, prop.ports}
			steps = append(steps, oStep{action, id, next})
		}
	}
	if exists {
		for _, prop := range m.allocate(s.allocated, old, nil) {
			next := oState{maps.Clone(s.endpoints), prop.apply(s.allocated)}
			delete(next.endpoints, id)
			steps = append(steps, oStep{"RemoveEndpoint", id, next})
		}
	}
	return steps
}

// explains lists the actions that lead from one state to the other; where the
// second does not tell what is allocated, whatever that is.
func (m oModel) explains(from, to oState) []oStep {
	var found []oStep
	ids := set{}
	for id := range from.endpoints {
		ids[id] = true
	}
	for id := range to.endpoints {
		ids[id] = true
	}
	for _, id := range ids.sorted() {
		for _, step := range m.actionsOn(from, id, [][]oPort{to.endpoints[id].spec}) {
			if maps.EqualFunc(step.next.endpoints, to.endpoints, oEndpoint.equal) &&
				(to.allocated == nil || step.next.allocated.equal(to.allocated)) {
				found = append(found, step)
			}
		}
	}
	return found
}

// finiteSeq is FiniteSeq(ports, max).
func finiteSeq(ports []oPort, max int) [][]oPort {
	all := [][]oPort{{}}
	for last := all; max > 0; max-- {
		var longer [][]oPort
		for _, seq := range last {
			for _, p := range ports {
				longer = append(longer, append(slices.Clip(seq), p))
			}
		}
		all, last = append(all, longer...), longer
	}
	return all
}

func actionNames(steps []oStep) []string {
	names := set{}
	for _, s := range steps {
		names[s.action] = true
	}
	return names.sorted()
}
