package portallocator

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// What a reader of a report sees of the state.

// shown is the port in a sentence.
func (v *view) shown(p *port) string {
	number := fmt.Sprint(p.published)
	switch p.published {
	case dynamic:
		number = "dynamic"
	case badNumber:
		number = "?"
	}
	return fmt.Sprintf("[%s %s/%s %s]", p.name, v.s.protocolName(p.protocol), number, p.mode)
}

// usedBy says who has the address that is in the way.
func (v *view) usedBy(a address) string {
	u := v.s.uses.get(a)
	switch _, moved := v.over[a]; {
	case moved:
		return fmt.Sprintf("%s is for another endpoint of the step", v.s.text(a))
	case u.owner != nil:
		return fmt.Sprintf("%s is used by endpoint %s", v.s.text(a), u.owner.id)
	case u.ingress > 0:
		return fmt.Sprintf("%s is used by another endpoint", v.s.text(a))
	}
	return fmt.Sprintf("%s is allocated, though no endpoint has it as an ingress port", v.s.text(a))
}

// notApplied says how the logged set differs from Apply(prop).
func (p *pair) notApplied() string {
	return p.differs(p.prop.after, func(yield func(address)) {
		for _, a := range p.prop.marks.keys {
			yield(a)
		}
		for a, u := range p.s.uses.all() {
			if u.allocated {
				yield(a)
			}
		}
	})
}

// differs says how the logged set differs from the one wanted, which has no
// address but some of the given.
func (p *pair) differs(wanted func(address) bool, given func(func(address))) string {
	if p.allocator.bad {
		return "a value outside its type is logged"
	}
	var extra, lacks []address
	for _, a := range p.allocator.set {
		if !wanted(a) {
			extra = append(extra, a)
		}
	}
	given(func(a address) {
		if wanted(a) && !p.allocator.has(a) {
			lacks = append(lacks, a)
		}
	})
	slices.Sort(lacks)
	lacks = slices.Compact(lacks)
	var parts []string
	if len(extra) > 0 {
		parts = append(parts, "logged beyond it: "+p.s.some(extra))
	}
	if len(lacks) > 0 {
		parts = append(parts, "not logged: "+p.s.some(lacks))
	}
	return strings.Join(parts, "; ")
}

// some lists a few addresses.
func (c *constants) some(list []address) string {
	const few = 5
	var names []string
	for _, a := range list[:min(len(list), few)] {
		names = append(names, c.text(a))
	}
	if n := len(list) - few; n > 0 {
		names = append(names, fmt.Sprintf("and %d more", n))
	}
	return strings.Join(names, ", ")
}

// json is the endpoint as a snapshot line would have it. What is outside its
// type stays so.
func (s *state) json(v *value) json.RawMessage {
	fields := map[string]any{}
	for name, l := range map[string]*list{"spec": &v.spec, "ports": &v.ports} {
		if !l.unseen {
			fields[name] = s.portsJSON(l)
		}
	}
	return encode(fields)
}

func (s *state) portsJSON(l *list) any {
	if l.missing {
		return nil
	}
	type entry struct {
		Name      any `json:"name"`
		Protocol  any `json:"protocol"`
		Mode      any `json:"mode"`
		Published any `json:"published_port"`
	}
	entries := []entry{}
	for i := range l.ports {
		p := &l.ports[i]
		e := entry{p.name, s.protocolName(p.protocol), p.mode.String(), p.published}
		if p.badName {
			e.Name = nil
		}
		if p.published == badNumber {
			e.Published = nil
		}
		entries = append(entries, e)
	}
	return entries
}

// allocatedJSON is the allocator as a snapshot line would have it.
func (s *state) allocatedJSON() json.RawMessage {
	if s.badSet && s.size == 0 {
		return encode(map[string]any{"allocated": nil})
	}
	names := []string{}
	for a, u := range s.uses.all() {
		if u.allocated {
			names = append(names, s.text(a))
		}
	}
	slices.Sort(names)
	return encode(map[string]any{"allocated": names})
}

func (c *constants) logJSON(l *logged) json.RawMessage {
	names := []string{}
	for _, a := range l.set {
		names = append(names, c.text(a))
	}
	slices.Sort(names)
	return encode(map[string]any{"allocated": names})
}

func encode(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		panic("portallocator: strings and numbers did not encode: " + err.Error())
	}
	return b
}
