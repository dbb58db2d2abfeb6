// Package pages compares, in tests, what a command prints with what a page says.
package pages

import "strings"

// Miss is the first line of the text that the output does not have in its place. In the text,
// "…" means any lines. It is "" if the output is as documented.
func Miss(text, got string) string {
	lines := strings.Split(strings.TrimRight(got, "\n"), "\n")
	anywhere := false
	for _, want := range strings.Split(text, "\n") {
		if want == "…" {
			anywhere = true
			continue
		}
		for anywhere && len(lines) > 0 && lines[0] != want {
			lines = lines[1:]
		}
		if len(lines) == 0 || lines[0] != want {
			return want
		}
		lines, anywhere = lines[1:], false
	}
	if len(lines) > 0 && !anywhere {
		return "(the end)"
	}
	return ""
}
