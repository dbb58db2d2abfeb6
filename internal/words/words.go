// Package words reads JSON text eight bytes at a time.
package words

import "math/bits"

const ones = 0x0101010101010101

// Highs has the high bit of each byte.
const Highs = 0x8080808080808080

// At is the eight bytes at i, the first one lowest.
func At(s string, i int) uint64 {
	s = s[i : i+8]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

// Special has the high bit of each byte that is a quote, a backslash or below a space:
// none of them has a high bit. Bytes after the lowest hit may be false hits.
func Special(w uint64) uint64 {
	low, escape := w^('"'^' ')*ones, w^'\\'*ones // a quote becomes a space
	return ((low - (' '+1)*ones) | (escape - ones)) &^ w & Highs
}

// Digits reads the digits at the start of eight bytes. It returns their value and their number.
func Digits(w uint64) (n uint64, count uint) {
	d := w ^ '0'*ones
	count = uint(bits.TrailingZeros64((d+(0x80-10)*ones|d)&Highs)) / 8
	d <<= (64 - 8*count) % 64 // leading zeros instead of what follows
	d = d * (1 + 10<<8) >> 8 & 0x00ff00ff00ff00ff
	d = d * (1 + 100<<16) >> 16 & 0x0000ffff0000ffff
	return d * (1 + 10000<<32) >> 32, count
}

// String returns the index of the quote that closes the string, which continues at i. It
// returns -1 if the string has an escape, a control character or no end.
func String(text string, i int) int {
	for ; i+8 <= len(text); i += 8 {
		w := At(text, i)
		if found := Special(w); found != 0 {
			n := bits.TrailingZeros64(found) &^ 7
			if byte(w>>n) == '"' {
				return i + n/8
			}
			return -1
		}
	}
	for ; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"':
			return i
		case c == '\\' || c < ' ':
			return -1
		}
	}
	return -1
}

// Int reads the integer of at most 18 digits at i. It returns the index after it, or 0. The
// text goes on up to i or beyond.
func Int(text string, i int) (n int64, end int) {
	if i+8 <= len(text) { // most have at most seven digits, and no sign
		w := At(text, i)
		n, count := Digits(w)
		if c := byte(w >> (8 * count % 64)); count-1 < 7 && c != '.' && c|0x20 != 'e' && (count == 1 || byte(w) != '0') {
			return int64(n), i + int(count)
		}
	}
	negative := text[i] == '-'
	if negative {
		i++
	}
	first := i
	for i < len(text) && text[i]-'0' <= 9 {
		n = 10*n + int64(text[i]-'0')
		i++
	}
	digits := i - first
	if digits == 0 || digits > 18 || digits > 1 && text[first] == '0' {
		return 0, 0
	}
	if i < len(text) && (text[i] == '.' || text[i]|0x20 == 'e') {
		return 0, 0
	}
	if negative {
		n = -n
	}
	return n, i
}
