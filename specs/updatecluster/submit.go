package updatecluster

import (
	"fmt"

	"tracecheck/validators/model"
)

// witness is what Next's quantifiers choose.
type witness struct {
	r    *change // r \in Reqs
	ok   bool    // ok \in BOOLEAN
	conf bool    // confOK, which may not be known
}

type (
	action = model.Action[State, witness]
	clause = model.Clause[State, witness]
	primed = model.Primed[State, witness]
)

// someRequest is \E r \in Reqs.
var someRequest = model.ChangedAs(requests, func(_ *State, r *change, try func(witness) bool) bool {
	return try(witness{r: r})
})

// someOK is \E r \in Reqs : \E ok \in BOOLEAN.
var someOK = model.ChangedAs(requests, func(_ *State, r *change, try func(witness) bool) bool {
	return try(witness{r: r, ok: true}) || try(witness{r: r})
})

// someConf is \E r \in Reqs, with each value that confOK may have.
var someConf = model.ChangedAs(requests, func(s *State, r *change, try func(witness) bool) bool {
	c := s.cluster.The()
	mayBe := func(conf bool) bool {
		return c.Now.Conf.mayBe(conf) && (c.Now.Conf != unknown || c.New.Conf.mayBe(conf))
	}
	return mayBe(true) && try(witness{r: r, conf: true}) || mayBe(false) && try(witness{r: r})
})

var submit = &action{
	Name: "Submit", Doc: "An update request is received from the user.",
	Some:   someRequest,
	Guards: []clause{statusIs(Waiting)},
	Effect: func(s *State, p *witness) {
		r, c := p.r.Write(), s.cluster.The().Write()
		c.Last, c.LastFree = s.submitRank(p.r), false
		r.Status, r.Rank = Submitted, model.OptionalInt{Set: true, Value: c.Last}
	},
	Primed: []primed{
		{
			Text: `lastSubmitted' = currSubmitRank`, Of: []group{varLast},
			Shows: func(s *State, _ *witness) string { return fmt.Sprintf("lastSubmitted' = %d", s.cluster.The().New.Last) },
		},
		{
			Text: `reqState' = [reqState EXCEPT ![r].status = "submitted", ![r].rank = currSubmitRank]`, Of: []group{reqState},
			Shows: func(s *State, p *witness) string {
				return fmt.Sprintf("currSubmitRank = %d, status' = %s, rank' = %s", s.now().Last+1, p.r.New.Status, p.r.New.Rank)
			},
		},
		unchanged(`UNCHANGED << confOK, queue, clusterState >>`, varConf, queue, clusterState),
	},
}

var initialcheck = &action{
	Name: "Initialcheck", Doc: "The request is validated: authorisation, quotas.",
	Some:   someOK,
	Guards: []clause{statusIs(Submitted)},
	Effect: func(_ *State, p *witness) { p.r.Write().Status = either(p.ok, Valid, Rejected) },
	Primed: []primed{
		{
			Text: `\E ok \in BOOLEAN : IF ok THEN reqState' = [reqState EXCEPT ![r].status = "valid"] ` +
				`ELSE reqState' = [reqState EXCEPT ![r].status = "rejected"]`, Of: []group{reqState},
			Shows: showEffect,
		},
		unchanged(`UNCHANGED << confOK, queue, clusterState, lastSubmitted >>`, varConf, queue, clusterState, varLast),
	},
}

type group = model.Group[State]

func unchanged(text string, of ...group) primed { return model.Unchanged[State, witness](text, of...) }

func either(is bool, a, b Status) Status {
	if is {
		return a
	}
	return b
}

// statusIs is reqState[r].status = want.
func statusIs(want Status) clause {
	return model.Is[State](requests, "reqState[r].status", func(p *witness) *change { return p.r }, want)
}

// showEffect says what the step makes of the request.
func showEffect(s *State, p *witness) string {
	text := fmt.Sprintf("status' = %s, rank' = %s", p.r.New.Status, p.r.New.Rank)
	if n := len(s.requests.Changed()); n > 1 {
		text += fmt.Sprintf("; the step changes %d requests", n)
	}
	return text
}
