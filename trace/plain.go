package trace

import (
	"encoding/binary"
	"math/bits"
)

// plain is a fast path for common lines: strings without escapes, integers, and
// nothing to reject. It checks the JSON while it reads. For any other line it
// returns false, and gjson reads it. Both read the same. The line must be valid
// UTF-8.
func (d *Decoder) plain(line []byte, e *envelope) bool {
	i := space(line, 0)
	if i == len(line) || line[i] != '{' {
		return false
	}
	for {
		key, next, ok := plainKey(line, i+1, e.ev.Raw)
		if !ok {
			return false
		}
		if i = next; key == "object" && line[i] == '{' {
			i, ok = e.plainFields(line, i)
		} else {
			var v Value
			if v, i, ok = plainValue(line, i, e.ev.Raw, plainDepth); ok {
				ok = d.plainMember(e, key, v)
			}
		}
		if !ok {
			return false
		}
		if i = space(line, i); i == len(line) {
			return false
		}
		if line[i] == '}' {
			return space(line, i+1) == len(line)
		}
		if line[i] != ',' {
			return false
		}
	}
}

// plainMember reads a member of the envelope.
func (d *Decoder) plainMember(e *envelope, key string, v Value) bool {
	ev := e.ev
	switch key {
	case "seq":
		ev.HasSeq, ev.Seq = true, v.Int
		return v.Type == Int
	case "tx":
		ev.Tx = Tx{typ: v.Type, text: v.Str, number: v.Int}
		return v.Type == Int || v.Type == String
	case "kind":
		e.hasKind, e.kind, ev.Kind = true, v.Str, ParseKind(v.Str)
	case "op":
		e.op, ev.Op = v.Str, parseOp(v.Str)
	case "id":
		ev.ID = v.Str
	case "stream":
		ev.Stream = v.Str
	case "actor":
		ev.Actor = v.Str
	case "action":
		ev.Action = v.Str
	case "time":
		ev.Time = v.Str
		return v.Type == String && d.clock.read(v.Str, &ev.Nanos)
	case "object":
		return false // none
	default:
		return true // not a member of format 1
	}
	return v.Type == String
}

// plainFields reads "object", which begins at i. It returns the index after it.
func (e *envelope) plainFields(line []byte, i int) (int, bool) {
	e.fields, e.others, e.object = e.fields[:0], 0, Absent
	if i = space(line, i+1); i < len(line) && line[i] == '}' {
		return i + 1, true
	}
	for i--; ; { // at what precedes a key
		key, next, ok := plainKey(line, i+1, e.ev.Raw)
		if !ok {
			return 0, false
		}
		v, next, ok := plainValue(line, next, e.ev.Raw, plainDepth)
		if !ok {
			return 0, false
		}
		if f := fieldByName(key); f != noField {
			e.fields = e.fields.set(f, v)
		} else {
			e.others += memberPrint(textPrint(key), &v)
		}
		if i = space(line, next); i == len(line) {
			return 0, false
		}
		if line[i] == '}' {
			return i + 1, true
		}
		if line[i] != ',' {
			return 0, false
		}
	}
}

// plainKey reads a key and its colon. It returns where the value begins.
func plainKey(line []byte, i int, raw string) (key string, next int, ok bool) {
	if i = space(line, i); i == len(line) || line[i] != '"' {
		return "", 0, false
	}
	end := plainString(line, i+1)
	if end < 0 {
		return "", 0, false
	}
	key = raw[i+1 : end]
	if i = space(line, end+1); i == len(line) || line[i] != ':' {
		return "", 0, false
	}
	i = space(line, i+1)
	return key, i, i < len(line)
}

// plainValue reads the value that begins at i. It returns the index after it.
// depth bounds its nesting.
func plainValue(line []byte, i int, raw string, depth int) (v Value, next int, ok bool) {
	switch c := line[i]; c {
	case '"':
		end := plainString(line, i+1)
		if end < 0 {
			return v, 0, false
		}
		return Value{Type: String, Str: raw[i+1 : end]}, end + 1, true
	case 't', 'n':
		if len(line) < i+4 {
			return v, 0, false
		}
		switch raw[i : i+4] {
		case "true":
			return Value{Type: Bool, Int: 1}, i + 4, true
		case "null":
			return Value{Type: Null}, i + 4, true
		}
	case 'f':
		if len(line) >= i+5 && raw[i:i+5] == "false" {
			return Value{Type: Bool}, i + 5, true
		}
	case '[', '{':
		end := plainEnd(line, i, raw, depth, nil)
		if end < 0 {
			return v, 0, false
		}
		return Value{Type: Other, Str: raw[i:end]}, end, true
	default:
		n, end := plainInt(line, i)
		return Value{Type: Int, Int: n}, end, end > 0
	}
	return v, 0, false
}

// plainInt reads an integer of at most 18 digits. It returns the index after
// it, or 0.
func plainInt(line []byte, i int) (n int64, end int) {
	negative := line[i] == '-'
	if negative {
		i++
	}
	first := i
	for i < len(line) && line[i]-'0' <= 9 {
		n = 10*n + int64(line[i]-'0')
		i++
	}
	digits := i - first
	if digits == 0 || digits > 18 || digits > 1 && line[first] == '0' {
		return 0, 0
	}
	if i < len(line) && (line[i] == '.' || line[i]|0x20 == 'e') {
		return 0, 0
	}
	if negative {
		n = -n
	}
	return n, i
}

// plainDepth bounds the nesting of a value in a line or in its object.
const plainDepth = MaxDepth - 2

// plainEnd returns where the array or object that begins at i ends, or -1 if it
// is not plain or nests deeper than depth. It yields the members, or the
// elements with the key "", unless yield is nil. It stops when yield returns
// false.
func plainEnd(line []byte, i int, raw string, depth int, yield func(key string, v Value) bool) int {
	if depth == 0 {
		return -1
	}
	object, closing := line[i] == '{', line[i]+2 // of '[' and '{', in ASCII
	if i = space(line, i+1); i < len(line) && line[i] == closing {
		return i + 1
	}
	for ; ; i++ {
		key, ok := "", true
		if object {
			key, i, ok = plainKey(line, i, raw)
		} else {
			i = space(line, i)
		}
		if !ok || i == len(line) {
			return -1
		}
		var v Value
		if v, i, ok = plainValue(line, i, raw, depth-1); !ok {
			return -1
		}
		if yield != nil && !yield(key, v) {
			return i
		}
		if i = space(line, i); i == len(line) {
			return -1
		}
		if line[i] == closing {
			return i + 1
		}
		if line[i] != ',' {
			return -1
		}
	}
}

// plainString returns the index of the closing quote, or -1 if the string has
// an escape, a control character or no end.
func plainString(line []byte, i int) int {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	for ; i+8 <= len(line); i += 8 {
		w := binary.LittleEndian.Uint64(line[i:])
		quote, escape := w^'"'*ones, w^'\\'*ones
		// The high bit of each byte that is a quote, a backslash or below a
		// space. Bytes after the lowest hit may be false hits.
		found := ((quote-ones)&^quote | (escape-ones)&^escape | (w-' '*ones)&^w) & highs
		if found != 0 {
			i += bits.TrailingZeros64(found) / 8
			break
		}
	}
	for ; i < len(line); i++ {
		switch c := line[i]; {
		case c == '"':
			return i
		case c == '\\' || c < ' ':
			return -1
		}
	}
	return -1
}

// space returns where white space ends. Lines have no line feeds.
func space(line []byte, i int) int {
	for i < len(line) && (line[i] == ' ' || line[i] == '\t' || line[i] == '\r') {
		i++
	}
	return i
}
