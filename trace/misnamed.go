package trace

import (
	"fmt"
	"slices"

	"github.com/tidwall/gjson"

	"tracecheck/internal/nearest"
)

// envelopeNames are the members of a line, and metaNames those of the object of a meta line.
var (
	envelopeNames = []string{"kind", "op", "id", "object", "stream", "seq", "time", "tx", "actor", "action"}
	metaNames     = []string{"format", "spec", "steps", "profile", "constants"}
)

// Misnamed suggests corrections of a line's unknown members, which format 1
// ignores.
func Misnamed(line string) (hints []string) {
	root := gjson.Parse(line)
	object := root.Get("object")
	names := fields.all()
	if root.Get("kind").Str == KindMeta.String() {
		names = metaNames
	}
	known := map[string]bool{}
	for _, name := range envelopeNames {
		known[name] = true
	}
	root.ForEach(func(key, _ gjson.Result) bool {
		switch name := key.Str; {
		case known[name]:
		case slices.Contains(names, name) && !object.Get(name).Exists():
			hints = append(hints, fmt.Sprintf(`%q is beside "object", where it is ignored: put it into "object"`, name))
		default:
			if near := nearest.Name(name, envelopeNames); near != "" && !root.Get(near).Exists() {
				hints = append(hints, fmt.Sprintf("%q is unknown, and ignored: did you mean %q?", name, near))
			}
		}
		return true
	})
	object.ForEach(func(key, _ gjson.Result) bool {
		if name := key.Str; !slices.Contains(names, name) {
			if near := nearest.Name(name, names); near != "" && !object.Get(near).Exists() {
				hints = append(hints, fmt.Sprintf("the field %q is unknown, and ignored: did you mean %q?", name, near))
			}
		}
		return true
	})
	return hints
}
