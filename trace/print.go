package trace

import (
	"encoding/binary"
	"math/bits"
	"strconv"
	"unsafe"

	"github.com/tidwall/gjson"

	"tracecheck/internal/words"
)

// A fingerprint does not depend on order, spacing and spelling. Hashes of
// members are summed, since their order does not matter. Elements of arrays are
// hashed with their indices. Checkpoints contain fingerprints, so the seeds
// must not change.
const (
	seedA = 0x9e3779b97f4a7c15
	seedB = 0xd6e8feb86659fd93
)

// mix is a hash of two numbers.
func mix(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a^seedA, b^seedB)
	return hi ^ lo
}

// textPrint is a hash of a text.
func textPrint(s string) uint64 {
	b, n := unsafe.Slice(unsafe.StringData(s), len(s)), uint64(len(s))
	switch {
	case n >= 8:
		h := n
		for ; len(b) > 16; b = b[8:] {
			h = bits.RotateLeft64(h^binary.LittleEndian.Uint64(b), 29) * seedA
		}
		return mix(h^binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[len(b)-8:]))
	case n >= 4: // two halves, which may overlap
		return (uint64(binary.LittleEndian.Uint32(b)) | uint64(binary.LittleEndian.Uint32(b[n-4:]))<<32) * (seedA + 2*n)
	case n > 0:
		return (uint64(b[0]) | uint64(b[n/2])<<8 | uint64(b[n-1])<<16) * (seedA + 2*n)
	}
	return 0
}

// Share returns a number below n for a name. Names with a counter get each number nearly equally
// often. It is the same in each process.
func Share(name string, n int) int { return int(textPrint(name) >> 32 * uint64(n) >> 32) }

// print returns the fingerprint of the line without seq and stream.
func (e *envelope) print() uint64 {
	h := e.ev.print(e.others, textPrint(e.ev.Actor), textPrint(e.ev.Action))
	for i := range e.fields {
		f := &e.fields[i]
		if print, known := e.nested.of(f); known {
			h += nestedPrint(fields.prints[f.Name], print)
		} else {
			h += memberPrint(fields.prints[f.Name], &f.Value)
		}
	}
	return h
}

// print is the fingerprint of the line without the fields that format 1 defines. It gets
// that of the other fields, and those of actor and action.
func (ev *Event) print(others, actor, action uint64) uint64 {
	what := kinds.prints[ev.Kind] ^ (uint64(ev.Op)<<8 | uint64(ev.Tx.typ)<<16)
	if ev.Time != "" {
		what ^= 1 << 24
	}
	h := others + mix(textPrint(ev.ID)^what, uint64(ev.Tx.number)*seedA^uint64(ev.Nanos))
	if ev.Tx.typ == String {
		h = mix(h, textPrint(ev.Tx.text))
	}
	if ev.HasClaim() {
		h = mix(h^actor, action)
	}
	return h
}

// nestedPrints is the fingerprints of some fields that are arrays or objects.
type nestedPrints struct {
	count  int
	fields [4]FieldName
	prints [4]uint64
}

// add sets that of the field, if there is room.
func (n *nestedPrints) add(f FieldName, print uint64) {
	for i := range n.count {
		if n.fields[i] == f {
			n.prints[i] = print
			return
		}
	}
	if n.count < len(n.fields) {
		n.fields[n.count], n.prints[n.count] = f, print
		n.count++
	}
}

func (n *nestedPrints) of(f *Field) (print uint64, known bool) {
	if f.Type != Other {
		return 0, false
	}
	for i := range n.count {
		if n.fields[i] == f.Name {
			return n.prints[i], true
		}
	}
	return 0, false
}

// memberPrint is the fingerprint of a member: its key is the print of its name, or
// the place of an element of an array.
func memberPrint(key uint64, v *Value) uint64 { return mix(key<<8|uint64(v.Type), valuePrint(v)) }

// nestedPrint is memberPrint of an array or object with the fingerprint.
func nestedPrint(key, print uint64) uint64 { return mix(key<<8|uint64(Other), print) }

func valuePrint(v *Value) uint64 {
	switch v.Type {
	case String:
		return textPrint(v.Str)
	case Other:
		return otherPrint(v)
	}
	return uint64(v.Int)
}

// otherPrint is the fingerprint of an array, an object, or a number that is not
// a 64-bit integer.
func otherPrint(v *Value) uint64 {
	if !v.begins('{') && !v.begins('[') {
		if f, err := strconv.ParseFloat(v.Str, 64); err == nil {
			return textPrint(strconv.FormatFloat(f, 'g', -1, 64))
		}
		return textPrint(v.Str)
	}
	if h, end := new(keys).plainPrint(v.Str, 0, MaxDepth); end > 0 {
		return h
	}
	h, n := uint64(v.Str[0]), uint64(0)
	gjson.Parse(v.Str).ForEach(func(key, value gjson.Result) bool {
		member := valueOf(&value)
		at := n
		if v.Str[0] == '{' {
			at = textPrint(key.Str)
		}
		h += memberPrint(at, &member)
		n++
		return true
	})
	return h
}

// keys are the keys that objects in arrays had last at each place, with their fingerprints.
// The next object often has the same.
type keys [8]struct {
	text  [24]byte // with its quotes and colon, and the space around
	len   int
	print uint64
}

// read is plainKey for the key at the place. It returns its fingerprint.
func (k *keys) read(line string, i int, place uint64) (print uint64, c byte, next int) {
	known := &k[place%uint64(len(k))]
	if n := i + known.len; known.len > 0 && n <= len(line) && line[i:n] == string(known.text[:known.len]) {
		c, next = after(line, n)
		return known.print, c, next
	}
	key, c, next := plainKey(line, i)
	print = textPrint(key)
	if c != 0 && next-i <= len(known.text) {
		known.len, known.print = copy(known.text[:], line[i:next]), print
	}
	return print, c, next
}

// plainPrint is plainEnd that returns the fingerprint of the array or object, and where
// it ends; 0 if it is not plain, or nests deeper than depth.
func (k *keys) plainPrint(line string, i, depth int) (h uint64, end int) {
	if depth == 0 {
		return 0, 0
	}
	object, closing := line[i] == '{', line[i]+2 // of '[' and '{', in ASCII
	h = uint64(line[i])
	c, next := after(line, i+1)
	if c == closing {
		return h, next + 1
	}
	for n := uint64(0); ; n++ { // at what precedes a key or an element
		at := n
		switch {
		case !object:
			c, next = after(line, i+1)
		case depth == plainDepth: // a map
			var key string
			key, c, next = plainKey(line, i+1)
			at = textPrint(key)
		default:
			at, c, next = k.read(line, i+1, n)
		}
		switch c {
		case 0:
			return 0, 0
		case '"':
			end := words.String(line, next+1)
			if end < 0 {
				return 0, 0
			}
			h += mix(at<<8|uint64(String), textPrint(line[next+1:end]))
			i = end + 1
		case '{', '[':
			var inner uint64
			if inner, i = k.plainPrint(line, next, depth-1); i == 0 {
				return 0, 0
			}
			h += nestedPrint(at, inner)
		default:
			v, end, ok := plainValue(line, next, 0)
			if !ok {
				return 0, 0
			}
			h += mix(at<<8|uint64(v.Type), uint64(v.Int))
			i = end
		}
		if c, i = after(line, i); c == closing {
			return h, i + 1
		} else if c != ',' {
			return 0, 0
		}
	}
}
