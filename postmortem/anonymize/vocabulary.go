package anonymize

import (
	"strconv"
	"strings"
	"time"
	"unicode"
)

// vocabulary rewrites the strings of a log of any shape. A string consists of pieces: runs of
// letters, digits and underscores. Each piece gets the same new name everywhere, so different strings
// stay different, and the parts of joined strings stay the same.
type vocabulary struct {
	stay   map[string]bool // whole strings
	pieces map[string]bool // their pieces
	names  map[string]string
	last   int // the number of the last name
}

func newVocabulary(strings []string) *vocabulary {
	v := &vocabulary{stay: map[string]bool{}, pieces: map[string]bool{}, names: map[string]string{}}
	for _, s := range strings {
		v.stay[s] = true
		eachPiece(s, func(piece string, isPiece bool) {
			if isPiece {
				v.pieces[piece] = true
			}
		})
	}
	return v
}

// text is the new string. A number stays alone, and beside one piece of the vocabulary, as in "tcp/80".
func (v *vocabulary) text(old string, shifted func(string) (string, error)) string {
	if v.stay[old] || isNumeric(old) {
		return old
	}
	if _, err := time.Parse(time.RFC3339, old); err == nil {
		if text, err := shifted(old); err == nil {
			return text
		}
	}
	pieces, known := 0, 0
	eachPiece(old, func(piece string, isPiece bool) {
		if isPiece {
			pieces++
		}
		if v.pieces[piece] {
			known++
		}
	})
	var out strings.Builder
	eachPiece(old, func(piece string, isPiece bool) {
		if isPiece && !v.pieces[piece] && !(pieces == 2 && known == 1 && isNumber(piece)) {
			piece = v.name(piece)
		}
		out.WriteString(piece)
	})
	return out.String()
}

// name is the new name of a piece.
func (v *vocabulary) name(piece string) string {
	name, ok := v.names[piece]
	for !ok {
		v.last++
		name = "name" + strconv.Itoa(v.last)
		ok = !v.pieces[name]
	}
	v.names[strings.Clone(piece)] = name
	return name
}

func isNumeric(s string) bool {
	_, err := strconv.ParseFloat(s, 64)
	return err == nil && strings.ContainsAny(s, "0123456789") // not "inf"
}

// eachPiece calls do with the pieces of a string, and with what is between them, in order.
func eachPiece(s string, do func(part string, isPiece bool)) {
	inPiece := func(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) }
	for s != "" {
		end := strings.IndexFunc(s, func(r rune) bool { return !inPiece(r) })
		if end != 0 {
			if end < 0 {
				end = len(s)
			}
			do(s[:end], true)
		} else {
			if end = strings.IndexFunc(s, inPiece); end < 0 {
				end = len(s)
			}
			do(s[:end], false)
		}
		s = s[end:]
	}
}
