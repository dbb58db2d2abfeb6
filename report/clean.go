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

// shows reports whether a character is visible and harmless. Control characters
// (C0, DEL and C1), invisible characters, and those that change the writing
// direction are not.
func shows(r rune, size int) bool {
	return strconv.IsPrint(r) && (r != utf8.RuneError || size != 1)
}

// clean escapes invisible characters of one line of text.
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

// Visible returns a writer that escapes invisible characters, except for line
// ends and tabs, as JSON does: so valid JSON keeps its meaning. Several
// goroutines may use it. If a write ends within a character, the rest of it
// waits for the next write.
func Visible(w io.Writer) io.Writer { return &visible{to: w} }

type visible struct {
	mu   sync.Mutex
	to   io.Writer
	rest []byte // incomplete character
}

// Write implements io.Writer.
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
