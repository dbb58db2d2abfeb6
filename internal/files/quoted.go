package files

import (
	"strconv"
	"strings"
)

// Quoted is a word, such as a file's name, as a shell reads it. It has no line end.
func Quoted(word string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./,:=@%+", r)
	}
	switch {
	case word != "" && strings.TrimLeftFunc(word, plain) == "":
		return word
	case strings.ContainsFunc(word, func(r rune) bool { return !strconv.IsPrint(r) }):
		escaped := strconv.Quote(word)
		return "$'" + strings.ReplaceAll(escaped[1:len(escaped)-1], "'", `\'`) + "'"
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
