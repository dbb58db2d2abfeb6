package cmdline

import (
	"errors"
	"strings"
)

// usageError gives the flag package's words two dashes where users write two.
func usageError(err error) error {
	text := err.Error()
	for _, before := range []string{"for flag -", "for -", "an argument: -"} {
		if lead, name, found := strings.Cut(text, before); found && !strings.HasPrefix(name, "-") {
			if word, _, _ := strings.Cut(name, ":"); len(word) > 1 {
				text = lead + before + "-" + name
			}
			break
		}
	}
	if strings.HasPrefix(text, "invalid boolean value") {
		text = strings.TrimSuffix(text, "parse error") + "expected true or false"
	}
	return errors.New(text)
}
