package portallocator

import (
	"fmt"
	"slices"
	"strings"
)

// What a reader of a report sees of the state.

// what says in words what happens to the endpoint.
func what(s *State, c *change) string {
	switch {
	case !c.Had:
		return fmt.Sprintf("endpoint %s is created with the ports %s", c.ID, s.some(c.New.Ports))
	case !c.Shown:
		return fmt.Sprintf("endpoint %s is removed", c.ID)
	case c.Old.Spec == c.New.Spec:
		return fmt.Sprintf("endpoint %s keeps its spec, and its ports go from %s to %s", c.ID, s.some(c.Old.Ports), s.some(c.New.Ports))
	}
	return fmt.Sprintf("endpoint %s gets the spec %s and the ports %s", c.ID, s.some(c.New.Spec), s.some(c.New.Ports))
}

// some lists a few ports.
func (s *State) some(l list) string {
	if !l.isKnown() {
		return "(unknown)"
	}
	if l == empty {
		return "none"
	}
	return few(l.open(nil), 4, func(p port) string { return s.shown(&p) })
}

// few lists some of what there is.
func few[T any](list []T, most int, show func(T) string) string {
	var parts []string
	for _, x := range list[:min(len(list), most)] {
		parts = append(parts, show(x))
	}
	if n := len(list) - most; n > 0 {
		parts = append(parts, fmt.Sprintf("and %d more", n))
	}
	return strings.Join(parts, ", ")
}

// shown is the port in a sentence.
func (s *State) shown(p *port) string {
	number := fmt.Sprint(p.published)
	switch p.published {
	case dynamic:
		number = "dynamic"
	case badNumber:
		number = "?"
	}
	return fmt.Sprintf("[%s %s/%s %s]", p.name, s.protocolName(p.protocol), number, p.mode)
}

// usedBy says who has the address that is in the way: of several the first by id.
func (s *State) usedBy(a address) string {
	if slices.Contains(s.journal[:s.done], a) {
		return s.text(a) + " is for another endpoint of the step"
	}
	owner := ""
	for r := range s.endpoints.All() {
		if r.Value.Ports.has(a) && (owner == "" || r.ID() < owner) {
			owner = r.ID()
		}
	}
	if owner == "" {
		return s.text(a) + " is allocated, though no endpoint has it as an ingress port"
	}
	return fmt.Sprintf("%s is used by endpoint %s", s.text(a), owner)
}

// inUse yields what is allocated.
func (s *State) inUse(yield func(address)) {
	for a, u := range s.uses {
		if u.allocated {
			yield(a)
		}
	}
}

// differs says how the logged set differs from the one wanted, which has no
// address but some of the given.
func (s *State) differs(wanted func(address) bool, given func(func(address))) string {
	if s.logged.bad {
		return "a value outside its type is logged"
	}
	var extra, lacks []address
	for _, a := range s.logged.set {
		if !wanted(a) && !s.released[a] {
			extra = append(extra, a)
		}
	}
	given(func(a address) {
		if wanted(a) && !s.logged.has(a) {
			lacks = append(lacks, a)
		}
	})
	slices.Sort(lacks)
	var parts []string
	if len(extra) > 0 {
		parts = append(parts, "logged beyond it: "+few(extra, 5, s.text))
	}
	if lacks = slices.Compact(lacks); len(lacks) > 0 {
		parts = append(parts, "not logged: "+few(lacks, 5, s.text))
	}
	return strings.Join(parts, "; ")
}

// mostShown bounds the addresses of allocated that a report lists.
const mostShown = 1000

// allocatedJSON is allocated as a line gives it: as the step logs it, or as it was
// before the step.
func (s *State) allocatedJSON(r *Allocator) any {
	names := []string{}
	add := func(a address) { names = append(names, s.text(a)) }
	if r.logged != nil {
		for _, a := range s.logged.set {
			add(a)
		}
	} else {
		on := Allocator{at: s.done}
		s.arrive(&Allocator{})
		if s.inUse(add); s.badSet && s.size == 0 {
			names = nil
		}
		s.arrive(&on)
	}
	slices.Sort(names)
	if names == nil {
		return nil
	}
	return names
}
