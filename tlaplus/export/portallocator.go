package export

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"tracecheck/internal/kinds"
	"tracecheck/postmortem/replay"
	"tracecheck/trace"
)

var portAllocator = module{
	spec: "portallocator", name: "PortAllocator",
	variables: []string{"allocated", "endpoints"},
	needs:     []string{"allocated", "endpoints"},
	kinds:     []trace.Kind{kinds.Endpoint, kinds.Allocator},
	read: func(_ *reading, s map[string]value) (objects, error) {
		var list objects
		var addresses []string
		for _, a := range s["allocated"].items {
			if parts, ok := a.elements(); ok && len(parts) == 2 {
				addresses = append(addresses, quoted(parts[0].text+"/"+parts[1].text))
			} else {
				addresses = append(addresses, raw(a))
			}
		}
		allocated := "[" + strings.Join(addresses, ",") + "]"
		if s["allocated"].kind != aSet && !s["allocated"].isFunction() {
			allocated = raw(s["allocated"])
		}
		for _, e := range s["endpoints"].entries() {
			o := list.add(kinds.Endpoint, e.key.text)
			for _, name := range []string{"spec", "ports"} {
				ports, _ := e.value.field(name)
				o.set(name, rawPorts(ports))
			}
		}
		list.add(kinds.Allocator, "").set("allocated", allocated)
		return list, nil
	},
	write: func(w *writing) (map[string]value, error) {
		w.allocate()
		endpoints := function()
		for _, o := range w.of(kinds.Endpoint) {
			endpoints.put(str(o.ID), record("spec", portsOf(o.Get("spec")), "ports", portsOf(o.Get("ports"))))
		}
		allocated := set()
		for _, a := range sortedKeys(w.allocated) {
			allocated.items = append(allocated.items, w.allocated[a])
		}
		if w.noSet != nil {
			allocated = *w.noSet
		}
		return map[string]value{"allocated": allocated, "endpoints": endpoints}, nil
	},
	begin:     func(*writing) {},
	constants: portConstants,
	checks: checks{
		invariants: []string{"TypeOK", "AllocationsOK"}, properties: []string{"AllocateIdempotent"},
	},
}

const dynamic = "dynamic"

// rawPorts are ports as a trace has them: what is not a number is dynamic, 0.
func rawPorts(ports value) string {
	list, ok := ports.elements()
	if !ok {
		return raw(ports)
	}
	parts := make([]string, len(list))
	for i, p := range list {
		var fields []string
		for _, e := range p.entries() {
			text := raw(e.value)
			if e.key.text == "published_port" && e.value.kind == aString && e.value.text == dynamic {
				text = "0"
			}
			fields = append(fields, quoted(e.key.text)+":"+text)
		}
		parts[i] = "{" + strings.Join(fields, ",") + "}"
	}
	return "[" + strings.Join(parts, ",") + "]"
}

// portsOf are a trace's ports as the spec has them.
func portsOf(json string) value {
	list := gjson.Parse(json)
	if !list.IsArray() {
		return fromJSON(json)
	}
	ports := sequence()
	list.ForEach(func(_, p gjson.Result) bool {
		published := fromJSON(p.Get("published_port").Raw)
		switch {
		case published.kind == anInteger && published.text == "0":
			published = model(dynamic)
		case published.kind == aString && published.text == dynamic: // outside its type
			published = tuple(published)
		}
		ports.items = append(ports.items, record("mode", fromJSON(p.Get("mode").Raw), "name", fromJSON(p.Get("name").Raw),
			"protocol", fromJSON(p.Get("protocol").Raw), "published_port", published))
		return true
	})
	return ports
}

// addresses are those that the endpoint's ingress ports have.
func addresses(o *replay.Object) (list []string) {
	gjson.Parse(o.Get("ports")).ForEach(func(_, p gjson.Result) bool {
		if p.Get("mode").Str == "ingress" {
			list = append(list, p.Get("protocol").Str+"/"+fromJSON(p.Get("published_port").Raw).text)
		}
		return true
	})
	return list
}

// address is an Address, as a trace writes it, or a pair of strings outside the type.
func address(text string) value {
	cut := strings.LastIndexByte(text, '/')
	if cut < 0 {
		return str(text)
	}
	port, err := number(text[cut+1:])
	if err != nil || port.text != text[cut+1:] {
		port = str(text[cut+1:])
	}
	return tuple(str(text[:cut]), port)
}

