package cmdline

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"tracecheck/internal/files"
	"tracecheck/internal/nearest"
)

// UnknownWord says that a word is none of those known, and which was meant.
func UnknownWord(what, word string, known []string) error {
	return fmt.Errorf("unknown %s %q: %s", what, word, nearest.Or(word, known, "expected one of "+strings.Join(known, ", ")))
}

// UnknownCommand says that the first word is not a command. Where none is near, and another
// word is a file, it names the command for files.
func UnknownCommand(words, known []string, ofFiles string) error {
	for _, word := range words[1:] {
		if _, err := os.Stat(word); err == nil && nearest.Name(words[0], known) == "" {
			return fmt.Errorf("unknown command %q: to judge %s, run `tracecheck %s %s`; `tracecheck help` lists the commands", words[0], word, ofFiles, files.Quoted(word))
		}
	}
	return UnknownWord("command", words[0], known)
}

// Meant asks, after a message, whether another word than the first argument was meant. It is
// "" where the argument is a known word, or none is near.
func Meant(args []string, known ...string) string {
	if len(args) == 0 || slices.Contains(known, args[0]) {
		return ""
	}
	return nearest.Hint(args[0], known)
}
