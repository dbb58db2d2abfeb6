package syntax

import "unicode/utf8"

// start is the place of a text's first character.
var start = Pos{1, 1}

// tabStop is the distance of the tab stops that SANY counts columns with.
const tabStop = 8

// pass moves from byte i of a text to the next one.
func (p *Pos) pass(text []byte, i int) {
	switch c := text[i]; {
	case c == '\n', c == '\r' && (i+1 == len(text) || text[i+1] != '\n'):
		p.Line++
		p.Col = 1
	case c == '\t':
		p.Col += tabStop - (p.Col-1)%tabStop
	case utf8.RuneStart(c):
		p.Col++
	}
}

// Source finds pieces of a text by their places.
type Source struct {
	text  []byte
	lines []int // offsets of the lines
}

// NewSource returns a Source of a text, which must not change.
func NewSource(text []byte) *Source {
	s := &Source{text, []int{0}}
	at := start
	for i := range text {
		line := at.Line
		at.pass(text, i)
		if at.Line > line {
			s.lines = append(s.lines, i+1)
		}
	}
	return s
}

// Cut returns the text of a span, "" of one that is not of this text.
func (s *Source) Cut(at Span) string {
	from, to := s.offset(at.From), s.offset(at.To)
	if from > to || to >= len(s.text) {
		return ""
	}
	_, n := utf8.DecodeRune(s.text[to:])
	return string(s.text[from : to+n])
}

// offset returns the offset of a place, or of the text's end.
func (s *Source) offset(at Pos) int {
	if at.Line < 1 || at.Line > len(s.lines) {
		return len(s.text)
	}
	pos, i := Pos{at.Line, 1}, s.lines[at.Line-1]
	for i < len(s.text) && pos.before(at) {
		pos.pass(s.text, i)
		i++
	}
	for i < len(s.text) && !utf8.RuneStart(s.text[i]) {
		i++ // the rest of the character before
	}
	return i
}
