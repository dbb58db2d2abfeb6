package updatecluster

import (
	"fmt"
	"slices"
)

// startGuards are StartApply's unprimed conjuncts: that it is enabled.
var startGuards = []clause{
	{
		Text:  `reqState[r].rank = lastSubmitted`,
		Holds: func(p *pair) bool { return p.r.old.is(p.was.last) },
		Shows: func(p *pair) string {
			return fmt.Sprintf("reqState[r].rank = %s, lastSubmitted = %d", p.r.old.rankValue, p.was.last)
		},
	},
	{
		Text:  `reqState[r].status = "processing"`,
		Holds: func(p *pair) bool { return p.r.old.status == Processing },
		Shows: showStatus,
	},
	{
		Text:  `clusterState.complete = TRUE`,
		Holds: func(p *pair) bool { return p.was.cluster.complete || p.was.clusterUnseen },
		Shows: func(p *pair) string { return "clusterState = " + p.was.cluster.String() },
	},
	{
		Text:  `~ \E x \in DOMAIN reqState : reqState[x].status = "partial"`,
		Holds: func(p *pair) bool { return p.was.partials == 0 },
		Shows: func(p *pair) string { return fmt.Sprintf("%d requests are partial", p.was.partials) },
	},
}

var startApply = &action{
	Name: "StartApply", Doc: "The cluster starts to be modified; without a valid configuration the request fails.",
	Bind: func(p *pair) bool {
		return p.bind(func(c *requestChange) bool {
			return c.moved() && (c.new.status == Partial || c.new.status == Failure)
		}) && p.resolve(p.r.new.status == Partial)
	},
	Clauses: slices.Concat(startGuards, []clause{
		{
			Text: `IF confOK THEN reqState' = [reqState EXCEPT ![r].status = "partial"]`, Effect: true,
			Holds: func(p *pair) bool { return !p.confOK || p.becomes(Partial) },
			Shows: showBranch,
		},
		{
			Text: `THEN clusterState' = [req |-> r, complete |-> FALSE]`,
			Holds: func(p *pair) bool {
				return !p.confOK || p.cluster == clusterValue{request: p.r.id, hasRequest: true}
			},
			Shows: showCluster,
		},
		{
			Text: `ELSE reqState' = [reqState EXCEPT ![r].status = "failure"]`, Effect: true,
			Holds: func(p *pair) bool { return p.confOK || p.becomes(Failure) },
			Shows: showBranch,
		},
		{
			Text:  `ELSE UNCHANGED clusterState`,
			Holds: func(p *pair) bool { return p.confOK || p.sameCluster() },
			Shows: showCluster,
		},
		{
			Text:  `UNCHANGED << confOK, lastSubmitted, queue >>`,
			Holds: func(p *pair) bool { return p.sameConf() && p.sameLast() && p.sameQueue() },
		},
	}),
}

// completeApply: ok is whether the request succeeds.
var completeApply = &action{
	Name: "CompleteApply", Doc: "The update of the cluster ends, well or in the middle.",
	Bind: func(p *pair) bool {
		return p.bind(func(c *requestChange) bool {
			return c.moved() && (c.new.status == Success || c.new.status == PartialFailure)
		})
	},
	Clauses: []clause{
		{
			Text:  `reqState[r].status = "partial"`,
			Holds: func(p *pair) bool { return p.r.old.status == Partial },
			Shows: showStatus,
		},
		{
			Text: `\E ok \in BOOLEAN : IF ok THEN reqState' = [reqState EXCEPT ![r].status = "success"] ` +
				`ELSE reqState' = [reqState EXCEPT ![r].status = "partialFailure"]`, Effect: true,
			Holds: func(p *pair) bool { return p.becomes(Success) || p.becomes(PartialFailure) },
			Shows: showEffect,
		},
		{
			Text: `ok => clusterState' = [clusterState EXCEPT !.req = r, !.complete = TRUE]`,
			Holds: func(p *pair) bool {
				return p.r.new.status != Success ||
					p.cluster == clusterValue{request: p.r.id, hasRequest: true, complete: true} ||
					p.was.clusterUnseen && p.sameCluster()
			},
			Shows: showCluster,
		},
		{
			Text:  `~ok => UNCHANGED clusterState`,
			Holds: func(p *pair) bool { return p.r.new.status == Success || p.sameCluster() },
			Shows: showCluster,
		},
		{
			Text:  `UNCHANGED << confOK, lastSubmitted, queue >>`,
			Holds: func(p *pair) bool { return p.sameConf() && p.sameLast() && p.sameQueue() },
		},
	},
}

var rollback = &action{
	Name: "Rollback", Doc: "A request that failed in the middle is taken back; this always works, if confOK, and else nothing happens.",
	Bind: func(p *pair) bool {
		return p.bind(func(c *requestChange) bool { return c.moved() && c.new.status == Rolledback }) && p.resolve(true)
	},
	Clauses: []clause{
		{
			Text:  `reqState[r].status = "partialFailure"`,
			Holds: func(p *pair) bool { return p.r.old.status == PartialFailure },
			Shows: showStatus,
		},
		{
			Text: `IF confOK THEN reqState' = [reqState EXCEPT ![r].status = "rolledback"]`, Effect: true,
			Holds: func(p *pair) bool { return !p.confOK || p.becomes(Rolledback) },
			Shows: showBranch,
		},
		{
			Text: `THEN clusterState' = [clusterState EXCEPT !.complete = TRUE]`,
			Holds: func(p *pair) bool {
				want := p.was.cluster
				want.complete = true
				return !p.confOK || p.cluster == want || p.was.clusterUnseen && p.sameCluster()
			},
			Shows: showCluster,
		},
		{
			Text:  `UNCHANGED << confOK, lastSubmitted, queue >>`,
			Holds: func(p *pair) bool { return p.sameConf() && p.sameLast() && p.sameQueue() },
		},
		{
			Text:  `ELSE UNCHANGED vars`,
			Holds: func(p *pair) bool { return p.confOK || p.stutters() },
			Shows: showBranch,
		},
	},
	Stutter: func(p *pair) bool { return p.s.failed > 0 && p.was.conf != yes && p.conf != yes },
}

func showBranch(p *pair) string {
	return fmt.Sprintf("confOK = %s; %s", boolean(p.confOK), showEffect(p))
}

func showCluster(p *pair) string {
	return fmt.Sprintf("clusterState = %s, clusterState' = %s", p.was.cluster, p.cluster)
}
