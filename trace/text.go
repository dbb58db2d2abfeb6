package trace

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/tidwall/gjson"
)

// HalfPair returns the index of the first escape in valid JSON that is half of
// a surrogate pair, or -1. Such a half is not a character. Names that differ
// only in it would all be read as U+FFFD.
func HalfPair(json string) int {
	for i := 0; ; {
		n := strings.IndexByte(json[i:], '\\')
		if n < 0 {
			return -1
		}
		i += n
		first, ok := escaped(json[i:])
		if !ok {
			i += 2
			continue
		}
		if utf16.IsSurrogate(first) {
			second, _ := escaped(json[i+escapeLen:])
			if utf16.DecodeRune(first, second) == utf8.RuneError {
				return i
			}
			i += escapeLen
		}
		i += escapeLen
	}
}

// escapeLen is the length of \u0000.
const escapeLen = len(`\u0000`)

// escaped reads the escape at the start of the text; ok is false unless it is
// \u and four digits.
func escaped(json string) (r rune, ok bool) {
	if len(json) < escapeLen || json[:2] != `\u` {
		return 0, false
	}
	n, err := strconv.ParseUint(json[2:escapeLen], 16, 16)
	return rune(n), err == nil
}

// notText is the reason for rejecting a name.
func notText(what, json string) string {
	at := HalfPair(json)
	return fmt.Sprintf("%s is not text: %s is half of a surrogate pair", what, json[at:at+escapeLen])
}

// InvalidUTF8 returns the index of the first byte that is not valid UTF-8, or
// -1.
func InvalidUTF8(text []byte) int {
	if utf8.Valid(text) {
		return -1
	}
	for at := 0; ; {
		r, n := utf8.DecodeRune(text[at:])
		if r == utf8.RuneError && n == 1 {
			return at
		}
		at += n
	}
}

// notUTF8 returns the error for a line that is not valid UTF-8, with the place.
func notUTF8(line []byte) string {
	at := InvalidUTF8(line)
	reason := fmt.Sprintf("the line is not valid UTF-8: byte %d is %#x", at+1, line[at])
	if tooDeep(line) || !gjson.ValidBytes(line) {
		return reason
	}
	var path []string
	for r := gjson.ParseBytes(line); r.IsObject(); {
		var found gjson.Result
		r.ForEach(func(key, value gjson.Result) bool {
			switch {
			case at < value.Index:
				reason += ", in a key"
				return false
			case at >= value.Index+len(value.Raw):
				return true
			}
			path, found = append(path, key.Str), value
			return false
		})
		r = found
	}
	if len(path) > 0 {
		reason += ", in " + excerpt(strings.Join(path, "."))
	}
	return reason
}
