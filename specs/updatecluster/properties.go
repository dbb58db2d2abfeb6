package updatecluster

import (
	"fmt"

	"tracecheck/validators"
	"tracecheck/validators/model"
)

// typeInvariants is judged where a line's values are read: every value is of its
// type, or the line that gave it has been reported.
var typeInvariants = validators.TypeRule("TypeInvariants",
	"Every variable has its type. A variable that the text leaves untyped has the type of the trace format. The conjunct NoConcurrentUpdate is a separate rule.",
	`confOK \in BOOLEAN`,
	`\A r \in Reqs : reqState[r].status \in `+statuses.Set(),
	`reqState[r].rank \in Int \union {NULL}, queue \subseteq Reqs`,
	`clusterState \in [req : Reqs \union {NULL}, complete : BOOLEAN], lastSubmitted \in Int`)

const atMostOne = `Cardinality({r \in DOMAIN reqState : reqState[r].status = "partial"})`

var noConcurrentUpdate = &model.Rule[State, Request]{
	RuleDoc: validators.RuleDoc{
		Name: "NoConcurrentUpdate", Kind: validators.OfInvariant, Doc: "At most one request is partially applied.",
		Clauses: []string{atMostOne + " < 2"},
	},
	On: requests, Reads: ofReqState, Status: model.In(Partial),
	Broken: func(s *State, id string, _ *Request) string {
		if s.partials < 2 {
			return ""
		}
		return fmt.Sprintf("request %s breaks NoConcurrentUpdate: %s < 2 (%d requests are partial)", id, atMostOne, s.partials)
	},
	Branches: []model.Branch[State, Request]{{
		Text:  atMostOne + " = 1",
		Taken: func(s *State, _ *Request) bool { return s.partials == 1 },
	}},
}

var noApplicationOfOutdatedReq = &model.Rule[State, Request]{
	RuleDoc: validators.RuleDoc{
		Name: "NoApplicationOfOutdatedReq", Kind: validators.OfProperty,
		Doc: "Only the request that was submitted last can start to be applied. This always holds: rank = lastSubmitted " +
			"is a conjunct of StartApply, and so of ENABLED StartApply. The clauses of StartApply check it.",
		Clauses: []string{`[]({r \in DOMAIN reqState : ENABLED StartApply(r) /\ reqState[r].rank # lastSubmitted} = {})`},
	},
	On: requests, Reads: ofReqState, Status: model.In(Processing),
	Broken: func(s *State, id string, r *Request) string {
		if !s.outdated(id, r, startApply.Guards) {
			return ""
		}
		return fmt.Sprintf("request %s could be applied with rank %s, though %d was submitted last", id, r.Rank, s.now().Last)
	},
}

// outdated says that the request could start to be applied, going by the
// guards, though it is not the last one submitted.
func (s *State) outdated(id string, r *Request, guards []clause) bool {
	s.lookRequest = change{ID: id, Now: r}
	s.look = witness{r: &s.lookRequest}
	for i := range guards {
		if !guards[i].Holds(s, &s.look) {
			return false
		}
	}
	return !r.Rank.Is(s.now().Last)
}
