package report

import (
	"cmp"
	"fmt"
	"strings"

	"tracecheck/trace"
	"tracecheck/validators"
)

// bySteps groups neighbouring violations of one step.
func bySteps(all []validators.Violation) [][]validators.Violation {
	var groups [][]validators.Violation
	start := 0
	for i := 1; i <= len(all); i++ {
		if i == len(all) || !sameStep(&all[start], &all[i]) {
			groups = append(groups, all[start:i])
			start = i
		}
	}
	return groups
}

func sameStep(a, b *validators.Violation) bool {
	return a.Stream == b.Stream && a.FirstLine == b.FirstLine && a.LastLine == b.LastLine &&
		firstFile(a) == firstFile(b)
}

func firstFile(v *validators.Violation) string {
	if v.FirstFile != "" {
		return v.FirstFile
	}
	return v.File
}

// violation explains one step that broke one or more rules.
func (p *printer) violation(number int, step []validators.Violation) {
	for i := range step {
		v := &step[i]
		label := fmt.Sprintf("%d.", number)
		if i > 0 {
			p.blank()
			label = strings.Repeat(" ", len(label)-1) + "+"
		}
		p.wrapped(0, red, label, bold, inWords(v))
		if at := place(v); i == 0 || at != place(&step[0]) {
			p.wrapped(3, plain, "at", plain, at)
		}
		p.blank()
		p.wrapped(3, plain, "", plain, v.Message)
		if i == 0 {
			p.events(v)
			p.changes(firstChanges(step))
		}
		p.sequence(v.Sequence)
		p.nearest(v)
		p.bindings(v.State)
	}
	for i := range step {
		if len(step[i].History) > 0 {
			p.history(&step[i], firstChanges(step))
			break
		}
	}
	p.next(number, step)
}

// inWords describes the kind of the broken rule.
func inWords(v *validators.Violation) string {
	what := ""
	switch v.Kind {
	case validators.OfTransition:
		what = "No action of " + v.Spec + " allows this step"
	case validators.OfClaim:
		what = fmt.Sprintf("The step is not by the %s that it names", v.Rule)
	case validators.OfInvariant:
		what = "The state that the step made breaks an invariant of " + v.Spec
	case validators.OfProperty:
		what = "The step breaks a property of " + v.Spec
	case validators.OfType:
		what = "A value is missing or outside its type in " + v.Spec
	case "rejection":
		what = "The system refused a request that " + v.Spec + " accepts"
	case "liveness":
		what = "Something that " + v.Spec + " requires has not happened in time"
	default:
		what = "The step breaks a rule of " + v.Spec
	}
	return fmt.Sprintf("%s  [%s %s]", what, v.Kind, v.Rule)
}

// place is the position and time.
func place(v *validators.Violation) string {
	first, last := trace.Pos{File: firstFile(v), Line: v.FirstLine}, trace.Pos{File: cmp.Or(v.LastFile, v.File), Line: v.LastLine}
	at := trace.Pos{File: v.File, Line: v.Line}.String()
	switch {
	case v.FirstFile != "" || v.LastFile != "":
		at += fmt.Sprintf(" (the step is %s to %s)", first, last)
	case v.LastLine < v.FirstLine:
		at += fmt.Sprintf(" (the step begins at line %d and ends at line %d of the next file)", v.FirstLine, v.LastLine)
	case v.FirstLine != v.LastLine:
		at += fmt.Sprintf(" (the step is %s)", trace.Span(first, last))
	}
	parts := []string{at}
	if v.Stream != "" {
		parts = append(parts, trace.StreamName(v.Stream))
	}
	if v.Seq != nil {
		parts = append(parts, fmt.Sprintf("seq %d", *v.Seq))
	}
	if v.Time != "" {
		parts = append(parts, v.Time)
	}
	return strings.Join(parts, ", ")
}

func (p *printer) section(title string) {
	if p.apart != nil {
		p.apart(title)
		return
	}
	p.blank()
	p.heading(3, title)
}

// next suggests commands to run.
func (p *printer) next(number int, step []validators.Violation) {
	p.blank()
	p.wrapped(3, bold, "To read the rule:", plain, readRule(step))
	if number == 1 && p.explain != "" { // one line, to be copied
		p.raw(3, p.paint(bold, "To find the cause: ")+clean(p.explain))
	}
}

// readRule is the command that prints the broken rule.
func readRule(step []validators.Violation) string {
	v := &step[0]
	if v.Text != "" {
		return v.Text
	}
	about := ""
	switch {
	case len(v.Nearest) > 0:
		about = " " + v.Nearest[0].Action
	case v.Kind == validators.OfTransition:
		about = " Next"
	case v.Kind != validators.OfClaim:
		about = " " + quoted(v.Rule)
	}
	return "tracecheck specs " + v.Spec + about
}

// specCommand is the command that prints the spec.
func specCommand(s *validators.Spec) string {
	switch {
	case s.File == "":
		return "tracecheck specs " + s.Name
	case s.Config == "":
		return "tracecheck specs --module " + quoted(s.File)
	}
	return "tracecheck specs --module " + quoted(s.File) + " --config " + quoted(s.Config)
}

// quoted is a name, quoted for a shell.
func quoted(name string) string {
	if strings.ContainsAny(name, ` ()\`) {
		return "'" + name + "'"
	}
	return name
}
