package report

import (
	"fmt"
	"strings"

	"tracecheck/internal/amount"
	"tracecheck/validators"
)

// risksShown bounds the listed properties at risk, and waitingShown the objects
// of each.
const (
	risksShown   = 10
	waitingShown = 3
)

// liveness lists the temporal properties at risk, with their obligations, and
// those that hold so far. It skips properties with a violation above.
func (p *printer) liveness(all []validators.Liveness) {
	var risks []*validators.Liveness
	var holding []string
	type recording struct {
		stream string
		number int
	}
	specs, streams := map[string]bool{}, map[recording]bool{}
	for i := range all {
		l := &all[i]
		specs[l.Spec], streams[recording{l.Stream, l.Recording}] = true, true
		switch l.Status {
		case validators.AtRisk:
			risks = append(risks, l)
		case validators.Holding:
			holding = append(holding, l.Rule)
		}
	}
	if len(all) > 0 {
		p.blank()
	}
	if len(risks) > 0 {
		p.heading(0, "At risk (fails if nothing more happens):")
	}
	for i, l := range risks {
		if i == risksShown {
			p.raw(2, fmt.Sprintf("and %s more, which --output json lists", amount.Grouped(len(risks)-i)))
			break
		}
		what := l.Rule
		if len(specs) > 1 {
			what = l.Spec + " " + what
		}
		if len(streams) > 1 {
			what = recordingName(l.Stream, l.Recording) + ": " + what
		}
		p.cut(2, plain, what+"  since "+moment(l.SinceFile, l.SinceLine, l.SinceTime))
		p.waiting(l)
	}
	switch {
	case len(holding) == 0:
	case len(streams) == 1:
		p.wrapped(0, bold, "Not at risk:", plain, strings.Join(holding, ", "))
	default:
		p.wrapped(0, bold, "Not at risk:", plain, fmt.Sprintf("%s of %s", amount.Grouped(len(holding)), amount.Grouped(len(all))))
	}
}

func (p *printer) waiting(l *validators.Liveness) {
	for i := range l.Waiting {
		w := &l.Waiting[i]
		if w.Kind == "" { // the property itself
			p.reason(4, w)
			return
		}
		if i == waitingShown {
			p.raw(4, fmt.Sprintf("and %s more", amount.Grouped(l.Open-i)))
			return
		}
		p.cut(4, plain, fmt.Sprintf("%s waits for %s since %s", strings.TrimSuffix(w.Object(), ","), w.Action,
			moment(w.SinceFile, w.SinceLine, w.SinceTime)))
		p.reason(6, w)
	}
}

// reason writes the cause of an obligation, if it is known.
func (p *printer) reason(indent int, w *validators.Waiting) {
	if w.Reason != "" {
		p.wrapped(indent, plain, "", plain, w.Reason)
	}
}
