package mapping

import (
	"fmt"
	"strconv"
	"strings"

	"tracecheck/trace"
)

// JSON may have half of a surrogate pair. gjson would read each as U+FFFD, so that
// different values look equal. While a line is mapped, a private character replaces each
// half. The events have the halves again, and trace.Decoder refuses them in names.
const private = 0x100000

// keepHalves returns the JSON with private characters for halves. ok is false if it has
// no half.
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
		half, _ := strconv.ParseUint(digits, 16, 16) // always hexadecimal digits
		b.WriteString(rest[:at])
		b.WriteRune(private + rune(half))
		rest = rest[at+len(`\u`)+len(digits):]
	}
}

// putHalves replaces private characters in JSON by the halves.
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
