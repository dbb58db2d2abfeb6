package portallocator

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"tracecheck/trace"
)

// parsePorts reads an array of ports, appending to room. Its strings borrow the
// line's bytes.
func (c *constants) parsePorts(v trace.Value, room []port) (list, []port) {
	if !isArray(v) {
		return list{missing: true}, room
	}
	from := len(room)
	v.Rows(func(row int, key string, value trace.Value) {
		if from+row == len(room) {
			room = append(room, port{badName: true, protocol: badProtocol, published: badNumber})
		}
		c.parseField(&room[from+row], key, value)
	})
	return list{ports: room[from:len(room):len(room)]}, room
}

func isArray(v trace.Value) bool { return v.Type == trace.Other && strings.HasPrefix(v.Str, "[") }

// parseField reads one field of a port. Those that it lacks are outside their
// types.
func (c *constants) parseField(p *port, key string, value trace.Value) {
	isString := value.Type == trace.String
	switch key {
	case "name":
		if p.name, p.badName = "", !isString; isString {
			p.name = value.Str
		}
	case "protocol":
		if p.protocol = badProtocol; isString {
			p.protocol = c.protocol(value.Str)
		}
	case "mode":
		switch p.mode = noMode; {
		case isString && value.Str == "ingress":
			p.mode = ingress
		case isString && value.Str == "host":
			p.mode = host
		}
	case "published_port":
		p.published = portNumber(value)
	}
}

func portNumber(v trace.Value) int32 {
	if v.Type != trace.Int || v.Int < 0 || v.Int > math.MaxInt32 {
		return badNumber
	}
	return int32(v.Int)
}

// parseAllocated reads a set of addresses, appending to set, and reports
// whether all are in Address.
func (c *constants) parseAllocated(v trace.Value, set []address) ([]address, bool) {
	if !isArray(v) {
		return set, false
	}
	ok := true
	for _, entry := range v.Each {
		a := c.parseAddress(entry)
		ok = ok && c.valid(a)
		set = append(set, a)
	}
	slices.Sort(set)
	return slices.Compact(set), ok
}

func (c *constants) parseAddress(v trace.Value) address {
	cut := strings.LastIndexByte(v.Str, '/')
	if v.Type != trace.String || cut < 0 {
		return at(badProtocol, badNumber)
	}
	number, text := badNumber, v.Str[cut+1:]
	if n, err := strconv.ParseUint(text, 10, 31); err == nil && (text[0] != '0' || text == "0") {
		number = int32(n)
	}
	return at(c.protocol(v.Str[:cut]), number)
}

// typeError says what in the field is outside its type.
func (c *constants) typeError(ev *trace.Event, name trace.FieldName, l *list) string {
	typ, typed := "EndpointSpec", (*port).inSpec
	if name == trace.FieldPorts {
		typ, typed = "Seq(PortConfig)", (*port).inConfig
	}
	i := badPort(l.ports, typed)
	if l.missing || i < 0 {
		return fmt.Sprintf("endpoint %s: %s %s is not in %s (an array of ports)", ev.ID, name, ev.Fields.Get(name), typ)
	}
	entry := "?"
	if array := gjson.Parse(ev.Fields.Get(name).Str).Array(); i < len(array) {
		entry = array[i].Raw
	}
	return fmt.Sprintf("endpoint %s: %s[%d] %s: %s", ev.ID, name, i+1, entry, c.wrong(&l.ports[i]))
}

// wrong names the first field of the port that is outside its type.
func (c *constants) wrong(p *port) string {
	switch {
	case p.badName:
		return "name is not in Name (a string)"
	case p.protocol == badProtocol:
		return fmt.Sprintf("protocol is not in Protocol (%s)", strings.Join(c.protocols, ", "))
	case p.mode == noMode:
		return "mode is not in Mode (ingress, host)"
	case p.published == dynamic:
		return "published_port of an ingress port is not in PortNumber (1..65535): the port is to be allocated"
	}
	return `published_port is not in PortNumber \union {dynamic} (0..65535)`
}

// allocatedError says what in the logged set is outside its type.
func (c *constants) allocatedError(ev *trace.Event) string {
	v := ev.Fields.Get(trace.FieldAllocated)
	if isArray(v) {
		place := 0
		for _, entry := range v.Each {
			if !c.valid(c.parseAddress(entry)) {
				return fmt.Sprintf("allocator: allocated has %s, which is not in Address (protocol/port, one of %s and 1..65535)",
					gjson.Parse(v.Str).Array()[place].Raw, strings.Join(c.protocols, ", "))
			}
			place++
		}
	}
	return fmt.Sprintf("allocator: allocated %s is not a subset of Address (an array of protocol/port)", v)
}
