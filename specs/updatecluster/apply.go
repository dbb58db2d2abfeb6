package updatecluster

import (
	"fmt"

	"tracecheck/validators/model"
)

var startApply = &action{
	Name: "StartApply", Doc: "The cluster starts to be modified; without a valid configuration the request fails.",
	Some: someConf,
	Guards: []clause{
		{
			Text:  `reqState[r].rank = lastSubmitted`,
			Holds: func(s *State, p *witness) bool { return p.r.Now.Rank.Is(s.now().Last) },
			Shows: func(s *State, p *witness) string {
				return fmt.Sprintf("reqState[r].rank = %s, lastSubmitted = %d", p.r.Now.Rank, s.now().Last)
			},
		},
		statusIs(Processing),
		{
			Text:  `clusterState.complete = TRUE`,
			Holds: func(s *State, _ *witness) bool { return s.now().Complete || s.unseen(ofComplete) },
			Shows: func(s *State, _ *witness) string { return "clusterState = " + s.now().String() },
		},
		{
			Text:  `~ \E x \in DOMAIN reqState : reqState[x].status = "partial"`,
			Holds: func(s *State, _ *witness) bool { return s.partials == 0 },
			Shows: func(s *State, _ *witness) string { return fmt.Sprintf("%d requests are partial", s.partials) },
		},
	},
	Effect: func(s *State, p *witness) {
		p.r.Write().Status = either(p.conf, Partial, Failure)
		if c := s.resolve(p); p.conf {
			c.Req, c.Complete = model.OptionalID{Set: true, Value: p.r.ID}, false
		}
	},
	Primed: []primed{
		{Text: `IF confOK THEN reqState' = [reqState EXCEPT ![r].status = "partial"]`, Of: []group{reqState}, If: confHolds, Shows: showBranch},
		{Text: `THEN clusterState' = [req |-> r, complete |-> FALSE]`, Of: []group{clusterState}, If: confHolds, Shows: showCluster},
		{Text: `ELSE reqState' = [reqState EXCEPT ![r].status = "failure"]`, Of: []group{reqState}, If: confFails, Shows: showBranch},
		{Text: `ELSE UNCHANGED clusterState`, Of: []group{clusterState}, If: confFails, Shows: showCluster},
		unchanged(`UNCHANGED << confOK, lastSubmitted, queue >>`, varConf, varLast, queue),
	},
}

// completeApply: ok is whether the request succeeds.
var completeApply = &action{
	Name: "CompleteApply", Doc: "The update of the cluster ends: it succeeds, or fails half-way.",
	Some:   someOK,
	Guards: []clause{statusIs(Partial)},
	Effect: func(s *State, p *witness) {
		if p.r.Write().Status = either(p.ok, Success, PartialFailure); !p.ok {
			return
		}
		c := s.cluster.The().Write()
		if !s.unseen(ofReq) { // else it may be so already
			c.Req = model.OptionalID{Set: true, Value: p.r.ID}
		}
		c.Complete = c.Complete || !s.unseen(ofComplete)
	},
	Primed: []primed{
		{
			Text: `\E ok \in BOOLEAN : IF ok THEN reqState' = [reqState EXCEPT ![r].status = "success"] ` +
				`ELSE reqState' = [reqState EXCEPT ![r].status = "partialFailure"]`, Of: []group{reqState},
			Shows: showEffect,
		},
		{
			Text: `ok => clusterState' = [clusterState EXCEPT !.req = r, !.complete = TRUE]`, Of: []group{clusterState},
			If: func(_ *State, p *witness) bool { return p.ok }, Shows: showCluster,
		},
		{
			Text: `~ok => UNCHANGED clusterState`, Of: []group{clusterState},
			If: func(_ *State, p *witness) bool { return !p.ok }, Shows: showCluster,
		},
		unchanged(`UNCHANGED << confOK, lastSubmitted, queue >>`, varConf, varLast, queue),
	},
}

var rollback = &action{
	Name: "Rollback", Doc: "A request that failed half-way is rolled back. This always works if confOK. Otherwise nothing changes.",
	Some:   someConf,
	Guards: []clause{statusIs(PartialFailure)},
	Effect: func(s *State, p *witness) {
		r, c := p.r.Write(), s.resolve(p)
		if p.conf {
			r.Status, c.Complete = Rolledback, c.Complete || !s.unseen(ofComplete)
		}
	},
	Primed: []primed{
		{Text: `IF confOK THEN reqState' = [reqState EXCEPT ![r].status = "rolledback"]`, Of: []group{reqState}, If: confHolds, Shows: showBranch},
		{Text: `THEN clusterState' = [clusterState EXCEPT !.complete = TRUE]`, Of: []group{clusterState}, If: confHolds, Shows: showCluster},
		unchanged(`UNCHANGED << confOK, lastSubmitted, queue >>`, varConf, varLast, queue),
		{Text: `ELSE UNCHANGED vars`, Of: []group{reqState, clusterState}, If: confFails, Shows: showBranch},
	},
	Stutters: func(s *State) bool {
		c := s.cluster.The()
		return s.failed > 0 && c.Now.Conf != yes && c.New.Conf != yes
	},
	Stuttered: func(s *State) { s.cluster.Infer().Conf = no },
}

// resolve writes confOK as the action reads it.
func (s *State) resolve(p *witness) *Cluster {
	c := s.cluster.The().Write()
	c.Conf = ternaryOf(p.conf)
	return c
}

func confHolds(_ *State, p *witness) bool { return p.conf }
func confFails(_ *State, p *witness) bool { return !p.conf }

func showBranch(s *State, p *witness) string {
	return fmt.Sprintf("confOK = %s; %s", boolean(p.conf), showEffect(s, p))
}

func showCluster(s *State, _ *witness) string {
	c := s.cluster.The()
	return fmt.Sprintf("clusterState = %s, clusterState' = %s", c.Now, &c.New)
}
