package report

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"tracecheck/internal/amount"
	"tracecheck/postmortem/explain"
	"tracecheck/trace"
	"tracecheck/validators"
)

// Explain writes the accounts for people.
func Explain(w io.Writer, accounts []explain.Account, opts TextOptions) error {
	p := newPrinter(w, opts.Color, opts.Width)
	for i := range accounts {
		if i > 0 {
			p.blank()
		}
		p.account(&accounts[i])
	}
	for _, note := range opts.Notes {
		p.blank()
		p.wrapped(0, bold, "note:", plain, note)
	}
	return p.flush()
}

// ExplainJSON writes the accounts as one object on one line.
func ExplainJSON(w io.Writer, accounts []explain.Account) error {
	return Encode(w, struct {
		Version int               `json:"version"` // of this structure: 1
		Steps   []explain.Account `json:"steps"`
	}{1, accounts})
}

func (p *printer) account(a *explain.Account) {
	v := whereOf(a)
	word, color := "VIOLATION", red
	if len(a.Violations) == 0 {
		word, color = "CONFORMING", green
	}
	p.raw(0, p.paint(color, word)+"  "+p.paint(bold, clean(place(v))))
	for i := range a.Violations {
		p.blank()
		also := ""
		if i > 0 {
			also = "+"
		}
		p.wrapped(0, red, also, bold, inWords(&a.Violations[i]))
		p.blank()
		p.wrapped(3, plain, "", plain, a.Violations[i].Message)
	}
	p.events(v)
	p.changes(a.Changes)
	p.bindings(a.State)
	for i := range a.Judged {
		p.judgement(a, &a.Judged[i])
	}
	p.histories(a)
}

// whereOf is a violation at the position of the step.
func whereOf(a *explain.Account) *validators.Violation {
	v := &validators.Violation{
		Stream: a.Stream, File: a.Last.File, Line: a.Last.Line, FirstLine: a.First.Line, LastLine: a.Last.Line,
		Seq: a.Last.Seq, Time: a.Last.Time, Events: a.Events, Total: a.Total,
	}
	if len(a.Violations) > 0 {
		b := &a.Violations[0]
		v.File, v.Line, v.Seq, v.Time = b.File, b.Line, b.Seq, b.Time
	}
	v.Span(trace.Pos{File: a.First.File}, trace.Pos{File: a.Last.File})
	return v
}

func (p *printer) judgement(a *explain.Account, j *explain.Judgement) {
	broken := false
	for i := range a.Violations {
		v := &a.Violations[i]
		// The path of a module that was read may be too short for a property.
		ends := v.Text != "" && len(j.By)+len(j.Broken) == 0
		broken = broken || v.Spec == j.Spec && (v.Rule == validators.NextRule || ends)
	}
	if broken {
		p.section("Every action of " + j.Spec + " that could have been meant")
		p.parts(j.Parts, false, func(*validators.Attempt) bool { return true })
		p.causes(j.Causes)
		return
	}
	if len(j.Broken) > 0 {
		p.section(nearestTitle(&a.Violations[0]))
		p.parts(j.Broken, false, func(*validators.Attempt) bool { return true })
	}
	p.section("How " + j.Spec + " explains the step")
	switch {
	case len(j.By) == 0 && len(j.Parts) == 0:
		p.wrapped(5, plain, "", plain, "The step changes nothing that the spec reads, or it only records a state.")
		return
	case len(j.By) == 0:
		p.wrapped(5, plain, "", plain, "No action was tried.")
	case len(j.By) == 1:
		p.wrapped(5, plain, "", plain, "By the action "+j.By[0]+".")
	default:
		p.wrapped(5, plain, "", plain, "By the actions "+repeated(j.By)+", in this order.")
	}
	for i := range j.Allowances {
		al := &j.Allowances[i]
		p.blank()
		p.wrapped(5, yellow, "allowance", bold, al.Name+": "+al.Doc)
		p.wrapped(7, plain, "relaxes", plain, al.Relaxes)
		p.wrapped(7, plain, "source ", plain, al.Source)
	}
	p.parts(j.Parts, true, func(a *validators.Attempt) bool {
		failed, _ := a.Failed()
		return failed == 0
	})
}

// parts shows the attempts of each part, with a title if there are several
// parts. apart says that a blank line comes first.
func (p *printer) parts(list []explain.Part, apart bool, show func(*validators.Attempt) bool) {
	for i := range list {
		part := &list[i]
		clauses := 0
		for k := range part.Attempts {
			clauses += len(part.Attempts[k].Clauses)
		}
		titled := len(list) == 1
		for k := range part.Attempts {
			a := &part.Attempts[k]
			if !show(a) {
				continue
			}
			if apart {
				p.blank()
			}
			apart = true
			if !titled {
				what := part.What
				if !part.Whole {
					what += " (by itself)"
				}
				p.wrapped(5, plain, "", bold, what)
				titled = true
			}
			p.attempt(a, k >= fullAttempts && clauses > manyClauses)
		}
	}
}

// mostFailed and mostHeld bound the characters shown of what a failed or held
// clause read. Held clauses are listed for the first fullAttempts attempts
// only. JSON has everything.
const (
	mostFailed   = 1000
	mostHeld     = 300
	fullAttempts = 3
	manyClauses  = 100
)

