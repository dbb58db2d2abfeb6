package portallocator

import (
	"math/bits"
	"strings"
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
				if end = plainText(text, i+9); end == 0 {
					return false
				}
				p.name, p.badName, before, i = text[i+9:end], false, ',', end+1
			}
			if rest := text[i:]; len(rest) > 13 && rest[0] == before && rest[1:13] == `"protocol":"` {
				if end = plainText(text, i+13); end == 0 {
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

const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// word is the eight bytes of the text from i on, with zeros after its end. The text has at least eight.
// To find the end of a value in a word, no branch depends on its length.
func word(text string, i int) uint64 {
	from := min(i, len(text)-8)
	b := text[from : from+8]
	w := uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 |
		uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56
	return w >> (8 * uint(i-from))
}

// plainText is where the quote is that ends the text from i on; 0 if an escape comes before it.
func plainText(text string, i int) int {
	for ; i < len(text); i += 8 {
		w := word(text, i)
		quote, escape := w^'"'*ones, w^'\\'*ones
		if found := ((quote-ones)&^quote | (escape-ones)&^escape) & highs; found != 0 {
			if i += bits.TrailingZeros64(found) / 8; text[i] == '"' {
				return i
			}
			return 0
		}
	}
	return 0
}

// plainNumber is the number from i on, and where it ends; 0 if it is no integer of at most
// seven digits.
func plainNumber(text string, i int) (n int32, end int) {
	w := word(text, i) ^ '0'*ones
	other := (w&^highs + 118*ones | w) & highs // a byte above 9 gets its high bit
	digits := bits.TrailingZeros64(other) / 8
	end = i + digits
	if digits == 0 || digits > 7 || end == len(text) || text[end] != ',' && text[end] != '}' {
		return 0, 0
	}
	w <<= 64 - 8*uint(digits) // with zeros in front
	w = 10*w + w>>8           // each second byte has two digits
	const pairs = 0xff<<32 | 0xff
	return int32(((w&pairs)*(1000000<<32|100) + (w>>16&pairs)*(10000<<32|1)) >> 32), end
}
