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
		var m envelopeKey
		var ok bool
		if m, i, ok = plainEnvelopeKey(line, i+1, e.ev.Raw); !ok {
			return false
		}
		if m == keyObject && line[i] == '{' {
			i, ok = e.plainFields(line, i)
		} else {
			var v Value
			if v, i, ok = plainValue(line, i, e.ev.Raw, plainDepth); ok {
				ok = d.plainMember(e, m, v)
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

// envelopeKey is the key of a member of the envelope, 0 if format 1 does not define it.
type envelopeKey uint8

const (
	keySeq envelopeKey = iota + 1
	keyTx
	keyKind
	keyOp
	keyID
	keyStream
	keyActor
	keyAction
	keyTime
	keyObject
)

// envelopeKeys are the keys of the envelope, as words: a key with its quote and colon has at
// most eight bytes. The word of a line is looked up by its first four bytes.
var envelopeKeys = func() (t struct {
	at   [16]envelopeKey // by keySlot, which differs for all
	keys [16]struct {
		word, mask uint64
		len        int
	}
}) {
	t.keys[0].word = 1 // no line has this, as the mask is 0
	for i, key := range [...]string{"seq", "tx", "kind", "op", "id", "stream", "actor", "action", "time", "object"} {
		m, k := envelopeKey(i+1), key+`":`
		for n := range len(k) {
			t.keys[m].word |= uint64(k[n]) << (8 * n)
			t.keys[m].mask |= 0xff << (8 * n)
		}
		t.keys[m].len = len(k)
		t.at[keySlot(t.keys[m].word)] = m
	}
	return t
}()

func keySlot(word uint64) uint32 { return uint32(word) * 54113 >> 28 }

// plainEnvelopeKey is plainKey of a member of the envelope.
func plainEnvelopeKey(line []byte, i int, raw string) (m envelopeKey, next int, ok bool) {
	if rest := line[min(i, len(line)):]; len(rest) > 9 && rest[0] == '"' {
		word := binary.LittleEndian.Uint64(rest[1:])
		m = envelopeKeys.at[keySlot(word)]
		if k := &envelopeKeys.keys[m%16]; word&k.mask == k.word {
			i = space(line, i+1+k.len)
			return m, i, i < len(line)
		}
	}
	key, next, ok := plainKey(line, i, raw)
	return envelopeKeyNamed(key), next, ok
}

// envelopeKeyNamed is the member with the key.
func envelopeKeyNamed(key string) envelopeKey {
	if n := len(key); n >= 2 && n <= 6 {
		var word uint64
		for i, c := range []byte(key + `":`) {
			word |= uint64(c) << (8 * i)
		}
		if m := envelopeKeys.at[keySlot(word)]; envelopeKeys.keys[m].word == word {
			return m
		}
	}
	return 0
}

// plainMember reads a member of the envelope.
func (d *Decoder) plainMember(e *envelope, m envelopeKey, v Value) bool {
	ev := e.ev
	switch m {
	case keySeq:
		ev.HasSeq, ev.Seq = true, v.Int
		return v.Type == Int
	case keyTx:
		ev.Tx = Tx{typ: v.Type, text: v.Str, number: v.Int}
		return v.Type == Int || v.Type == String
	case keyKind:
		e.hasKind, e.kind, ev.Kind = true, v.Str, ParseKind(v.Str)
	case keyOp:
		e.op, ev.Op = v.Str, parseOp(v.Str)
	case keyID:
		ev.ID = v.Str
	case keyStream:
		ev.Stream = v.Str
	case keyActor:
		ev.Actor = v.Str
	case keyAction:
		ev.Action = v.Str
	case keyTime:
		ev.Time = v.Str
		return v.Type == String && d.clock.read(v.Str, &ev.Nanos)
	case keyObject:
		return false // none
	default:
		return true // not a member of format 1
	}
	return v.Type == String
}

// plainFields reads "object", which begins at i. It returns the index after it.
func (e *envelope) plainFields(line []byte, i int) (int, bool) {
	e.fields, e.others, e.nested.count, e.object = e.fields[:0], 0, 0, Absent
	if i = space(line, i+1); i < len(line) && line[i] == '}' {
		return i + 1, true
	}
	for i--; ; { // at what precedes a key
		key, next, ok := plainKey(line, i+1, e.ev.Raw)
		if !ok {
			return 0, false
		}
		f := fieldByName(key)
		var v Value
		if line[next] == '{' || line[next] == '[' {
			print, end := plainPrint(line, next, e.ev.Raw, plainDepth)
			if end == 0 {
				return 0, false
			}
			v, next = Value{Type: Other, Str: e.ev.Raw[next:end]}, end
			if f != noField {
				e.nested.add(f, print)
			} else {
				e.others += nestedPrint(textPrint(key), print)
			}
		} else if v, next, ok = plainValue(line, next, e.ev.Raw, 0); !ok {
			return 0, false
		} else if f == noField {
			e.others += memberPrint(textPrint(key), &v)
		}
		if f != noField {
			e.fields = e.fields.set(f, v)
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
// is not plain or nests deeper than depth. It yields the envelopeKeys, or the
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
	rest := line[i:]
	for ; len(rest) >= 8; rest = rest[8:] {
		w := binary.LittleEndian.Uint64(rest)
		quote, escape := w^'"'*ones, w^'\\'*ones
		// The high bit of each byte that is a quote, a backslash or below a
		// space: none of them has a high bit. Bytes after the lowest hit may be
		// false hits.
		found := ((quote - ones) | (escape - ones) | (w - ' '*ones)) &^ w & highs
		if found != 0 {
			n := bits.TrailingZeros64(found) / 8
			if byte(w>>(8*n)) == '"' {
				return len(line) - len(rest) + n
			}
			return -1
		}
	}
	for n, c := range rest {
		switch {
		case c == '"':
			return len(line) - len(rest) + n
		case c == '\\' || c < ' ':
			return -1
		}
	}
	return -1
}

// isASCII is quick for the texts that utf8.Valid need not look at: false says nothing
// of those of less than eight bytes.
func isASCII(text []byte) bool {
	if len(text) < 8 {
		return false
	}
	all := binary.LittleEndian.Uint64(text[len(text)-8:])
	for ; len(text) >= 32; text = text[32:] {
		all |= binary.LittleEndian.Uint64(text) | binary.LittleEndian.Uint64(text[8:]) |
			binary.LittleEndian.Uint64(text[16:]) | binary.LittleEndian.Uint64(text[24:])
	}
	for ; len(text) >= 8; text = text[8:] {
		all |= binary.LittleEndian.Uint64(text)
	}
	return all&0x8080808080808080 == 0
}

// space returns where white space ends. Lines have no line feeds.
func space(line []byte, i int) int {
	for i < len(line) && line[i] <= ' ' && (line[i] == ' ' || line[i] == '\t' || line[i] == '\r') {
		i++
	}
	return i
}
