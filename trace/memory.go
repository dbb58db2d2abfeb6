package trace

import (
	"encoding/binary"

	"tracecheck/trace/codec"
)

// DefaultRemember is the default of Sequencer.Remember.
const DefaultRemember = 256

// memory has 16 bits of the fingerprint of each of a stream's last numbered
// lines. It is small, since there may be many streams.
type memory struct {
	prints []uint16 // a ring buffer at its full size
	at     int32    // index after the last line
	known  int32    // number of lines remembered
	lines  int64    // number of lines so far
	gaps   *[]hole  // gaps between remembered lines, in order; nil: none
}

// leastPrints are the lines that a short stream has.
const leastPrints = 32

// hole is a range of skipped numbers before a line.
type hole struct {
	place       int64
	first, last int64
}

// mostHoles bounds the memory of a stream with many gaps.
const mostHoles = 16

// recall is the comparison of a line with the remembered line of its number.
type recall uint8

const (
	recallSame  recall = iota // equal
	recallOther               // different
	recallLate                // the number was skipped
	recallOlder               // the number is no longer remembered
)

func short(print uint64) uint16 { return uint16(print ^ print>>32) }

// add remembers the next line.
func (m *memory) add(print uint64, most int) {
	switch at := int(m.at); {
	case at < len(m.prints):
		m.prints[at] = short(print)
	case at < most:
		if m.prints == nil {
			m.prints = make([]uint16, 0, min(most, leastPrints))
		}
		m.prints = append(m.prints, short(print))
	default:
		m.at = 0
		m.prints[0] = short(print)
	}
	m.at++
	m.lines++
	if m.known++; int(m.known) > len(m.prints) {
		m.forget(m.from() + 1)
	}
}

// from is the index of the first remembered line.
func (m *memory) from() int64 { return m.lines - int64(m.known) }

func (m *memory) holes() []hole {
	if m.gaps == nil {
		return nil
	}
	return *m.gaps
}

func (m *memory) addHole(h hole) {
	if m.gaps == nil {
		m.gaps = &[]hole{}
	}
	*m.gaps = append(*m.gaps, h)
}

// print returns the fingerprint of a remembered line.
func (m *memory) print(place int64) uint16 {
	at := int(m.at) - int(m.lines-place)
	if at < 0 {
		at += len(m.prints)
	}
	return m.prints[at]
}

// skip remembers that the numbers between last and next are missing.
func (m *memory) skip(last, next int64) {
	if holes := m.holes(); len(holes) == mostHoles {
		m.forget(holes[0].place)
	}
	m.addHole(hole{m.lines, last + 1, next - 1})
}

// forget forgets the lines before the index.
func (m *memory) forget(place int64) {
	m.known = int32(m.lines - place)
	for holes := m.holes(); len(holes) > 0 && holes[0].place <= place; holes = *m.gaps {
		*m.gaps = append(holes[:0], holes[1:]...)
	}
}

// reset forgets everything.
func (m *memory) reset() { *m = memory{prints: m.prints[:0]} }

// look compares a line with the remembered line of its number. seq is at most
// last.
func (m *memory) look(seq int64, print uint64, last int64) recall {
	back := uint64(last) - uint64(seq) // no overflow: last >= seq
	holes := m.holes()
	for i := len(holes) - 1; i >= 0 && seq <= holes[i].last; i-- {
		h := &holes[i]
		if seq >= h.first {
			return recallLate
		}
		back -= uint64(h.last) - uint64(h.first) + 1
	}
	switch {
	case back >= uint64(m.known):
		return recallOlder
	case m.print(m.lines-1-int64(back)) != short(print):
		return recallOther
	}
	return recallSame
}

// code encodes or decodes the memory, with at most the given number of lines.
func (m *memory) code(c *codec.Codec, most int) {
	known := int(m.known)
	b := make([]byte, 0, 2*known)
	for i := m.from(); i < m.lines; i++ {
		b = binary.LittleEndian.AppendUint16(b, m.print(i))
	}
	text := string(b)
	codec.String(c, &text)
	holes := m.holes()
	codec.Slice(c, &holes, func(h *hole) {
		place := m.lines - h.place // number of lines after it
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
			c.Fail("numbers %d to %d are not a gap", h.first, h.last)
			return
		}
	}
	for i := range known {
		for len(holes) > 0 && holes[0].place == int64(i) {
			m.addHole(holes[0])
			holes = holes[1:]
		}
		m.add(uint64(text[2*i])|uint64(text[2*i+1])<<8, most)
	}
	for _, h := range holes {
		m.addHole(h)
	}
}
