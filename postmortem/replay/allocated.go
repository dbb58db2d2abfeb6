package replay

import (
	"maps"
	"slices"
	"strconv"

	"github.com/tidwall/gjson"

	"tracecheck/internal/kinds"
	"tracecheck/trace"
)

// allocation computes PortAllocator's allocated, once a line has logged it. It then changes
// with the endpoints' ports. The zero value computes nothing.
type allocation struct {
	uses   map[string]int  // ingress ports of live endpoints, by address
	is     map[string]bool // the set
	logged []string        // the last logged value
	stale  bool            // the allocator object is not up to date
	fixed  bool            // the current run of snapshots has logged it
}

const allocatedField = "allocated"

// addresses returns the addresses that a list of ports uses.
func addresses(ports string) (list []string) {
	gjson.Parse(ports).ForEach(func(_, p gjson.Result) bool {
		if p.Get("mode").Str == "ingress" {
			list = append(list, p.Get("protocol").Str+"/"+strconv.FormatInt(p.Get("published_port").Int(), 10))
		}
		return true
	})
	return list
}

// logAllocated reads the set from the allocator. An invalid value ends the computation.
func (s *Stream) logAllocated(o *Object, ev *trace.Event) {
	s.allocation = allocation{fixed: ev.Op == trace.OpSnapshot}
	set := gjson.Parse(o.Get(allocatedField))
	if !set.IsArray() {
		return
	}
	a := allocation{uses: map[string]int{}, is: map[string]bool{}, fixed: s.allocation.fixed}
	for _, e := range set.Array() {
		if e.Type != gjson.String {
			return
		}
		if !a.is[e.Str] {
			a.logged = append(a.logged, e.Str)
		}
		a.is[e.Str] = true
	}
	for _, o := range s.objects {
		if o.Kind == kinds.Endpoint {
			for _, address := range addresses(o.Get("ports")) {
				a.uses[address]++
			}
		}
	}
	s.allocation = a
}

// move changes the ports of an endpoint.
func (a *allocation) move(from, to string) {
	if a.uses == nil {
		return
	}
	for _, address := range addresses(from) {
		if a.uses[address]--; a.uses[address] == 0 {
			delete(a.uses, address)
			a.set(address, false)
		}
	}
	for _, address := range addresses(to) {
		a.uses[address]++
		a.set(address, true)
	}
}

func (a *allocation) set(address string, is bool) {
	if a.fixed || a.is[address] == is {
		return
	}
	if a.stale = true; is {
		a.is[address] = true
	} else {
		delete(a.is, address)
	}
}

// settle writes the set into the allocator.
func (s *Stream) settle() {
	a := &s.allocation
	o := s.objects[key{kind: kinds.Allocator}]
	if !a.stale || o == nil {
		return
	}
	a.stale = false
	kept := slices.DeleteFunc(slices.Clone(a.logged), func(address string) bool { return !a.is[address] })
	come := maps.Clone(a.is)
	for _, address := range kept {
		delete(come, address)
	}
	a.logged = append(kept, slices.Sorted(maps.Keys(come))...)
	value := []byte{'['}
	for i, address := range a.logged {
		if i > 0 {
			value = append(value, ',')
		}
		value = gjson.AppendJSONString(value, address)
	}
	o.set(allocatedField, string(append(value, ']')))
}

// set changes the value of an existing field.
func (o *Object) set(name, value string) {
	for i := range o.Fields {
		if o.Fields[i].Name == name {
			o.Fields[i].Value = value
		}
	}
}

func (a *allocation) clone() allocation {
	c := *a
	c.uses, c.is, c.logged = maps.Clone(a.uses), maps.Clone(a.is), slices.Clone(a.logged)
	return c
}
