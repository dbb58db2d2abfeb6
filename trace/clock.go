package trace

import (
	"encoding/binary"
	"time"

	"tracecheck/internal/words"
)

// clock parses times. Most are in the same minute as the previous one.
type clock struct {
	minute [minuteLen]byte // "2006-01-02T15:04:", of the last time
	nanos  int64           // its start, in ns since 1970
}

// minuteLen is the length of a time up to the seconds.
const minuteLen = len("2006-01-02T15:04:")

// read sets nanos to the time, in ns since 1970, within the range of int64. It
// returns false if text is not in RFC 3339.
func (c *clock) read(text string, nanos *int64) bool {
	if len(text) > minuteLen && text[:minuteLen] == string(c.minute[:]) {
		if n, ok := seconds(text[minuteLen:]); ok {
			*nanos = c.nanos + n
			return true
		}
	}
	t, ok := parseTime(text)
	if !ok {
		return false
	}
	*nanos = nanos64(t)
	if n, ok := seconds(text[min(minuteLen, len(text)):]); ok && t.Year() >= 1970 && t.Year() < 2200 {
		copy(c.minute[:], text)
		c.nanos = *nanos - n
	}
	return true
}

// parseTime is strict: time.Parse, and UnmarshalText with it, also accept hours of one digit, a
// comma before the decimals, and offsets of 24 hours or 60 minutes.
func parseTime(text string) (time.Time, bool) {
	t, err := time.Parse(time.RFC3339, text)
	if err != nil || text[len("2006-01-02T15")] != ':' || text[len("2006-01-02T15:04:05")] == ',' {
		return t, false
	}
	end := len(text)
	return t, text[end-1] == 'Z' || text[end-len("07:00"):end-len(":00")] < "24" && text[end-len("00"):] < "60"
}

// next reads the time at i of the line, and its closing quote. It returns the index of the
// quote, or -1. Quick are times in the last minute with one to six decimals.
func (c *clock) next(line string, i int, nanos *int64) (end int) {
	if text := line[i:]; len(text) >= minuteLen+len("05.")+8 && words.At(text, 0) == binary.LittleEndian.Uint64(c.minute[:]) &&
		words.At(text, 8) == binary.LittleEndian.Uint64(c.minute[8:]) && text[minuteLen-1] == ':' && c.nanos != 0 {
		tens, ones := text[minuteLen]-'0', text[minuteLen+1]-'0'
		w := words.At(text, minuteLen+3)
		decimals, n := words.Digits(w)
		if tens <= 5 && ones <= 9 && text[minuteLen+2] == '.' && n-1 < 6 && uint16(w>>(8*n%64)) == 'Z'|'"'<<8 {
			*nanos = c.nanos + int64(10*tens+ones)*1e9 + int64(decimals)*powers[9-n]
			return i + minuteLen + len("05.Z") + int(n)
		}
	}
	if end = textEnd(line, i); end < 0 || !c.read(line[i:end], nanos) {
		return -1
	}
	return end
}

// seconds reads "05Z" and "05.123Z", with up to nine decimals, in ns.
func seconds(text string) (int64, bool) {
	if len(text) < 3 || text[len(text)-1] != 'Z' || text[0] < '0' || text[0] > '5' || text[1]-'0' > 9 {
		return 0, false
	}
	n := 10*int64(text[0]-'0') + int64(text[1]-'0')
	if len(text) == 3 {
		return n * int64(time.Second), true
	}
	decimals := text[3 : len(text)-1]
	if text[2] != '.' || len(decimals) == 0 || len(decimals) > 9 {
		return 0, false
	}
	for i := range len(decimals) {
		c := decimals[i] - '0'
		if c > 9 {
			return 0, false
		}
		n = 10*n + int64(c)
	}
	return n * powers[9-len(decimals)], true
}

// powers are those of 10.
var powers = [...]int64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8}
