// Package portallocator walks PortAllocator.tla: endpoints that ask for ports,
// and the allocator that gives or refuses them.
package portallocator

import (
	"strconv"

	"tracecheck/internal/generate/walk"
	"tracecheck/internal/kinds"
	"tracecheck/trace"
)

// port is a PortSpec or a PortConfig; number 0 is dynamic.
type port struct {
	name, protocol uint8 // indexes
	host           bool
	number         uint16
}

// isDynamic is of the ports that the allocator gives a number.
func (p port) isDynamic() bool { return !p.host && p.number == 0 }

// isForced is of those for which the user chose one.
func (p port) isForced() bool { return !p.host && p.number != 0 }

// mostlyEqual is PortsMostlyEqual.
func mostlyEqual(a, b port) bool {
	a.number, b.number = 0, 0
	return a == b
}

// address is an Address: protocol << 16 | number.
type address uint32

func (p port) addr() address { return address(p.protocol)<<16 | address(p.number) }

// endpoint is an element of endpoints, or a refused request for one.
type endpoint struct {
	walk.Mark
	id    int64
	spec  []port
	ports []port
	names *names
	place int32
}

// Place implements walk.Member.
func (e *endpoint) Place(int) *int32 { return &e.place }

func (e *endpoint) Kind() trace.Kind { return kinds.Endpoint }

func (e *endpoint) AppendID(b []byte) []byte { return strconv.AppendInt(append(b, 'e'), e.id, 10) }

// Fields of an endpoint.
const (
	fieldSpec walk.Fields = 1 << iota
	fieldPorts
)

func (e *endpoint) AppendFields(b []byte, f walk.Fields) []byte {
	b = append(b, '{')
	if f&fieldSpec != 0 {
		b = e.names.appendPorts(append(b, `"spec":`...), e.spec)
	}
	if f&fieldPorts != 0 {
		if f&fieldSpec != 0 {
			b = append(b, ',')
		}
		b = e.names.appendPorts(append(b, `"ports":`...), e.ports)
	}
	return append(b, '}')
}

// request is what a reject line is about.
type request struct{ endpoint }

func (r *request) AppendFields(b []byte, _ walk.Fields) []byte {
	return r.endpoint.AppendFields(b, fieldSpec)
}

// names are what ports and protocols are called, as JSON strings.
type names struct{ ports, protocols []string }

func (n *names) appendPorts(b []byte, ports []port) []byte {
	b = append(b, '[')
	for i, p := range ports {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(append(b, `{"name":`...), n.ports[p.name]...)
		b = append(append(b, `,"protocol":`...), n.protocols[p.protocol]...)
		if p.host {
			b = append(b, `,"mode":"host","published_port":`...)
		} else {
			b = append(b, `,"mode":"ingress","published_port":`...)
		}
		b = append(strconv.AppendUint(b, uint64(p.number), 10), '}')
	}
	return append(b, ']')
}

// allocator is the variable allocated.
type allocator struct {
	walk.Mark
	w *Walk
}

func (a *allocator) Kind() trace.Kind { return kinds.Allocator }

func (a *allocator) AppendID(b []byte) []byte { return b }

func (a *allocator) AppendFields(b []byte, _ walk.Fields) []byte {
	b = append(b, `{"allocated":[`...)
	first := true
	for i := range a.w.endpoints.Len() {
		for _, p := range a.w.endpoints.At(i).ports {
			if p.host {
				continue
			}
			if !first {
				b = append(b, ',')
			}
			first = false
			name := a.w.names.protocols[p.protocol]
			b = append(append(b, name[:len(name)-1]...), '/')
			b = append(strconv.AppendUint(b, uint64(p.number), 10), '"')
		}
	}
	return append(b, "]}"...)
}
