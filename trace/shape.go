package trace

import "strings"

// Shapes are the layouts of earlier lines. Most lines differ from an earlier one only in
// values, so their keys need no parsing. Decoders of one goroutine share it. The zero
// value is ready. Its size is bounded.
type Shapes struct {
	start  piece
	pieces int
}

// The bounds: lines with other pieces are read without shapes.
const (
	mostPieces = 256
	mostNext   = 16
	mostText   = 512 // in bytes
)

// piece is the text between two values of a line, or after the last. It includes the values
// of "kind", "op", "actor" and "action", since these are few.
type piece struct {
	text  string
	key   envelopeKey // of the value that follows; keyObject for a field's
	field FieldName
	print uint64   // of the field's name
	next  []*piece // the last one that was found is first
	end   *ending  // where a line ends
}

// ending is what the pieces of a line say.
type ending struct {
	kind          Kind
	op            Op
	hasMap        bool // a field is a map, whose keys may be repeated
	actor, action string
	prints        [2]uint64 // of these
}

// find returns the next piece, with which the text begins, or nil.
func (p *piece) find(text string) *piece {
	for i, q := range p.next {
		if strings.HasPrefix(text, q.text) {
			p.next[0], p.next[i] = q, p.next[0]
			return q
		}
	}
	return nil
}

// shaped reads a line with the shape of an earlier one, as plain does. It appends its
// fields. For other lines, ok is false.
func (d *Decoder) shaped(ev *Event, f Fields) (_ Fields, ok bool) {
	line := ev.Raw
	var known, others uint64 // the fingerprints of the fields
	p, i := &d.Shapes.start, 0
	for {
		rest := line[i:]
		if len(p.next) > 0 && strings.HasPrefix(rest, p.next[0].text) {
			p = p.next[0]
		} else if p = p.find(rest); p == nil {
			return f, false
		}
		if i += len(p.text); i >= len(line) {
			break
		}
		var v Value
		var print uint64
		switch c := line[i]; {
		case p.key == keyTime:
			if c != '"' {
				return f, false
			}
			nanos, end := d.clock.quick(line[i+1:])
			if end == 0 {
				if end = asciiString(line, i+1) - i - 1; end < 0 || !d.clock.read(line[i+1:][:end], &nanos) {
					return f, false
				}
			}
			ev.Nanos, ev.Time = nanos, line[i+1:][:end]
			i += end + 2
			continue
		case c == '"':
			end := asciiString(line, i+1)
			if end < 0 {
				return f, false
			}
			v.Type, v.Str, i = String, line[i+1:end], end+1
			print = textPrint(v.Str)
		case c == '{' || c == '[':
			h, end := plainPrint(line, i, plainDepth)
			if end == 0 || !validText(line[i:end]) {
				return f, false
			}
			v.Type, v.Str, print, i = Other, line[i:end], h, end
		default:
			var ok bool
			if v, i, ok = plainValue(line, i, 0); !ok {
				return f, false
			}
			print = uint64(v.Int)
		}
		switch p.key {
		case keyObject:
			print = mix(p.print<<8|uint64(v.Type), print)
			if p.field == noField {
				others += print
			} else {
				known += print
				f = append(f, Field{p.field, v})
			}
			continue
		case keyID:
			ok, ev.ID = v.Type == String && v.Str != "", v.Str
		case keySeq:
			ok, ev.HasSeq, ev.Seq = v.Type == Int, true, v.Int
		case keyStream:
			ok, ev.Stream = v.Type == String, v.Str
		case keyTx:
			ok, ev.Tx = v.Type == String || v.Type == Int, Tx{v.Str, v.Int, v.Type}
		default:
			ok = true
		}
		if !ok {
			return f, false
		}
	}
	end := p.end
	if end == nil {
		return f, false
	}
	ev.Kind, ev.Op, ev.Actor, ev.Action = end.kind, end.op, end.actor, end.action
	if ev.HasSeq {
		ev.Print = ev.print(others, end.prints[0], end.prints[1]) + known
	}
	if end.hasMap {
		_, twice := f.repeats(ev.Kind)
		return f, !twice
	}
	return f, true
}

// learn adds the shape of a line that plain has read, if there is room.
func (s *Shapes) learn(ev *Event) {
	line, p, from := ev.Raw, &s.start, 0
	var seen uint32 // the members
	fields, inside := 0, false
	for c, i := after(line, 0); ; {
		key, _, at := plainKey(line, i+1)
		q := piece{key: keyObject}
		if !inside {
			q.key = envelopeKeyNamed(key)
			if seen>>q.key&1 != 0 && q.key != 0 {
				return
			}
			seen |= 1 << q.key
		} else if q.field, q.print = fieldByName(key), textPrint(key); q.field != noField {
			fields++
		}
		switch {
		case !inside && q.key == keyObject:
			inside = true
			if c, i = after(line, at+1); c != '}' {
				i = at
				continue
			}
		case q.key == keyKind || q.key == keyOp || q.key == keyActor || q.key == keyAction:
			i = plainString(line, at+1) + 1
		default:
			q.text = line[from:at]
			if p = s.add(p, &q); p == nil {
				return
			}
			_, i, _ = plainValue(line, at, plainDepth)
			from = i
		}
		for c, i = after(line, i); c == '}'; c, i = after(line, i+1) {
			if !inside {
				if p = s.add(p, &piece{text: line[from:]}); p != nil && fields == len(ev.Fields) { // no key is repeated
					p.end = &ending{ev.Kind, ev.Op, distinct[ev.Kind] != noField, strings.Clone(ev.Actor), strings.Clone(ev.Action), [2]uint64{textPrint(ev.Actor), textPrint(ev.Action)}}
				}
				return
			}
			inside = false
		}
	}
}

// add returns the piece after another one, and adds it if there is room.
func (s *Shapes) add(p, q *piece) *piece {
	for _, known := range p.next {
		if known.text == q.text {
			return known
		}
	}
	if s.pieces == mostPieces || len(p.next) == mostNext || len(q.text) > mostText {
		return nil
	}
	s.pieces++
	q.text = strings.Clone(q.text)
	p.next = append(p.next, q)
	return q
}
