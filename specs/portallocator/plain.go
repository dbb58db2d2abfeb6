package portallocator

import (
	"math"
	"strings"

	"tracecheck/internal/words"
)

// opened is a list that was read last, with its ports.
type opened struct {
	list  list
	ports []port
	typed bool // all ports have the type of the column's
}

// forget forgets the list, which points into a line that dies. Its ports stay as room.
func (o *opened) forget() { o.list, o.ports = missing, o.ports[:0] }

// packText appends the list of plainPorts, for the default protocols (trace.NewPacked).
func packText(to []byte, text string) []byte {
	var room [8]port
	if ports, ok := defaultConstants.plainPorts(room[:0], text); ok {
		to, _ = pack(to, ports, specs)
	}
	return to
}

// plainPorts is anyPorts of an array as most lines have it: without white space, escapes,
// and fields of other names or types. false: it has some. Members in the usual order take one
// round.
func (c *constants) plainPorts(ports []port, text string) (_ []port, ok bool) {
	if !strings.HasPrefix(text, "[") {
		return ports, false
	}
	for i := 1; i < len(text)-1; { // up to the bracket
		if len(ports) > 0 {
			if text[i] != ',' {
				return ports, false
			}
			i++
		}
		p := blank
		for before := byte('{'); text[i] != '}'; {
			from, end := i, 0
			// Words are compared without a call, if they are constants of at most 16 bytes.
			if rest := text[i:]; len(rest) > 9 && rest[0] == before && rest[1:9] == `"name":"` {
				if end = words.String(text, i+9); end < 0 {
					return ports, false
				}
				p.name, p.badName, before, i = text[i+9:end], false, ',', end+1
			}
			if rest := text[i:]; len(rest) > 13 && rest[0] == before && rest[1:13] == `"protocol":"` {
				if end = words.String(text, i+13); end < 0 {
					return ports, false
				}
				p.protocol, before, i = c.protocol(text[i+13:end]), ',', end+1
			}
			if rest := text[i:]; len(rest) > 17 && rest[0] == before && rest[1:17] == `"mode":"ingress"` {
				p.mode, before, i = ingress, ',', i+17
			} else if len(rest) > 14 && rest[0] == before && rest[1:14] == `"mode":"host"` {
				p.mode, before, i = host, ',', i+14
			}
			if rest := text[i:]; len(rest) > 18 && rest[0] == before && rest[1:17] == `"published_port"` && rest[17] == ':' {
				before = ','
				if p.published, i = plainNumber(text, i+18); i == 0 {
					return ports, false
				}
			}
			if i == from || i == len(text) {
				return ports, false
			}
		}
		ports, i = append(ports, p), i+1
	}
	return ports, true
}

// plainNumber is the number from i on, and where it ends; 0 if no port has it.
func plainNumber(text string, i int) (n int32, end int) {
	v, end := words.Int(text, i)
	if v < 0 || v > math.MaxInt32 || end == len(text) {
		return 0, 0
	}
	return int32(v), end
}
