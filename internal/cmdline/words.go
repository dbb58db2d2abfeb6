package cmdline

import (
	"fmt"
	"slices"
	"strings"

	"tracecheck/internal/nearest"
)

// UnknownWord says that a word is none of those known, and which was meant.
func UnknownWord(what, word string, known []string) error {
	return fmt.Errorf("unknown %s %q: %s", what, word, nearest.Or(word, known, "expected one of "+strings.Join(known, ", ")))
}

// Meant asks whether the first argument is a known word that is nearly right, after a
// message; "" where it is one, or where none is near.
func Meant(args []string, known ...string) string {
	if len(args) == 0 || slices.Contains(known, args[0]) {
		return ""
	}
	return nearest.Hint(args[0], known)
}
