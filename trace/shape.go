package trace

import (
	"slices"
	"strings"

	"tracecheck/internal/words"
)

// Shapes are the layouts of earlier lines, as a tree of pieces. Most lines differ from an
// earlier one only in values, so their keys need no parsing. Decoders of one goroutine may
// share it. The zero value is ready. Its size is bounded.
type Shapes struct {
	start  piece
	pieces int
	lines  int // that were learned
	misses int // twice the lines without a known shape, less those with one
}

// The bounds of Shapes. Lines beyond them are read without.
const (
	mostPieces = 256
	mostLines  = 512
	mostMisses = 4096 // then shapes cost more than they save
	mostNext   = 16
	mostText   = 512 // in bytes
)

// piece is the text between two values of a line, or after the last. It includes the values
// of "kind", "op", "actor" and "action", since these are few.
type piece struct {
	text  string
	head  uint64      // its first eight bytes
	tail  uint64      // its last eight bytes; of a shorter text, zeros first
	mask  uint64      // the bytes of tail that count
	key   envelopeKey // of the value that follows; keyObject for a field's
	field FieldName
	print uint64 // of the field's name
	next  []*piece
	last  *piece  // the one of next that was found last
	end   *ending // where a line ends
}

// word is the size of what is compared at once, in bytes.
const word = 8

// measure sets what at compares first.
func (p *piece) measure() {
	padded := strings.Repeat("\x00", word) + p.text
	p.tail, p.mask = words.At(padded, len(p.text)), ^uint64(0)
	if n := len(p.text); n < word {
		p.mask <<= 8 * (word - n)
	} else {
		p.head = words.At(p.text, 0)
	}
}

// at reports whether the line continues with the text at i. Texts begin alike, so their ends
// come first.
func (p *piece) at(line string, i int) bool {
	n := len(p.text)
	end := i + n
	if end > len(line) || end < word {
		return strings.HasPrefix(line[i:], p.text)
	}
	switch {
	case words.At(line, end-word)&p.mask != p.tail:
		return false
	case n <= word:
		return true
	case words.At(line, i) != p.head:
		return false
	}
	return n <= 2*word || line[i+word:end-word] == p.text[word:n-word]
}

// ending is what the pieces of a line say together.
type ending struct {
	kind          Kind
	op            Op
	actor, action string
	prints        [2]uint64 // of actor and action
}

// find returns the next piece, other than the last one, that is at i of the line, or nil.
func (p *piece) find(line string, i int) *piece {
	for k, q := range p.next {
		if q != p.last && q.at(line, i) {
			before := max(k-1, 0)
			p.next[before], p.next[k], p.last = q, p.next[before], q // those that are found often come first
			return q
		}
	}
	return nil
}

// shaped reads a line with the shape of an earlier one, as plain does. It appends the
// fields to the arena. For other lines, it returns false.
func (d *Decoder) shaped(ev *Event) bool {
	var others uint64 // the fingerprints of the fields that format 1 does not define
	line, p, first := ev.Raw, &d.Shapes.start, len(d.arena)
	for i := 0; ; {
		q := p.last
		if q == nil || !q.at(line, i) {
			if q = p.find(line, i); q == nil {
				return false
			}
		}
		p = q
		if i += len(p.text); i >= len(line) {
			if p.end == nil {
				return false
			}
			p.end.finish(ev, others)
			d.Shapes.misses = max(d.Shapes.misses-1, 0)
			if distinct[ev.Kind] != noField {
				_, twice := Fields(d.arena[first:]).repeats(ev.Kind)
				return !twice
			}
			return true
		}
		var v Value
		var print uint64
		switch line[i] {
		case '"':
			if i++; p.key == keyTime {
				end := d.clock.next(line, i, &ev.Nanos)
				if end < 0 {
					return false
				}
				ev.Time, i = line[i:end], end+1
				continue
			}
			end := textEnd(line, i)
			if end < 0 {
				return false
			}
			text := line[i:end]
			i = end + 1
			switch p.key {
			case keyID:
				if ev.ID = text; text == "" {
					return false
				}
				continue
			case keyStream:
				ev.Stream = text
				continue
			case keyTx:
				ev.Tx = Tx{typ: String, text: text}
				continue
			}
			v.Type, v.Str, print = String, text, textPrint(text)
		case '{', '[':
			h, end := d.keys.plainPrint(line, i, plainDepth)
			if end == 0 || !validText(line[i:end]) {
				return false
			}
			text := line[i:end]
			v.Type, v.Str, v.Int, print, i = Other, text, d.pack(p.field, text), h, end
		case 't', 'f', 'n':
			w, end, ok := plainValue(line, i, 0)
			if !ok {
				return false
			}
			v, print, i = w, uint64(w.Int), end
		default:
			n, end := words.Int(line, i)
			if end == 0 {
				return false
			}
			i = end
			switch p.key {
			case keySeq:
				ev.HasSeq, ev.Seq = true, n
				continue
			case keyTx:
				ev.Tx = Tx{typ: Int, number: n}
				continue
			}
			v.Type, v.Int, print = Int, n, uint64(n)
		}
		switch print = mix(p.print<<8|uint64(v.Type), print); {
		case p.key == keyObject && p.field != noField:
			ev.Print += print
			n := len(d.arena)
			d.arena = slices.Grow(d.arena, 1)[:n+1]
			f := &d.arena[n] // to copy a Field would take until its parts are stored
			f.Name, f.Type, f.Str, f.Int = p.field, v.Type, v.Str, v.Int
		case p.key == keyObject:
			others += print
		case p.key != 0:
			return false
		}
	}
}

// finish sets what the pieces of the line say, and adds to the fingerprint of the fields.
func (end *ending) finish(ev *Event, others uint64) {
	ev.Kind, ev.Op, ev.Actor, ev.Action = end.kind, end.op, end.actor, end.action
	if ev.HasSeq {
		ev.Print += ev.print(others, end.prints[0], end.prints[1])
	} else {
		ev.Print = 0
	}
}

// learn adds the shape of a line that plain has read, if there is room. known
// is the number of its fields.
func (s *Shapes) learn(ev *Event, known int) {
	if s.lines == mostLines {
		return
	}
	s.lines++
	line, p, from := ev.Raw, &s.start, 0
	var seen uint32 // the members
	fields, inside := 0, false
	var c byte
	for _, i := after(line, 0); ; {
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
			i = words.String(line, at+1) + 1
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
				if p = s.add(p, &piece{text: line[from:]}); p != nil && fields == known { // no key is repeated
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
	q.measure()
	p.next = append(p.next, q)
	return q
}
