package bind

import (
	"cmp"
	"encoding/json"
	"path/filepath"
	"slices"

	"tracecheck/tlaplus/tracespec"
	"tracecheck/trace"
	"tracecheck/validators"
)

// describe is the module as a spec like those that are built in.
func (b *Bind) describe(p *program) *validators.Spec {
	d := tracespec.Described(b.file.module, b.cfg, p.spec)
	d.Kinds, d.New = []trace.Kind{trace.KindLine}, b.machine
	d.Source = filepath.ToSlash(b.file.name)
	d.Rules = slices.DeleteFunc(d.Rules, func(r validators.RuleDoc) bool {
		return r.Kind != validators.OfInvariant && r.Kind != validators.OfProperty
	})
	return d
}

// eventsOf are lines as a report shows them: each once, in their order.
func eventsOf(list []place) []validators.Event {
	slices.SortStableFunc(list, func(a, b place) int { return cmp.Compare(a.line, b.line) })
	list = slices.CompactFunc(list, func(a, b place) bool { return a == b })
	var out []validators.Event
	for _, at := range list {
		out = append(out, validators.Event{File: at.file, Line: at.line, Raw: json.RawMessage(at.raw)})
	}
	return out
}
