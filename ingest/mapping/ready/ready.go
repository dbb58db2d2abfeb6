// Package ready has the rules that the program brings along, for logs that many
// systems write.
package ready

import (
	"embed"
	"fmt"
	"strings"

	"tracecheck/ingest/mapping"
)

//go:embed *.yaml
var files embed.FS

const extension = ".yaml"

// Names are the names of the rules, in order.
func Names() []string {
	entries, _ := files.ReadDir(".") // it is in the program
	var names []string
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), extension))
	}
	return names
}

// Text is the rules file of the name, with its comments; ok is false where there is none.
func Text(name string) (text string, ok bool) {
	data, err := files.ReadFile(name + extension)
	return string(data), err == nil
}

// List has a line for each name, with what its rules read: their file's first comment.
func List() (lines []string) {
	for _, name := range Names() {
		text, _ := Text(name)
		about, _, _ := strings.Cut(text, "\n")
		lines = append(lines, fmt.Sprintf("%-14s  %s", name, strings.TrimPrefix(about, "# ")))
	}
	return lines
}

// Load reads the rules that name names: these, or else a file's.
func Load(name string) (*mapping.Rules, error) {
	if text, ok := Text(name); ok {
		return mapping.Parse(name, []byte(text))
	}
	return mapping.Load(name)
}
