package validators

import (
	"cmp"
	"fmt"
	"iter"
	"slices"

	"tracecheck/internal/nearest"
)

// NoAction says that a module has no action of the name, which actions it may mean, and
// where they are listed. kind is what the module calls an action.
func NoAction(module, spec, kind, name string, actions iter.Seq[string]) string {
	hint := cmp.Or(nearest.Hint(name, slices.Collect(actions)), ";")
	return fmt.Sprintf("%s has no %s %q%s `tracecheck specs %s` lists them", module, kind, name, hint, spec)
}
