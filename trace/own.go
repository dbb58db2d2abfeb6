package trace

import (
	"strings"
	"unsafe"
)

// store holds copies of events that must outlive their lines.
type store struct {
	raw    []byte
	fields []Field
}

// The memory that is kept for reuse. More is allocated when needed.
const (
	keptBytes  = 64 << 10
	keptFields = 512
)

// isOversized reports whether the events use a small part of the memory.
func (s *store) isOversized() bool {
	return cap(s.raw) > max(keptBytes, 4*len(s.raw)) || cap(s.fields) > max(keptFields, 4*len(s.fields))
}

// reset reuses the memory: its events become invalid.
func (s *store) reset() {
	s.raw, s.fields = s.raw[:0], s.fields[:0]
}

// keep makes the event own its bytes. If the store grows, earlier events keep
// the old memory.
func (s *store) keep(ev *Event) {
	m := moved{ev.Raw, s.copy(ev.Raw)}
	first := len(s.fields)
	s.fields = append(s.fields, ev.Fields...)
	ev.Fields = Fields(s.fields[first:len(s.fields):len(s.fields)])
	for i := range ev.Fields {
		ev.Fields[i].Str = m.text(ev.Fields[i].Str)
	}
	ev.Raw, ev.packed = m.to, s.copy(ev.packed)
	ev.ID, ev.Tx.text = m.text(ev.ID), m.text(ev.Tx.text)
	if ev.Stream = m.text(ev.Stream); !m.holds(ev.Stream) {
		ev.Stream = strings.Clone(ev.Stream) // may be the key of a message
	}
	ev.Time, ev.Actor, ev.Action = m.text(ev.Time), m.text(ev.Actor), m.text(ev.Action)
}

// copy returns a copy of the text.
func (s *store) copy(text string) string {
	from := len(s.raw)
	s.raw = append(s.raw, text...)
	return stringOf(s.raw[from:])
}

// stringOf is the bytes as a string: they must not change while it is used.
func stringOf(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// moved is a copied line.
type moved struct{ from, to string }

// text returns the text in the copy, if it is part of the line. Text with
// escapes has its own memory.
func (m moved) text(s string) string {
	if s == "" {
		return ""
	}
	at := uintptr(unsafe.Pointer(unsafe.StringData(s))) - uintptr(unsafe.Pointer(unsafe.StringData(m.from)))
	if at >= uintptr(len(m.from)) {
		return s
	}
	return m.to[at : at+uintptr(len(s))]
}

// holds reports whether the text is part of the copy.
func (m moved) holds(s string) bool {
	return uintptr(unsafe.Pointer(unsafe.StringData(s)))-uintptr(unsafe.Pointer(unsafe.StringData(m.to))) < uintptr(len(m.to))
}

// Clone returns a copy that owns its bytes.
func (e *Event) Clone() Event {
	c := *e
	(&store{}).keep(&c)
	return c
}
