package updatecluster

var pushToQueue = &action{
	Name: "PushToQueue", Doc: "The request is pushed to the queue. Done again, it stutters: the status stays valid.",
	Bind: func(p *pair) bool {
		return p.bind(func(c *requestChange) bool { return c.is == in && c.was == out })
	},
	Clauses: []clause{
		{
			Text:  `reqState[r].status = "valid"`,
			Holds: func(p *pair) bool { return p.r.old.status == Valid },
			Shows: showStatus,
		},
		{
			Text: `queue' = queue \union {r}`, Effect: true,
			Holds: func(p *pair) bool { return len(p.requests) == 1 && p.r.is&in != 0 },
		},
		{
			Text: `UNCHANGED << confOK, reqState, clusterState, lastSubmitted >>`,
			Holds: func(p *pair) bool {
				return p.sameConf() && !p.r.moved() && p.sameCluster() && p.sameLast()
			},
		},
	},
	Stutter: func(p *pair) bool { return p.queuedValid > 0 },
}

// processQueue takes any request in the queue: the text looks neither at the
// order of submission nor at the status.
var processQueue = &action{
	Name: "ProcessQueue", Doc: "A request in the queue is processed; the order of submission is not taken into account.",
	Bind: func(p *pair) bool {
		return p.bind(func(c *requestChange) bool {
			return c.new.status == Processing && (c.moved() || c.is == out && c.was == in)
		})
	},
	Clauses: []clause{
		{
			Text:  `queue # {}`,
			Holds: func(p *pair) bool { return p.r.was&in != 0 || p.s.queued+p.s.validIn > 0 },
		},
		{
			Text:   `r \in queue`,
			Holds:  func(p *pair) bool { return p.r.was&in != 0 },
			Refute: true, Shows: func(p *pair) string { return p.r.id + " is not in queue" + p.r.unlogged(out) },
		},
		{
			Text: `queue' = queue \ {r}`, Effect: true,
			Holds:  func(p *pair) bool { return p.r.is&out != 0 },
			Refute: true, Shows: func(p *pair) string { return p.r.id + " is still in queue'" + p.r.unlogged(in) },
		},
		{
			Text: `reqState' = [reqState EXCEPT ![r].status = "processing"]`, Effect: true,
			Holds: func(p *pair) bool { return p.becomes(Processing) },
			Shows: showEffect,
		},
		{
			Text:  `UNCHANGED << confOK, clusterState, lastSubmitted >>`,
			Holds: func(p *pair) bool { return p.sameConf() && p.sameCluster() && p.sameLast() },
		},
	},
}