// allocate follows the set: what a line logs of it, else what follows from the
// endpoints.
func (w *writing) allocate() {
	before := w.held
	w.held = map[string][]string{}
	for _, o := range w.of(kinds.Endpoint) {
		w.held[o.ID] = addresses(o)
	}
	if w.allocated == nil {
		w.allocated = map[string]value{}
	}
	for _, touched := range w.touched {
		if touched.kind == kinds.Endpoint {
			for _, a := range before[touched.id] {
				delete(w.allocated, a)
			}
		}
	}
	for _, touched := range w.touched {
		for _, a := range w.held[touched.id] {
			if touched.kind == kinds.Endpoint {
				w.allocated[a] = address(a)
			}
		}
	}
	for _, touched := range w.touched {
		o := w.stream.Object(kinds.Allocator, touched.id)
		if touched.kind == kinds.Allocator && touched.has("allocated") && o != nil {
			w.allocated, w.noSet = map[string]value{}, nil
			all := gjson.Parse(o.Get("allocated"))
			if !all.IsArray() { // outside its type
				odd := fromJSON(o.Get("allocated"))
				w.noSet = &odd
				continue
			}
			all.ForEach(func(_, a gjson.Result) bool {
				if a.Type == gjson.String {
					w.allocated[a.Str] = address(a.Str)
				} else {
					w.allocated[a.Raw] = fromJSON(a.Raw)
				}
				return true
			})
		}
	}
}

// The numbers that a port can have.
const (
	leastPort = 1
	mostPort  = 65535
)

// portConstants: of the sets that the constants are, those elements that the
// behaviour has. TLC tries all there are, and whether a step between two of its
// states is one of Next does not depend on others.
func portConstants(c *checking) {
	p := portSets{checking: c, protocols: map[string]bool{}, names: map[string]bool{}, specs: map[string]bool{"<<>>": true}, numbers: map[int]bool{}}
	names := []string{"tcp", "udp", "sctp"}
	if list := gjson.Parse(c.constants["protocols"]); list.IsArray() {
		names = nil
		for _, name := range list.Array() {
			names = append(names, name.Str)
		}
	}
	for _, name := range names {
		p.protocols[tlaString(name)] = true
	}
	ids := map[string]bool{}
	for _, s := range c.states {
		for _, a := range s.vars["allocated"].items {
			if len(a.items) == 2 {
				p.number(a.items[1])
			}
		}
		for _, e := range s.vars["endpoints"].entries() {
			ids[c.tla(e.key)] = true
			spec, _ := e.value.field("spec")
			ports, _ := e.value.field("ports")
			p.take(spec, true)
			p.take(ports, false)
		}
	}
	low, high := 30000, 32767
	if r := gjson.Parse(c.constants["dynamic_ports"]).Array(); len(r) == 2 {
		low, high = int(r[0].Int()), int(r[1].Int())
	}
	var free, fixed []string
	for _, n := range slices.Sorted(maps.Keys(p.numbers)) {
		if n >= low && n <= high {
			free = append(free, strconv.Itoa(n))
		} else {
			fixed = append(fixed, strconv.Itoa(n))
		}
	}
	c.cfg("DynamicPortNumber = {%s}", strings.Join(free, ", "))
	c.cfg("StaticPortNumber = {%s}", strings.Join(fixed, ", "))
	c.cfg("MaxPorts = %d", p.longest)
	c.cfg("%s = %s", dynamic, dynamic)
	c.given("Protocol", sortedKeys(p.protocols))
	c.given("EndpointID", sortedKeys(ids))
	c.given("Name", sortedKeys(p.names))
	c.given("EndpointSpec", sortedKeys(p.specs))
}

// portSets are what a behaviour has of each set.
type portSets struct {
	*checking
	protocols, names, specs map[string]bool
	numbers                 map[int]bool
	longest                 int
}

func (p *portSets) number(v value) {
	if n := whole(v); n >= leastPort && n <= mostPort {
		p.numbers[n] = true
	}
}

// take takes a list of ports; one that is no EndpointSpec is none of the set.
func (p *portSets) take(list value, isSpec bool) {
	ports, ok := list.elements()
	for _, port := range ports {
		mode, _ := port.field("mode")
		protocol, _ := port.field("protocol")
		name, _ := port.field("name")
		number, _ := port.field("published_port")
		if name.kind == aString {
			p.names[p.tla(name)] = true
		}
		p.number(number)
		n := whole(number)
		ok = ok && name.kind == aString && (mode.text == "ingress" || mode.text == "host") && p.protocols[p.tla(protocol)] &&
			(number.kind == aModelValue || n >= leastPort && n <= mostPort)
	}
	if isSpec && ok && len(ports) > 0 {
		p.specs[p.tla(list)] = true
		p.longest = max(p.longest, len(ports))
	}
}
