package report

import (
	"fmt"
	"strings"

	"tracecheck/internal/amount"
	"tracecheck/validators"
)

// nearest shows the nearest actions, clause by clause.
func (p *printer) nearest(v *validators.Violation) {
	near := v.Nearest
	if len(near) == 0 {
		return
	}
	p.section(nearestTitle(v))
	for i := range near {
		n := &near[i]
		if i > 0 {
			p.blank()
		}
		name := n.Action
		if n.Actor != "" {
			name += " (" + n.Actor + ")"
		}
		p.raw(5, p.paint(bold, clean(name))+fmt.Sprintf(": %d of %d failed", len(n.Failed), len(n.Failed)+len(n.Held)))
		for j, text := range n.Failed {
			p.wrapped(7, red, "FAILED", plain, at(text, placed(n, j)))
			if j < len(n.Values) && n.Values[j] != "" && n.Values[j] != text {
				p.wrapped(14, yellow, "but", plain, n.Values[j])
			}
		}
		for _, text := range n.Held {
			p.wrapped(7, green, "held  ", dim, text)
		}
	}
}

// nearestTitle is the title of the clauses.
func nearestTitle(v *validators.Violation) string {
	if len(v.Nearest) > 0 && v.Nearest[0].Action == v.Rule {
		return "The clauses of the broken rule"
	}
	return "Nearest actions, and which of their clauses failed"
}

// placed is the position of a failed clause in a module that was read.
func placed(n *validators.Near, i int) string {
	if i < len(n.Places) {
		return n.Places[i]
	}
	return ""
}

// bindings shows the variables of a module before the step.
func (p *printer) bindings(list []validators.Binding) {
	if len(list) == 0 {
		return
	}
	p.section(stateTitle(list))
	for i := range list {
		b := &list[i]
		if b.Value != "" {
			p.wrapped(5, bold, clean(b.Name)+" =", plain, b.Value)
		}
		if b.After != "" && b.After != b.Value {
			p.wrapped(5, bold, clean(b.Name)+"' =", plain, b.After)
		}
	}
}

// stateTitle depends on whether part of the new state is known.
func stateTitle(list []validators.Binding) string {
	for i := range list {
		if list[i].After != "" && list[i].After != list[i].Value {
			return "The state before and after the step"
		}
	}
	return "The state before"
}

// sequenceShown bounds the entries shown of a sequence of actions.
const sequenceShown = 30

// sequence shows the actions that explain the step, with their repetitions.
func (p *printer) sequence(names []string) {
	if len(names) == 0 {
		return
	}
	p.section("The actions that explain the step")
	p.wrapped(5, plain, "", plain, repeated(names))
}

// repeated lists names, with their repetitions.
func repeated(names []string) string {
	return strings.Join(sequenceParts(names), ", ")
}

// sequenceParts returns the shown entries of a sequence.
func sequenceParts(names []string) []string {
	var parts []string
	for i := 0; i < len(names); {
		n := 1
		for i+n < len(names) && names[i+n] == names[i] {
			n++
		}
		part := names[i]
		if n > 1 {
			part = fmt.Sprintf("%s (%s times)", part, amount.Grouped(n))
		}
		if len(parts) == sequenceShown {
			parts = append(parts, "…")
			break
		}
		parts = append(parts, part)
		i += n
	}
	return parts
}
