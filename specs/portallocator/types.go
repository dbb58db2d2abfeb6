package portallocator

import "strconv"

// mode is Mode, or a value outside it.
type mode uint8

const (
	noMode mode = iota // outside the type
	ingress
	host
)

func (m mode) String() string {
	switch m {
	case ingress:
		return "ingress"
	case host:
		return "host"
	}
	return "?"
}

// dynamic is a published_port that the allocator is to select; badNumber is no
// number at all. A number outside 0..65535 stands as it is.
const (
	dynamic   int32 = 0
	badNumber int32 = -1
)

// badProtocol is an index of no protocol.
const (
	badProtocol  uint16 = 1<<16 - 1
	maxProtocols        = 1000
)

// port is a PortSpec or a PortConfig: SwarmKit has one type for both.
type port struct {
	name      string
	published int32
	protocol  uint16 // an index into constants.protocols, or badProtocol
	mode      mode
	badName   bool // name is no string
}

// inSpec and inConfig are port \in PortSpec and port \in PortConfig.
func (p *port) inSpec() bool {
	return !p.badName && p.protocol != badProtocol && p.mode != noMode && 0 <= p.published && p.published <= maxPort
}

func (p *port) inConfig() bool {
	return p.inSpec() && (p.mode == host || p.published != dynamic)
}

// wantsNumber: the allocator is to select the port's number.
func (p *port) wantsNumber() bool { return p.mode == ingress && p.published == dynamic }

// forced: an ingress port with the number that the user specified.
func (p *port) forced() bool { return p.mode == ingress && p.published != dynamic }

func (p port) with(number int32) port { p.published = number; return p }

// mostlyEqual is PortsMostlyEqual(a, b): they differ only in published_port.
func mostlyEqual(a, b *port) bool {
	return a.mode == b.mode && a.protocol == b.protocol && a.name == b.name && a.badName == b.badName
}

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
