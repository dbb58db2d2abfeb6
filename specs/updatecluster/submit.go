package updatecluster

import "fmt"

// submit: lastSubmitted + 1 is currSubmitRank.
var submit = &action{
	Name: "Submit", Doc: "An update request is received from the user.",
	Bind: func(p *pair) bool {
		return p.bind(func(c *requestChange) bool {
			return c.new.status == Submitted || c.old.rankValue != c.new.rankValue
		})
	},
	Clauses: []clause{
		{
			Text:  `reqState[r].status = "waiting"`,
			Holds: func(p *pair) bool { return p.r.old.status == Waiting },
			Shows: showStatus,
		},
		{
			Text: `lastSubmitted' = currSubmitRank`, Effect: true,
			Holds: func(p *pair) bool { return !p.logsLast || !p.badLast && p.r.new.is(p.last) },
			Shows: func(p *pair) string { return fmt.Sprintf("lastSubmitted' = %d", p.last) },
		},
		{
			Text: `reqState' = [reqState EXCEPT ![r].status = "submitted", ![r].rank = currSubmitRank]`, Effect: true,
			Holds: func(p *pair) bool {
				return len(p.requests) == 1 && p.r.new.bad == 0 && p.r.new.status == Submitted && p.was.follows(p.r.new.rankValue)
			},
			Shows: func(p *pair) string {
				return fmt.Sprintf("currSubmitRank = %d, status' = %s, rank' = %s", p.was.last+1, p.r.new.status, p.r.new.rankValue)
			},
		},
		{
			Text:  `UNCHANGED << confOK, queue, clusterState >>`,
			Holds: func(p *pair) bool { return p.sameConf() && p.sameQueue() && p.sameCluster() },
		},
	},
}

var initialcheck = &action{
	Name: "Initialcheck", Doc: "The request is validated: authorisation, quotas.",
	Bind: func(p *pair) bool {
		return p.bind(func(c *requestChange) bool {
			return c.moved() && (c.new.status == Valid || c.new.status == Rejected)
		})
	},
	Clauses: []clause{
		{
			Text:  `reqState[r].status = "submitted"`,
			Holds: func(p *pair) bool { return p.r.old.status == Submitted },
			Shows: showStatus,
		},
		{
			Text: `\E ok \in BOOLEAN : IF ok THEN reqState' = [reqState EXCEPT ![r].status = "valid"] ` +
				`ELSE reqState' = [reqState EXCEPT ![r].status = "rejected"]`, Effect: true,
			Holds: func(p *pair) bool { return p.becomes(Valid) || p.becomes(Rejected) },
			Shows: showEffect,
		},
		{
			Text:  `UNCHANGED << confOK, queue, clusterState, lastSubmitted >>`,
			Holds: func(p *pair) bool { return p.sameConf() && p.sameQueue() && p.sameCluster() && p.sameLast() },
		},
	},
}

func showStatus(p *pair) string { return "reqState[r].status = " + p.r.old.status.String() }

// showEffect says what the step makes of the request.
func showEffect(p *pair) string {
	text := fmt.Sprintf("status' = %s, rank' = %s", p.r.new.status, p.r.new.rankValue)
	if len(p.requests) > 1 {
		text += fmt.Sprintf("; the step changes %d requests", len(p.requests))
	}
	return text
}
