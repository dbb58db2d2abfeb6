package mapping

import (
	"fmt"
	"strconv"
	"strings"

	"tracecheck/trace"
)

// Half of a surrogate pair, as JSON may have it, is no text. While a line is
// mapped, a private character takes the place of each, so that what differs in them
// differs: gjson would read all as U+FFFD. The events have the halves again, and
// trace.Decoder refuses those whose names have one.
const private = 0x100000

// keepHalves is the JSON with private characters for halves; ok is false where
// it has none.
func keepHalves(json string) (kept string, ok bool) {
	at := trace.HalfPair(json)
	if at < 0 {
		return json, false
	}
	var b strings.Builder
	for rest := json; ; at = trace.HalfPair(rest) {
		if at < 0 {
			b.WriteString(rest)
			return b.String(), true
		}
		digits := rest[at+len(`\u`):][:4]
		half, _ := strconv.ParseUint(digits, 16, 16) // they are digits
		b.WriteString(rest[:at])
		b.WriteRune(private + rune(half))
		rest = rest[at+len(`\u`)+len(digits):]
	}
}

// putHalves puts the halves back into JSON.
func putHalves(json []byte) []byte {
	var out []byte
	for _, r := range string(json) {
		if r >= private+0xd800 && r < private+0xe000 {
			out = fmt.Appendf(out, `\u%04x`, r-private)
		} else {
			out = append(out, string(r)...)
		}
	}
	return out
}
