package trace

import (
	"encoding/binary"

	"tracecheck/trace/codec"
)

// DefaultRemember is how many of a stream's last numbered lines are remembered.
const DefaultRemember = 256

// memory is what the last numbered lines of a stream said: of each 16 bits of
// its fingerprint, so that many streams stay small.
type memory struct {
	prints []uint16 // a ring once it has its full size
	at     int      // in it, behind the last line
	lines  int64    // how many there were
	from   int64    // those before it are forgotten
	holes  []hole   // between lines that are remembered, in their order
}

// hole is numbers that were skipped, before the line of that place.
type hole struct {
	place       int64
	first, last int64
}

// mostHoles bounds the memory of a stream that has gaps only.
const mostHoles = 16

// recall is what a line says beside what is remembered under its number.
type recall uint8

const (
	recallSame  recall = iota // the same
	recallOther               // something else
	recallLate                // nothing: the number was skipped
	recallOlder               // nothing: the number is not remembered
)

func short(print uint64) uint16 { return uint16(print ^ print>>32) }

// add remembers the stream's next line.
func (m *memory) add(print uint64, most int) {
	switch {
	case m.at < len(m.prints):
		m.prints[m.at] = short(print)
	case m.at < most:
		m.prints = append(m.prints, short(print))
	default:
		m.at = 0
		m.prints[0] = short(print)
	}
	m.at++
	if m.lines++; m.lines-m.from > int64(len(m.prints)) {
		m.forget(m.from + 1)
	}
}

// print is that of the line of that place, which is remembered.
func (m *memory) print(place int64) uint16 {
	at := m.at - int(m.lines-place)
	if at < 0 {
		at += len(m.prints)
	}
	return m.prints[at]
}

// skip remembers that the numbers behind last and before next are missing.
func (m *memory) skip(last, next int64) {
	if len(m.holes) == mostHoles {
		m.forget(m.holes[0].place)
	}
	m.holes = append(m.holes, hole{m.lines, last + 1, next - 1})
}

// forget forgets the lines before that place.
func (m *memory) forget(place int64) {
	m.from = place
	for len(m.holes) > 0 && m.holes[0].place <= place {
		m.holes = append(m.holes[:0], m.holes[1:]...)
	}
}

// reset forgets all.
func (m *memory) reset() { *m = memory{prints: m.prints[:0], holes: m.holes[:0]} }

// look compares a line with the one of that number, which is none above last.
func (m *memory) look(seq int64, print uint64, last int64) recall {
	back := uint64(last) - uint64(seq) // no overflow: last >= seq
	for i := len(m.holes) - 1; i >= 0 && seq <= m.holes[i].last; i-- {
		h := &m.holes[i]
		if seq >= h.first {
			return recallLate
		}
		back -= uint64(h.last) - uint64(h.first) + 1
	}
	switch {
	case back >= uint64(m.lines-m.from):
		return recallOlder
	case m.print(m.lines-1-int64(back)) != short(print):
		return recallOther
	}
	return recallSame
}

// code writes the memory down, or makes it again as one of at most so many
// lines.
func (m *memory) code(c *codec.Codec, most int) {
	known := int(m.lines - m.from)
	b := make([]byte, 0, 2*known)
	for i := m.from; i < m.lines; i++ {
		b = binary.LittleEndian.AppendUint16(b, m.print(i))
	}
	text := string(b)
	codec.String(c, &text)
	holes := m.holes
	codec.Slice(c, &holes, func(h *hole) {
		place := m.lines - h.place // how many lines are behind it
		codec.Int(c, &place)
		codec.Int(c, &h.first)
		codec.Int(c, &h.last)
		if c.Reading() {
			h.place = place
		}
	})
	if !c.Reading() {
		return
	}
	known = len(text) / 2
	*m = memory{}
	for i := range holes {
		h := &holes[i]
		if h.place = int64(known) - h.place; h.place < 0 || h.place > int64(known) || h.first > h.last || i > 0 && h.first <= holes[i-1].last {
			c.Fail("numbers %d to %d are no gap", h.first, h.last)
			return
		}
	}
	for i := range known {
		for len(holes) > 0 && holes[0].place == int64(i) {
			m.holes, holes = append(m.holes, holes[0]), holes[1:]
		}
		m.add(uint64(text[2*i])|uint64(text[2*i+1])<<8, most)
	}
	m.holes = append(m.holes, holes...)
}
