package trace

import (
	"math/bits"
	"unicode/utf8"

	"tracecheck/internal/words"
)

// plain is a fast path for common lines: strings without escapes, integers, and
// nothing to reject. It checks the JSON while it reads. For any other line it
// returns false, and gjson reads it. Both read the same. The line must be valid
// UTF-8.
func (d *Decoder) plain(line string, e *envelope) bool {
	ev := e.ev
	c, i := after(line, 0)
	if c != '{' {
		return false
	}
	for { // at what precedes a key
		var key string
		key, c, i = plainKey(line, i+1)
		m, ok := envelopeKeyNamed(key), true
		switch {
		case c == 0:
			return false
		case c == '"':
			end := words.String(line, i+1)
			if end < 0 {
				return false
			}
			text := line[i+1 : end]
			i = end + 1
			switch m {
			case keyTx:
				ev.Tx = Tx{typ: String, text: text}
			case keyKind:
				e.hasKind, e.kind, ev.Kind = true, text, ParseKind(text)
			case keyOp:
				e.op, ev.Op = text, parseOp(text)
			case keyID:
				ev.ID = text
			case keyStream:
				ev.Stream = text
			case keyActor:
				ev.Actor = text
			case keyAction:
				ev.Action = text
			case keyTime:
				ev.Time = text
				ok = d.clock.read(text, &ev.Nanos)
			case keySeq, keyObject:
				ok = false
			}
		case m == keySeq:
			ev.HasSeq = true
			ev.Seq, i = words.Int(line, i)
			ok = i > 0
		case m == keyTx:
			ev.Tx = Tx{typ: Int}
			ev.Tx.number, i = words.Int(line, i)
			ok = i > 0
		case m == keyObject && c == '{':
			i, ok = e.plainFields(line, i, &d.keys)
		case m == 0: // not a member of format 1
			_, i, ok = plainValue(line, i, plainDepth)
		default:
			ok = false
		}
		if !ok {
			return false
		}
		if c, i = after(line, i); c != ',' {
			return c == '}' && space(line, i+1) == len(line)
		}
	}
}

