package bind

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"tracecheck/tlaplus/tracespec"
	"tracecheck/trace"
	"tracecheck/validators"
)

// describe is the module as a spec like those that are built in.
func (b *Bind) describe(p *program) *validators.Spec {
	d := tracespec.Described(b.file.module, b.cfg, p.spec)
	d.Kinds, d.New = []trace.Kind{trace.KindLine}, b.machine
	if b.Objects() {
		d.Kinds = nil
		for _, k := range b.file.objects {
			d.Kinds = append(d.Kinds, trace.ParseKind(k.name))
		}
	}
	d.Source = filepath.ToSlash(b.file.name)
	d.Rules = slices.DeleteFunc(d.Rules, func(r validators.RuleDoc) bool {
		return r.Kind != validators.OfInvariant && r.Kind != validators.OfProperty
	})
	for i := range p.refusals {
		r := &p.refusals[i]
		d.Rules = append(d.Rules, validators.RuleDoc{Name: r.rule, Kind: validators.OfRejection, Doc: "Judged of each reject line of " + b.file.objects[r.kind].name + "."})
	}
	d.Sources = b.sources(p)
	return d
}

// sources are what the judging depends on, by name and fingerprint: a state that was
// made of other texts means nothing to these.
func (b *Bind) sources(p *program) (list []string) {
	add := func(what, name, text string) {
		sum := sha256.Sum256([]byte(text))
		list = append(list, fmt.Sprintf("%s %s %x", what, name, sum[:6]))
	}
	for name, text := range p.spec.Sources() {
		add("module", name, text)
	}
	add("cfg", b.cfg.File, b.given)
	add("bind file", filepath.Base(b.file.name), string(b.file.text))
	if b.header != "" {
		add("header", filepath.Base(b.file.header), b.header)
	}
	for _, entry := range b.opts.Set {
		name, text, _ := strings.Cut(entry, "=")
		add("IOEnv", name, text)
	}
	return list
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
