package portallocator

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unsafe"

	"github.com/tidwall/gjson"

	"tracecheck/trace"
	"tracecheck/trace/codec"
	"tracecheck/validators/model"
)

// ports is a column of ports: spec or ports of an endpoint, by its place. typ names
// the type.
func ports(at int, field trace.FieldName, typ string, of func(*Endpoint) *list) model.Column[State, Endpoint] {
	return model.Column[State, Endpoint]{
		Field: field, Type: typ + " (an array of ports)", Needed: true, Holds: true,
		Read: func(s *State, e *Endpoint, v trace.Value) model.Reading {
			return model.GoodIf(s.read(of(e), v, at) && s.lines[at].typed)
		},
		Wrong: func(s *State, v trace.Value) string { return s.wrongPorts(v, field, typ, at) },
		Same:  func(made, seen *Endpoint) bool { return *of(made) == *of(seen) },
		Copy:  func(to, from *Endpoint) { *of(to) = *of(from) },
		Show: func(s *State, e *Endpoint) (any, bool) {
			return s.portsJSON(*of(e)), *of(e) != unseen
		},
		Code: func(s *State, c *codec.Codec, e *Endpoint) {
			if s.codeList(c, of(e)); c.Reading() && c.Err() == nil && field == fieldPorts {
				s.made(e)
			}
		},
	}
}

func allTyped(ports []port, at int) bool {
	for i := range ports {
		if !ports[i].in(at) {
			return false
		}
	}
	return true
}

// read reads an array of ports, into the place, too; false: it is none. A list that
// differs from the old one borrows the step's room.
func (s *State) read(l *list, v trace.Value, at int) bool {
	if !isArray(v) {
		*l = missing
		return false
	}
	o := &s.lines[at]
	if s.line != nil && s.usual {
		if packed := list(s.line.Packed(v)); packed != "" {
			if packed != *l {
				*l = packed
			}
			o.list, o.ports = *l, packed.open(o.ports[:0])
			o.typed = allTyped(o.ports, at)
			return true
		}
	}
	var plain bool
	if o.ports, plain = s.plainPorts(o.ports[:0], v.Str); !plain {
		o.ports = s.anyPorts(v, o.ports[:0])
	}
	from := len(s.room)
	s.room, o.typed = pack(s.room, o.ports, at)
	if packed := s.room[from:]; string(packed) == string(*l) {
		s.room = s.room[:from]
	} else {
		*l = list(unsafe.String(&packed[0], len(packed))) // which lives as long as the step
	}
	o.list = *l
	return true
}

// is says that the list is the one that was read, without a look at its ports.
func (o *opened) is(l list) bool {
	return len(l) == len(o.list) && unsafe.StringData(string(l)) == unsafe.StringData(string(o.list)) && l != missing
}

// open returns the list's ports, in the room if no line has just given them.
func (s *State) open(l list, room *[]port) []port {
	for i := range s.lines {
		if o := &s.lines[i]; o.is(l) {
			return o.ports
		}
	}
	*room = l.open((*room)[:0])
	return *room
}

// typed says that all ports of the list have the type of the column's.
func (s *State) typed(l list, at int) bool {
	if o := &s.lines[at]; o.is(l) {
		return o.typed
	}
	return l.typeOK(at)
}

func isArray(v trace.Value) bool { return v.Type == trace.Other && strings.HasPrefix(v.Str, "[") }

// blank is a port of which no field is known.
var blank = port{marked: marked{badName: true}, protocol: badProtocol, published: badNumber}

// anyPorts appends the ports of an array.
func (c *constants) anyPorts(v trace.Value, to []port) []port {
	v.Rows(func(row int, key string, value trace.Value) {
		if row == len(to) {
			to = append(to, blank)
		}
		c.parseField(&to[row], key, value)
	})
	return to
}

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
		if p.published = badNumber; value.Type == trace.Int && 0 <= value.Int && value.Int <= math.MaxInt32 {
			p.published = int32(value.Int)
		}
	}
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

// wrongPorts says what in the field is outside its type.
func (s *State) wrongPorts(v trace.Value, field trace.FieldName, typ string, at int) string {
	var l list
	s.read(&l, v, specs)
	i := l.bad(at)
	if i < 0 {
		return fmt.Sprintf("%s %s is not in %s (an array of ports)", field, v, typ)
	}
	entry := "?"
	if array := gjson.Parse(v.Str).Array(); i < len(array) {
		entry = array[i].Raw
	}
	return fmt.Sprintf("%s[%d] %s: %s", field, i+1, entry, s.wrong(&l.open(nil)[i]))
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

// wrongAllocated says what in the logged set is outside its type.
func (s *State) wrongAllocated(v trace.Value) string {
	if isArray(v) {
		place := 0
		for _, entry := range v.Each {
			if !s.valid(s.parseAddress(entry)) {
				return fmt.Sprintf("allocated has %s, which is not in Address (protocol/port, one of %s and 1..65535)",
					gjson.Parse(v.Str).Array()[place].Raw, strings.Join(s.protocols, ", "))
			}
			place++
		}
	}
	return fmt.Sprintf("allocated %s is not a subset of Address (an array of protocol/port)", v)
}

// portsJSON is the list as a line gives it. What is outside its type stays so.
func (c *constants) portsJSON(l list) any {
	if !l.isKnown() {
		return nil
	}
	type entry struct {
		Name      any `json:"name"`
		Protocol  any `json:"protocol"`
		Mode      any `json:"mode"`
		Published any `json:"published_port"`
	}
	entries := []entry{}
	for _, p := range l.open(nil) {
		e := entry{p.name, c.protocolName(p.protocol), p.mode.String(), p.published}
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

func (s *State) codeList(c *codec.Codec, l *list) {
	known := l.isKnown()
	if codec.Bool(c, &known); !known {
		isUnseen := *l == unseen
		if codec.Bool(c, &isUnseen); c.Reading() {
			if *l = missing; isUnseen {
				*l = unseen
			}
		}
		return
	}
	var list []port
	if !c.Reading() {
		list = l.open(nil)
	}
	codec.Slice(c, &list, func(p *port) { s.codePort(c, p) })
	if c.Reading() && c.Err() == nil {
		*l = listOf(list)
	}
}

func (s *State) codePort(c *codec.Codec, p *port) {
	c.Name(&p.name)
	codec.Bool(c, &p.badName)
	codec.Uint(c, &p.mode)
	codec.Uint(c, &p.protocol)
	codec.Int(c, &p.published)
	if p.mode > host || p.protocol != badProtocol && int(p.protocol) >= len(s.protocols) || p.published < badNumber {
		c.Fail("there is no port %+v", *p)
	}
}

func (s *State) codeAddress(c *codec.Codec, a *address) {
	if codec.Uint(c, a); at(a.protocol(), a.number()) != *a {
		c.Fail("there is no address %d", uint64(*a))
	}
}
