package words

import (
	"strconv"
	"strings"
	"testing"
)

// TestInt compares with strconv: numbers of each length, before what may follow them.
func TestInt(t *testing.T) {
	for digits := range 21 {
		for _, first := range []string{"0", "1", "9", "-0", "-3"} {
			number := first + strings.Repeat("7", digits)
			for _, after := range []string{"", ",", "}", "]}", ",12345678", ".5", "e1", "E1"} {
				want, _ := strconv.ParseInt(number, 10, 64)
				all := strings.TrimPrefix(number, "-")
				is := len(all) <= 18 && (len(all) == 1 || all[0] != '0') && !strings.ContainsAny(after, ".eE")
				n, end := Int("x"+number+after, 1)
				if is && (n != want || end != 1+len(number)) || !is && end != 0 {
					t.Errorf("%s: got %d up to %d; want %d, an integer: %t", number+after, n, end, want, is)
				}
			}
		}
	}
}

// TestString tries each byte at each place of a string.
func TestString(t *testing.T) {
	for length := range 20 {
		for at := range length {
			for c := range 256 {
				text := []byte(`x"` + strings.Repeat("y", length) + `" and on`)
				text[2+at] = byte(c)
				want := 2 + length
				switch {
				case c == '"':
					want = 2 + at
				case c == '\\' || c < ' ':
					want = -1
				}
				if got := String(string(text), 2); got != want {
					t.Errorf("%q: got %d, want %d", text, got, want)
				}
			}
		}
	}
	if got := String(`"without an end`, 1); got != -1 {
		t.Errorf("a string without an end: got %d", got)
	}
}