// attempt shows an action with all its clauses, or only the failed ones.
func (p *printer) attempt(a *validators.Attempt, failedOnly bool) {
	name := a.Action
	if a.Actor != "" {
		name += " (" + a.Actor + ")"
	}
	failed, _ := a.Failed()
	p.raw(5, p.paint(bold, clean(name))+fmt.Sprintf(": %d of %d failed", failed, len(a.Clauses)))
	for i := range a.Clauses {
		c := &a.Clauses[i]
		most := mostFailed
		if c.Holds && failedOnly {
			continue
		}
		if c.Holds {
			most = mostHeld
			p.wrapped(7, green, "held  ", plain, at(c.Text, c.Place))
		} else {
			p.wrapped(7, red, "FAILED", plain, at(c.Text, c.Place))
		}
		if c.Values != "" && c.Values != c.Text {
			p.wrapped(14, dim, "where", dim, shorten(c.Values, most))
		}
	}
	if a.Stopped != "" {
		p.wrapped(7, yellow, "then  ", plain, "the clauses after that cannot be tried: "+a.Stopped)
	}
}

// causes shows which earlier step made each guard fail.
func (p *printer) causes(list []explain.Causes) {
	for i := range list {
		c := &list[i]
		if i == 0 {
			p.section("What made it fail")
		} else {
			p.blank()
		}
		text := fmt.Sprintf("The guards of %s were evaluated in the %s in which they apply.", c.Action, amount.Of(c.States, "earlier state"))
		if c.Alone {
			text += " Only the violating line was tried, since the step has very many lines."
		}
		p.wrapped(5, plain, "", bold, text)
		for k := range c.Guards {
			p.cause(&c.Guards[k])
		}
	}
}

func (p *printer) cause(g *explain.Guard) {
	p.wrapped(7, red, "FAILED", plain, g.Clause)
	switch {
	case !g.Turned:
		p.raw(14, "never held")
		return
	case g.Snapshots:
		p.raw(14, "held until the snapshots that end with")
	default:
		p.raw(14, "held until")
	}
	for k := range g.Events {
		ev := &g.Events[k]
		number := fmt.Sprintf("%s  ", trace.Pos{File: ev.File, Line: ev.Line})
		p.cut(16, yellow, number+brief(string(ev.Raw), p.width-16-utf8.RuneCountInString(number)))
	}
	if left := g.Total - len(g.Events); left > 0 {
		p.raw(16, p.paint(dim, fmt.Sprintf("… and %s more", amount.Of(left, "line"))))
	}
	if g.Held != "" {
		p.wrapped(14, dim, "where before", dim, g.Held)
	}
	if g.Since != "" {
		p.wrapped(14, dim, "and then    ", dim, g.Since)
	}
}

// histories shows all earlier events of the step's objects.
func (p *printer) histories(a *explain.Account) {
	if len(a.Objects) == 0 {
		return
	}
	if a.Objects[0].Kind == trace.KindVariable.String() {
		p.writes(a)
		return
	}
	p.section("The whole history of its objects")
	v := whereOf(a)
	for i := range a.Objects {
		h := &a.Objects[i]
		if i > 0 {
			p.blank()
		}
		p.raw(5, p.paint(bold, clean(strings.TrimSpace(h.Kind+" "+h.ID+within(h))))+fmt.Sprintf(": %s before the step", amount.Of(len(h.Before), "event")))
		p.rows(7, h.Before, v, a.Changes)
		if len(h.After) > 0 {
			p.raw(7, p.paint(dim, "and after it"))
			p.rows(7, h.After, v, a.Changes)
		}
	}
	if a.MoreObjects > 0 {
		p.raw(5, p.paint(dim, fmt.Sprintf("… and of %s more", amount.Of(a.MoreObjects, "object"))))
	}
	p.read(a)
}

// read shows the other objects that the clauses read, and what changed them.
func (p *printer) read(a *explain.Account) {
	if len(a.Read) == 0 {
		return
	}
	p.section("What else the clauses read")
	v := whereOf(a)
	for i := range a.Read {
		r := &a.Read[i]
		if i > 0 {
			p.blank()
		}
		p.raw(5, p.paint(bold, clean(r.Kind+" "+r.ID)))
		for _, c := range r.Clauses {
			p.wrapped(7, dim, "read by", dim, shorten(c, mostHeld))
		}
		p.rows(7, r.Events, v, nil)
	}
}

// writes shows the lines that changed the variables of a module.
func (p *printer) writes(a *explain.Account) {
	p.section("Earlier lines that changed the variables")
	for i := range a.Objects {
		h := &a.Objects[i]
		if i > 0 {
			p.blank()
		}
		p.raw(5, p.paint(bold, clean(h.ID)))
		for k := range h.Before {
			ev := &h.Before[k]
			p.cut(7, plain, fmt.Sprintf("%s  %s", trace.Pos{File: ev.File, Line: ev.Line}.Within(), ev.Raw))
			if k < len(h.Values) {
				p.wrapped(9, dim, "made it", dim, shorten(h.Values[k], mostHeld))
			}
		}
	}
}

// within tells syncers of one cluster apart.
func within(h *explain.History) string {
	if h.Namespace == "" {
		return ""
	}
	return " of namespace " + h.Namespace
}
