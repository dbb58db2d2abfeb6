// Package nearest finds the known name that is nearest to an unknown word.
package nearest

import (
	"fmt"
	"strings"

	"github.com/xrash/smetrics"
)

// longest is the longest word that is looked at, in bytes: no name is longer.
const longest = 64

// alike is the least Jaro-Winkler similarity of words that may be the same. With
// it, a letter may differ or be missing, or two may have changed places. It is less
// for "vlidate": its a is compared with the first one of "validate".
const alike = 0.88

// short is the longest name in which one letter makes another word.
const short = 4

// Name returns the name that is nearest to word, "" where none is near. Case,
// "_" and "-" make no difference. Of equally near names it is the first.
func Name(word string, names []string) string {
	plain := fold(word)
	if plain == "" || len(plain) > longest {
		return ""
	}
	best, most := "", 0.0
	for _, name := range names {
		known := fold(name)
		if 5*min(len(plain), len(known)) < 3*max(len(plain), len(known)) {
			continue // perhaps one is a prefix of the other
		}
		like := smetrics.JaroWinkler(plain, known, 0.7, 4)
		if len(known) > short && smetrics.WagnerFischer(plain, known, 1, 1, 1) == 1 {
			like = max(like, alike)
		}
		if like >= alike && like > most {
			best, most = name, like
		}
	}
	return best
}

// Hint asks whether the nearest name was meant, after a message; "" where none is
// near.
func Hint(word string, names []string) string {
	if name := Name(word, names); name != "" {
		return fmt.Sprintf("; did you mean %q?", name)
	}
	return ""
}

// Or asks whether the nearest name was meant; where none is near it returns
// otherwise.
func Or(word string, names []string, otherwise string) string {
	if hint := Hint(word, names); hint != "" {
		return strings.TrimPrefix(hint, "; ")
	}
	return otherwise
}

// folded removes what makes no difference.
var folded = strings.NewReplacer("_", "", "-", "")

func fold(s string) string { return folded.Replace(strings.ToLower(s)) }
