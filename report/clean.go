package report

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
	"unicode/utf16"
	"unicode/utf8"
)

// shows says that a character is seen, and only seen. Control characters (C0, DEL
// and C1) are not, nor are invisible ones, and those that change the direction of
// writing.
func shows(r rune, size int) bool {
	return strconv.IsPrint(r) && (r != utf8.RuneError || size != 1)
}

// clean makes visible what does not show, for one line of text.
func clean(text string) string {
	if allShow(text) {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, text[i])
		case r == '\t':
			b.WriteByte(' ')
		case shows(r, size):
			b.WriteRune(r)
		default:
			b.WriteString(strings.Trim(strconv.QuoteRuneToASCII(r), "'"))
		}
		i += size
	}
	return b.String()
}

func allShow(text string) bool {
	for _, r := range text {
		if r == utf8.RuneError || !strconv.IsPrint(r) {
			return false
		}
	}
	return true
}

// Visible returns a writer of text that escapes what does not show, line ends and
// tabs aside, and passes all else on. It escapes as JSON does, so that JSON means
// what it meant. It may be used by several goroutines. A character that is parted
// between two writes is held back until it is whole.
func Visible(w io.Writer) io.Writer { return &visible{to: w} }

type visible struct {
	mu   sync.Mutex
	to   io.Writer
	rest []byte // the beginning of a character
}

// Write is that of io.Writer.
func (v *visible) Write(p []byte) (int, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	text := append(v.rest, p...)
	out := make([]byte, 0, len(text))
	for len(text) > 0 && utf8.FullRune(text) {
		r, size := utf8.DecodeRune(text)
		if r == '\n' || r == '\t' || shows(r, size) {
			out = append(out, text[:size]...)
		} else {
			for _, unit := range utf16.AppendRune(nil, r) {
				out = fmt.Appendf(out, `\u%04x`, unit)
			}
		}
		text = text[size:]
	}
	v.rest = bytes.Clone(text)
	if _, err := v.to.Write(out); err != nil {
		return 0, err
	}
	return len(p), nil
}
