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
