package cmdline

import (
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"tracecheck/internal/files"
)

// Given is the part of the command line that gives the flags of these names, as a shell reads
// it. A space precedes each flag. What was not given is left out.
func Given(c *cli.Context, names []string) string {
	var text strings.Builder
	for _, f := range c.Command.Flags {
		name := f.Names()[0]
		if !c.IsSet(name) || !slices.Contains(names, name) {
			continue
		}
		switch f := f.(type) {
		case *cli.BoolFlag:
			text.WriteString(" --" + name)
		case *cli.GenericFlag:
			values := []string{f.Value.String()}
			if list, ok := f.Value.(interface{ List() []string }); ok {
				values = list.List()
			}
			for _, value := range values {
				text.WriteString(" --" + name + " " + files.Quoted(value))
			}
		default:
			text.WriteString(" --" + name + " " + files.Quoted(c.String(name)))
		}
	}
	return text.String()
}

// Giving returns a function that is Given for its names and the others.
func Giving(c *cli.Context, others []string) func(names ...string) string {
	return func(names ...string) string { return Given(c, append(names, others...)) }
}

// Words is a list of words as a shell reads it. A file whose name begins with a dash comes
// after "--".
func Words(list []string) string {
	var quoted []string
	for _, word := range list {
		if strings.HasPrefix(word, "-") && word != "-" && !slices.Contains(quoted, "--") {
			quoted = append([]string{"--"}, quoted...)
		}
		quoted = append(quoted, files.Quoted(word))
	}
	return strings.Join(quoted, " ")
}
