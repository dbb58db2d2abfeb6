package validators

import (
	"cmp"
	"fmt"
	"iter"
	"slices"

	"tracecheck/internal/nearest"
)

// NoAction is the message that a module has no action of the name. It suggests similar
// actions, and the command that lists them. kind is the module's word for an action.
func NoAction(module, spec, kind, name string, actions iter.Seq[string]) string {
	hint := cmp.Or(nearest.Hint(name, slices.Collect(actions)), ";")
	return fmt.Sprintf("%s has no %s %q%s `tracecheck specs %s` lists them", module, kind, name, hint, spec)
}