// after skips space, which there rarely is, and returns what follows: 0 at the end.
func after(line string, i int) (c byte, next int) {
	if i < len(line) && line[i] > ' ' {
		return line[i], i
	}
	if i = space(line, i); i < len(line) {
		c = line[i]
	}
	return c, i
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

// envelopeKeyNamed is the member with the key.
func envelopeKeyNamed(key string) envelopeKey {
	switch key {
	case "seq":
		return keySeq
	case "tx":
		return keyTx
	case "kind":
		return keyKind
	case "op":
		return keyOp
	case "id":
		return keyID
	case "stream":
		return keyStream
	case "actor":
		return keyActor
	case "action":
		return keyAction
	case "time":
		return keyTime
	case "object":
		return keyObject
	}
	return 0
}

// plainFields reads "object", which begins at i. It returns the index after it.
func (e *envelope) plainFields(line string, i int, keys *keys) (int, bool) {
	e.fields, e.others, e.nested.count, e.object = e.fields[:0], 0, 0, Absent
	c, next := after(line, i+1)
	if c == '}' {
		return next + 1, true
	}
	for { // at what precedes a key
		var key string
		if key, c, next = plainKey(line, i+1); c == 0 {
			return 0, false
		}
		f := fieldByName(key)
		var v Value
		switch c {
		case '"':
			end := words.String(line, next+1)
			if end < 0 {
				return 0, false
			}
			v.Type, v.Str, i = String, line[next+1:end], end+1
		case '{', '[':
			print, end := keys.plainPrint(line, next, plainDepth)
			if end == 0 {
				return 0, false
			}
			v, i = Value{Type: Other, Str: line[next:end]}, end
			if f != noField {
				e.nested.add(f, print)
			} else {
				e.others += nestedPrint(textPrint(key), print)
			}
		default:
			var ok bool
			if v, i, ok = plainValue(line, next, 0); !ok {
				return 0, false
			}
		}
		if f != noField {
			e.fields = e.fields.set(f, v)
		} else if v.Type != Other {
			e.others += memberPrint(textPrint(key), &v)
		}
		if c, i = after(line, i); c != ',' {
			return i + 1, c == '}'
		}
	}
}

// plainKey reads a key and its colon. It returns where the value begins, and its first
// byte; 0 if there is none.
func plainKey(line string, i int) (key string, c byte, next int) {
	if c, i = after(line, i); c != '"' {
		return "", 0, 0
	}
	end := words.String(line, i+1)
	if end < 0 {
		return "", 0, 0
	}
	key = line[i+1 : end]
	if c, i = after(line, end+1); c != ':' {
		return "", 0, 0
	}
	c, i = after(line, i+1)
	return key, c, i
}

// plainValue reads the value that begins at i. It returns the index after it.
// depth bounds its nesting.
func plainValue(line string, i int, depth int) (v Value, next int, ok bool) {
	switch c := line[i]; c {
	case '"':
		end := words.String(line, i+1)
		if end < 0 {
			return v, 0, false
		}
		return Value{Type: String, Str: line[i+1 : end]}, end + 1, true
	case 't', 'n':
		if len(line) < i+4 {
			return v, 0, false
		}
		switch line[i : i+4] {
		case "true":
			return Value{Type: Bool, Int: 1}, i + 4, true
		case "null":
			return Value{Type: Null}, i + 4, true
		}
	case 'f':
		if len(line) >= i+5 && line[i:i+5] == "false" {
			return Value{Type: Bool}, i + 5, true
		}
	case '[', '{':
		end := plainEnd(line, i, depth, nil)
		if end < 0 {
			return v, 0, false
		}
		return Value{Type: Other, Str: line[i:end]}, end, true
	default:
		n, end := words.Int(line, i)
		return Value{Type: Int, Int: n}, end, end > 0
	}
	return v, 0, false
}

// plainDepth bounds the nesting of a value in a line or in its object.
const plainDepth = MaxDepth - 2

// plainEnd returns where the array or object that begins at i ends, or -1 if it
// is not plain or nests deeper than depth. It yields the members, or the
// elements with the key "", unless yield is nil. It stops when yield returns
// false.
func plainEnd(line string, i int, depth int, yield func(key string, v Value) bool) int {
	if depth == 0 {
		return -1
	}
	object, closing := line[i] == '{', line[i]+2 // of '[' and '{', in ASCII
	c, next := after(line, i+1)
	if c == closing {
		return next + 1
	}
	for { // at what precedes a key or an element
		key := ""
		if object {
			key, c, next = plainKey(line, i+1)
		} else {
			c, next = after(line, i+1)
		}
		if c == 0 {
			return -1
		}
		var v Value
		var ok bool
		if v, i, ok = plainValue(line, next, depth-1); !ok {
			return -1
		}
		if yield != nil && !yield(key, v) {
			return i
		}
		if c, i = after(line, i); c == closing {
			return i + 1
		} else if c != ',' {
			return -1
		}
	}
}

// textEnd is words.String of a text that may not be valid UTF-8: it is -1 where the string
// is not.
func textEnd(text string, i int) int {
	first := i
	for ; i+8 <= len(text); i += 8 {
		w := words.At(text, i)
		if found := words.Special(w) | w&words.Highs; found != 0 {
			n := bits.TrailingZeros64(found) &^ 7
			if byte(w>>n) == '"' {
				return i + n/8
			}
			break
		}
	}
	for ; i < len(text) && text[i] >= ' ' && text[i] < utf8.RuneSelf && text[i] != '\\'; i++ {
		if text[i] == '"' {
			return i
		}
	}
	if end := words.String(text, i); end >= 0 && utf8.ValidString(text[first:end]) {
		return end
	}
	return -1
}

// validText reports whether the text is valid UTF-8. It is quick for ASCII.
func validText(text string) bool {
	rest, all := text, uint64(words.Highs)
	if len(text) >= 8 {
		all = words.At(text, len(text)-8)
	}
	for ; len(rest) > 32; rest = rest[32:] {
		all |= words.At(rest, 0) | words.At(rest, 8) | words.At(rest, 16) | words.At(rest, 24)
	}
	for ; len(rest) > 8; rest = rest[8:] {
		all |= words.At(rest, 0)
	}
	return all&words.Highs == 0 || utf8.ValidString(text)
}

// space returns where white space ends. Lines have no line feeds.
func space(line string, i int) int {
	for i < len(line) && line[i] <= ' ' && (line[i] == ' ' || line[i] == '\t' || line[i] == '\r') {
		i++
	}
	return i
}
