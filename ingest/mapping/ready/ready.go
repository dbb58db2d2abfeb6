// Package ready has the built-in rules, for the logs of well-known programs.
package ready

import (
	"embed"
	"strings"

	"tracecheck/ingest/mapping"
)

//go:embed *.yaml
var files embed.FS

const extension = ".yaml"

// Names returns the names of the built-in rules, sorted.
func Names() []string {
	entries, _ := files.ReadDir(".") // embedded: it cannot fail
	var names []string
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), extension))
	}
	return names
}

// Text returns the built-in rules file with the name, without the path of its schema: a copy
// is in another folder. ok is false if there is none.
func Text(name string) (text string, ok bool) {
	data, err := files.ReadFile(name + extension)
	before, rest, _ := strings.Cut(string(data), "# yaml-language-server:")
	_, after, _ := strings.Cut(rest, "\n")
	return before + after, err == nil
}

// List returns each name with the first comment of its file.
func List() (list [][2]string) {
	for _, name := range Names() {
		text, _ := Text(name)
		about, _, _ := strings.Cut(text, "\n")
		list = append(list, [2]string{name, strings.TrimPrefix(about, "# ")})
	}
	return list
}

// Load reads the built-in rules with the name, or else the file.
func Load(name string) (*mapping.Rules, error) {
	if text, ok := Text(name); ok {
		return mapping.Parse(name, []byte(text))
	}
	return mapping.Load(name)
}
