package mapping

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"tracecheck/trace"
)

// conversion converts a value to another type. null stays null.
type conversion struct {
	to        target
	perSecond int64  // for asEpoch: units per second
	layout    string // for asLayout: a layout of Go's package time
}

type target uint8

const (
	asItIs target = iota
	asInteger
	asBoolean
	asEpoch  // a count since 1970 becomes a time in RFC 3339
	asLayout // a time in another layout becomes a time in RFC 3339
)

// conversions are the values of the key as.
var conversions = map[string]conversion{
	"integer":      {to: asInteger},
	"boolean":      {to: asBoolean},
	"seconds":      {to: asEpoch, perSecond: 1},
	"milliseconds": {to: asEpoch, perSecond: 1e3},
	"microseconds": {to: asEpoch, perSecond: 1e6},
	"nanoseconds":  {to: asEpoch, perSecond: 1e9},
}

func (c *conversion) append(dst []byte, v *gjson.Result) ([]byte, error) {
	text, ok := plainText(v)
	if !ok {
		return dst, fmt.Errorf("an array or object is not %s", c)
	}
	switch c.to {
	case asInteger:
		if n, ok := trace.Integer(text); ok {
			return strconv.AppendInt(dst, n, 10), nil
		}
	case asBoolean:
		if text == "true" || text == "false" {
			return append(dst, text...), nil
		}
	case asEpoch:
		if t, ok := epoch(text, c.perSecond); ok {
			return appendTime(dst, t), nil
		}
	case asLayout:
		if t, err := time.Parse(c.layout, text); err == nil && inFourDigits(t) {
			return appendTime(dst, t), nil
		}
	}
	return dst, fmt.Errorf("%q is not %s", excerpt(text), c)
}

func (c *conversion) String() string {
	switch c.to {
	case asInteger:
		return "an integer"
	case asBoolean:
		return "a boolean: give a table for other words"
	case asEpoch:
		return "a number of seconds, or of parts of one, since 1970"
	}
	return fmt.Sprintf("a time in the layout %q", c.layout)
}

func appendTime(dst []byte, t time.Time) []byte {
	dst = append(dst, '"')
	dst = t.AppendFormat(dst, time.RFC3339Nano)
	return append(dst, '"')
}

// inFourDigits reports whether RFC 3339 can represent the year.
func inFourDigits(t time.Time) bool { return t.Year() >= 0 && t.Year() <= 9999 }

// epoch reads a decimal count of a unit since 1970, exact to the nanosecond. A float64 of
// today's seconds is not exact.
func epoch(text string, perSecond int64) (time.Time, bool) {
	digits, negative := strings.CutPrefix(text, "-")
	whole, part, _ := strings.Cut(digits, ".")
	n, err := strconv.ParseUint(whole, 10, 63)
	nano := int64(0)
	for unit, i := int64(1e9)/perSecond, 0; err == nil && i < len(part); i++ {
		if part[i] < '0' || part[i] > '9' {
			err = strconv.ErrSyntax
		}
		unit /= 10
		nano += int64(part[i]-'0') * unit
	}
	if err != nil {
		f, err := strconv.ParseFloat(digits, 64) // such as 1.7e9
		if err != nil || !(f >= 0 && f/float64(perSecond) < 1e12) {
			return time.Time{}, false
		}
		sec, frac := math.Modf(f / float64(perSecond))
		n, perSecond, nano = uint64(sec), 1, int64(frac*1e9)
	}
	sec := int64(n) / perSecond
	nano += int64(n) % perSecond * (1e9 / perSecond)
	if negative {
		sec, nano = -sec, -nano
	}
	t := time.Unix(sec, nano).UTC()
	return t, sec < 1e12 && sec > -1e12 && inFourDigits(t)
}
