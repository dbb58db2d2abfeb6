package updatecluster

import (
	"fmt"

	"tracecheck/trace"
	"tracecheck/validators"
)

// seen is one request of a state, for invariants.
type seen struct {
	vars    *vars
	id      string
	request *requestValue
}

// typeInvariants is judged where a line's values are read (fields.go): every
// value is of its type, or the line that gave it has been reported.
var typeInvariants = validators.RuleDoc{
	Name: "TypeInvariants", Kind: validators.OfType,
	Doc: "Every variable has its type; one that the text leaves untyped has that of the trace format. The conjunct NoConcurrentUpdate is a rule of its own.",
	Clauses: []string{
		`confOK \in BOOLEAN`,
		`\A r \in Reqs : reqState[r].status \in {"waiting", "submitted", "rejected", "valid", "processing", ` +
			`"partial", "partialFailure", "success", "failure", "rolledback"}`,
		`reqState[r].rank \in Int \union {NULL}, queue \subseteq Reqs`,
		`clusterState \in [req : Reqs \union {NULL}, complete : BOOLEAN], lastSubmitted \in Int`,
	},
}

var noConcurrentUpdate = &validators.Invariant[seen]{
	Name: "NoConcurrentUpdate", Kind: validators.OfInvariant,
	Doc: "At most one request is partially applied.",
	Clauses: []validators.Clause[seen]{{
		Text:  `Cardinality({r \in DOMAIN reqState : reqState[r].status = "partial"}) < 2`,
		Holds: func(v *seen) bool { return v.request.status != Partial || v.vars.partials < 2 },
		Shows: func(v *seen) string { return fmt.Sprintf("%d requests are partial", v.vars.partials) },
	}},
}

var noApplicationOfOutdatedReq = validators.RuleDoc{
	Name: "NoApplicationOfOutdatedReq", Kind: validators.OfProperty,
	Doc: "No request but the last one submitted can start to be applied. It holds by construction, since rank = lastSubmitted " +
		"is a conjunct of StartApply, and so of ENABLED StartApply. It is checked by that action's own clauses.",
	Clauses: []string{`[]({r \in DOMAIN reqState : ENABLED StartApply(r) /\ reqState[r].rank # lastSubmitted} = {})`},
}

// outdated says that the request could start to be applied, going by the
// guards, though it is not the last one submitted.
func outdated(p *pair, guards []clause) bool {
	for i := range guards {
		if !guards[i].Holds(p) {
			return false
		}
	}
	return !p.r.old.is(p.was.last)
}

// InDesiredState implements validators.Machine: the module has no such
// predicate.
func (m *machine) InDesiredState() bool { return true }

// broken reports the first object of the step that breaks each rule in the
// state that the step has made.
func (m *machine) broken(step *trace.Step) []validators.Finding {
	var found []validators.Finding
	for i := range m.touched {
		c := &m.touched[i]
		if !c.shown || !c.moved() {
			continue
		}
		at := step.Events[c.line].Pos
		found = m.check(found, seen{vars: &m.s.vars, id: c.id, request: &c.new}, at)
		if m.isOutdated(c) && !validators.HasRule(found, noApplicationOfOutdatedReq.Name) {
			found = append(found, validators.Finding{
				Kind: validators.OfProperty, Rule: noApplicationOfOutdatedReq.Name, Pos: at,
				Message: fmt.Sprintf("request %s could be applied with rank %s, though %d was submitted last", c.id, c.new.rankValue, m.s.last),
			})
		}
	}
	return found
}

// isOutdated judges the request in the state that the step has made.
func (m *machine) isOutdated(c *requestChange) bool {
	if c.new.status != Processing {
		return false
	}
	m.after = requestChange{id: c.id, old: c.new, new: c.new}
	m.look = pair{was: &m.s.vars, s: m.s, cluster: m.s.cluster, r: &m.after}
	return outdated(&m.look, startGuards)
}

// check judges one request against the invariant.
func (m *machine) check(found []validators.Finding, v seen, at trace.Pos) []validators.Finding {
	m.seen = v // reused: the invariant is judged after every step
	c := noConcurrentUpdate.Broken(&m.seen)
	if c == nil || validators.HasRule(found, noConcurrentUpdate.Name) {
		return found
	}
	return append(found, validators.Finding{
		Kind: noConcurrentUpdate.Kind, Rule: noConcurrentUpdate.Name, Pos: at,
		Message: fmt.Sprintf("request %s breaks %s: %s (%s)", v.id, noConcurrentUpdate.Name, c.Text, c.Shows(&m.seen)),
	})
}
