package portallocator

import (
	"math"
	"strings"

	"tracecheck/internal/words"
)

// opened is a list that was read last, with its text and its ports.
type opened struct {
	list  list
	text  string
	ports []port
	heads []head
	typed bool // all ports have the type of the column's
}

// head is where in the list's text a port is, up to its number: 0, 0 if the number is not last.
type head struct{ from, to int }

// forget forgets the list, which points into a line that dies. Its ports stay as room.
func (o *opened) forget() {
	o.list, o.text, o.ports, o.heads = missing, "", o.ports[:0], o.heads[:0]
}

// plainPorts is anyPorts of an array as most lines have it: without white space, escapes,
// and fields of other names or types. false: it has some. Members in the usual order take one
// round. Ports that differ from those of the spec only in their numbers take none.
func (o *opened) plainPorts(c *constants, spec *opened) bool {
	o.ports = o.ports[:0]
	if o == spec {
		o.heads = o.heads[:0]
	}
	text, i := o.text, 1
	for n := 0; i < len(text)-1; n++ { // up to the bracket
		if n > 0 {
			if text[i] != ',' {
				return false
			}
			i++
		}
		p := blank
		if n < len(spec.heads) {
			h := spec.heads[n]
			if same := spec.text[h.from:h.to]; same != "" && strings.HasPrefix(text[i:], same) {
				p = spec.ports[n]
				if p.published, i = plainNumber(text, i+len(same)); i == 0 || text[i] != '}' {
					return false
				}
				o.ports, i = append(o.ports, p), i+1
				continue
			}
		}
		h := head{from: i}
		for before := byte('{'); text[i] != '}'; {
			from, end := i, 0
			// Words are compared without a call, if they are constants of at most 16 bytes.
			if rest := text[i:]; len(rest) > 9 && rest[0] == before && rest[1:9] == `"name":"` {
				if end = words.String(text, i+9); end < 0 {
					return false
				}
				p.name, p.badName, before, i = text[i+9:end], false, ',', end+1
			}
			if rest := text[i:]; len(rest) > 13 && rest[0] == before && rest[1:13] == `"protocol":"` {
				if end = words.String(text, i+13); end < 0 {
					return false
				}
				p.protocol, before, i = c.protocol(text[i+13:end]), ',', end+1
			}
			if rest := text[i:]; len(rest) > 17 && rest[0] == before && rest[1:17] == `"mode":"ingress"` {
				p.mode, before, i = ingress, ',', i+17
			} else if len(rest) > 14 && rest[0] == before && rest[1:14] == `"mode":"host"` {
				p.mode, before, i = host, ',', i+14
			}
			h.to = h.from
			if rest := text[i:]; len(rest) > 18 && rest[0] == before && rest[1:17] == `"published_port"` && rest[17] == ':' {
				h.to, before = i+18, ','
				if p.published, i = plainNumber(text, i+18); i == 0 {
					return false
				}
			}
			if i == from || i == len(text) {
				return false
			}
		}
		if o == spec {
			o.heads = append(o.heads, h)
		}
		o.ports, i = append(o.ports, p), i+1
	}
	return true
}

// plainNumber is the number from i on, and where it ends; 0 if no port has it.
func plainNumber(text string, i int) (n int32, end int) {
	v, end := words.Int(text, i)
	if v < 0 || v > math.MaxInt32 || end == len(text) {
		return 0, 0
	}
	return int32(v), end
}
