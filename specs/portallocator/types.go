package portallocator

import (
	"encoding/binary"
	"strconv"

	"tracecheck/validators/model"
)

// mode is Mode, or a value outside it.
type mode uint8

const (
	noMode mode = iota // outside the type
	ingress
	host
)

var modes = model.Names{noMode: "?", ingress: "ingress", host: "host"}

func (m mode) String() string { return modes[m] }

// dynamic is a published_port that the allocator is to select; badNumber is no
// number at all. A number outside 0..65535 stays as it is.
const (
	dynamic   int32 = 0
	badNumber int32 = -1
)

// badProtocol is an index of no protocol.
const (
	badProtocol  uint16 = 1<<16 - 1
	maxProtocols        = 1000
)

// port is a PortSpec or a PortConfig: SwarmKit has one type for both. The compiler keeps it in
// registers, as it does no struct of five fields.
type port struct {
	name      string
	published int32
	protocol  uint16 // an index into constants.protocols, or badProtocol
	marked
}

// marked is a port's mode, and whether its name is not a string.
type marked struct {
	mode    mode
	badName bool
}

// inSpec and inConfig are port \in PortSpec and port \in PortConfig.
func (p *port) inSpec() bool {
	return !p.badName && p.protocol != badProtocol && p.mode != noMode && uint32(p.published) <= maxPort
}

func (p *port) inConfig() bool {
	return p.inSpec() && (p.mode == host || p.published != dynamic)
}

// in says that the port has the type of the column's ports.
func (p *port) in(column int) bool {
	if column == specs {
		return p.inSpec()
	}
	return p.inConfig()
}

// wantsNumber: the allocator is to select the port's number.
func (p *port) wantsNumber() bool { return p.mode == ingress && p.published == dynamic }

// hasNumber: the port has a number, in whatever mode.
func (p *port) hasNumber() bool { return p.published != dynamic }

// forced: an ingress port with the number that the user specified.
func (p *port) forced() bool { return p.mode == ingress && p.hasNumber() }

func (p port) with(number int32) port { p.published = number; return p }

// mostlyEqual is PortsMostlyEqual(a, b): they differ only in published_port.
func mostlyEqual(a, b *port) bool { return a.with(0) == b.with(0) }

// similar is what mostly equal ingress ports share.
type similar struct {
	name     string
	protocol uint16
	badName  bool
}

func (p *port) similar() similar { return similar{p.name, p.protocol, p.badName} }

// address is an Address: a protocol and a port number.
type address uint64

func at(protocol uint16, number int32) address {
	return address(protocol)<<32 | address(uint32(number))
}

// addr is Addr(port).
func (p *port) addr() address { return at(p.protocol, p.published) }

func (a address) protocol() uint16 { return uint16(a >> 32) }
func (a address) number() int32    { return int32(uint32(a)) }

// valid is a \in Address.
func (c *constants) valid(a address) bool {
	return int(a.protocol()) < len(c.protocols) && 1 <= a.number() && a.number() <= maxPort
}

func (c *constants) protocolName(p uint16) string {
	if int(p) < len(c.protocols) {
		return c.protocols[p]
	}
	return "?"
}

// protocol is the index of the name.
func (c *constants) protocol(name string) uint16 {
	for i, p := range c.protocols {
		if p == name {
			return uint16(i)
		}
	}
	return badProtocol
}

// text is the address as a trace writes it.
func (c *constants) text(a address) string {
	return c.protocolName(a.protocol()) + "/" + strconv.Itoa(int(a.number()))
}

// list is an EndpointSpec or a Seq(PortConfig), packed, so that rows are compared
// by ==: a tag, and of each port a head of fixed size and the name.
type list string

// The lists without ports. missing is not given, or no array at all; unseen is one
// that is not known yet.
const (
	missing list = ""
	unseen  list = "u"
	empty   list = "["
)

// headSize is that of a port's head: its mode, protocol, number, and the length of its name. A
// length of longName or more follows the head.
const (
	headSize = 8
	longName = 255
)

// pack appends the list of the ports, and reports whether all have the type of the column's.
func pack(to []byte, ports []port, column int) (packed []byte, typed bool) {
	to, typed = append(to, empty...), true
	for i := range ports {
		p := &ports[i]
		typed = typed && p.in(column)
		n := min(len(p.name), longName)
		to = binary.LittleEndian.AppendUint64(to, uint64(p.mode)|uint64(model.BoolInt(p.badName))<<7|
			uint64(p.protocol)<<8|uint64(uint32(p.published))<<24|uint64(n)<<56)
		if n == longName {
			to = binary.LittleEndian.AppendUint32(to, uint32(len(p.name)))
		}
		to = append(to, p.name...)
	}
	return to, typed
}

func listOf(ports []port) list {
	packed, _ := pack(nil, ports, specs)
	return list(packed)
}

// next takes the first port off the rest of a list, which begins after its tag.
func (l *list) next() (p port) {
	s := *l
	_ = s[headSize-1] // one check of bounds
	p.mode, p.badName = mode(s[0]&0x7f), s[0]&0x80 != 0
	p.protocol = uint16(s[1]) | uint16(s[2])<<8
	p.published = int32(s[3:].uint32())
	from, n := headSize, int(s[7])
	if n == longName {
		from, n = from+4, int(s[headSize:].uint32())
	}
	p.name = string(s[from : from+n])
	*l = s[from+n:]
	return p
}

func (l list) uint32() uint32 {
	return uint32(l[0]) | uint32(l[1])<<8 | uint32(l[2])<<16 | uint32(l[3])<<24
}

// rest is the list without its tag, for next.
func (l list) rest() list { return l[min(1, len(l)):] }

// ingress yields the addresses of the list's ingress ports.
func (l list) ingress(yield func(address) bool) {
	for rest := l.rest(); rest != ""; {
		if p := rest.next(); p.mode == ingress && !yield(p.addr()) {
			return
		}
	}
}

// open appends the list's ports.
func (l list) open(to []port) []port {
	for rest := l.rest(); rest != ""; {
		to = append(to, rest.next())
	}
	return to
}

// len is how many ports the list has.
func (l list) len() (n int) {
	for rest := l.rest(); rest != ""; n++ {
		rest.next()
	}
	return n
}

func (l list) isKnown() bool { return l != missing && l != unseen }

// typeOK says that the list is known not to have a port outside its type.
func (l list) typeOK(column int) bool { return l != missing && l.bad(column) < 0 }

// bad is the first port outside its type, -1 if there is none.
func (l list) bad(column int) int {
	for i, rest := 0, l.rest(); rest != ""; i++ {
		if p := rest.next(); !p.in(column) {
			return i
		}
	}
	return -1
}

// has says that the list has an ingress port with the address.
func (l list) has(a address) bool {
	for of := range l.ingress {
		if of == a {
			return true
		}
	}
	return false
}
