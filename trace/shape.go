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
	print uint64 // of the field's name
	next  []*piece
	end   *ending // where a line ends
}

// ending is what the pieces of a line say.
type ending struct {
	kind          Kind
	op            Op
	actor, action string
	prints        [2]uint64 // of these
}

// after returns the piece at the start of the text, or nil. The last one is tried first.
func (p *piece) after(text string) *piece {
	for i, q := range p.next {
		if strings.HasPrefix(text, q.text) {
			p.next[0], p.next[i] = q, p.next[0]
			return q
		}
	}
	return nil
}

// shaped reads a line with the shape of an earlier one, as plain does. It returns
// the fields, after those that it gets. For other lines, ok is false.
func (d *Decoder) shaped(ev *Event, f Fields) (fields Fields, ok bool) {
	line := ev.Raw
	var known, others uint64 // the fingerprints of the fields
	p, i := &d.Shapes.start, 0
	for {
		if p = p.after(line[i:]); p == nil {
			return nil, false
		}
		if i += len(p.text); i >= len(line) {
			break
		}
		v := Value{Type: String}
		var print uint64
		switch c := line[i]; {
		case p.key == keyTime:
			end := d.clock.readAt(line, i+1, &ev.Nanos)
			if end < 0 || c != '"' {
				return nil, false
			}
			ev.Time, i = line[i+1:end], end+1
			continue
		case c == '"':
			end := asciiString(line, i+1)
			if end < 0 {
				return nil, false
			}
			v.Str, i = line[i+1:end], end+1
		case c == '{' || c == '[':
			h, end := plainPrint(line, i, plainDepth)
			if end == 0 || !validText(line[i:end]) {
				return nil, false
			}
			v, print, i = Value{Type: Other, Str: line[i:end]}, h, end
		default:
			var ok bool
			if v, i, ok = plainValue(line, i, 0); !ok {
				return nil, false
			}
			print = uint64(v.Int)
		}
		switch {
		case p.key == keyObject:
			if v.Type == String {
				print = textPrint(v.Str)
			}
			print = mix(p.print<<8|uint64(v.Type), print)
			if p.field == noField {
				others += print
			} else {
				known += print
				f = append(f, Field{p.field, v})
			}
		case p.key == keyID && v.Type == String && v.Str != "":
			ev.ID = v.Str
		case p.key == keySeq && v.Type == Int:
			ev.HasSeq, ev.Seq = true, v.Int
		case p.key == keyStream && v.Type == String:
			ev.Stream = v.Str
		case p.key == keyTx && (v.Type == String || v.Type == Int):
			ev.Tx = Tx{v.Str, v.Int, v.Type}
		case p.key != 0:
			return nil, false
		}
	}
	end := p.end
	if end == nil {
		return nil, false
	}
	ev.Kind, ev.Op, ev.Actor, ev.Action = end.kind, end.op, end.actor, end.action
	if ev.HasSeq {
		ev.Print = ev.print(others, end.prints[0], end.prints[1]) + known
	}
	_, twice := f.repeats(ev.Kind)
	return f, !twice
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
					p.end = &ending{ev.Kind, ev.Op, strings.Clone(ev.Actor), strings.Clone(ev.Action), [2]uint64{textPrint(ev.Actor), textPrint(ev.Action)}}
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
