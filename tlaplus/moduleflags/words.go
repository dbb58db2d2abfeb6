package moduleflags

import (
	"strings"

	"tracecheck/internal/cmdline"
	"tracecheck/validators"
)

// DescribedBy is the trace spec that a command line's words name; nil: there is none, or it
// cannot be read.
func DescribedBy(words []string) *validators.Spec {
	m := &Flags{}
	set := cmdline.FlagSet(m.TextFlags(""))
	for i, word := range words {
		name, v, ok := strings.Cut(cmdline.BareName(word), "=")
		if !ok && i+1 < len(words) {
			v = words[i+1]
		}
		if strings.HasPrefix(word, "-") && set.Lookup(name) != nil {
			_ = set.Set(name, v) // an empty one names nothing
		}
	}
	read, _ := m.Described()
	return read
}
