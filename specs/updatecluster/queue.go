package updatecluster

var pushToQueue = &action{
	Name: "PushToQueue", Doc: "The request is pushed to the queue. If it is pushed again, nothing changes: the status stays valid.",
	Some:   someRequest,
	Guards: []clause{statusIs(Valid)},
	Effect: func(_ *State, p *witness) { p.r.Write().Queue = in },
	Primed: []primed{
		{Text: `queue' = queue \union {r}`, Of: []group{queue}},
		unchanged(`UNCHANGED << confOK, reqState, clusterState, lastSubmitted >>`, varConf, reqState, clusterState, varLast),
	},
	Stutters: func(s *State) bool {
		n := s.validIn
		for _, c := range s.requests.Touched() {
			if c.Old.Status == Valid && c.Old.Queue&in != 0 && c.New.Queue&in == 0 {
				n--
			}
		}
		return n > 0
	},
	Stuttered: func(s *State) {
		for _, c := range s.requests.Touched() {
			if s.validIn == 1 { // the only one that can be in the queue
				s.claimedPush(c.ID)
			}
		}
	},
}

// claimedPush notes that a request, which a snapshot left open, is in the queue.
func (s *State) claimedPush(id string) {
	for _, c := range s.requests.Touched() {
		if c.ID == id && s.logsNow && c.New.Status == Valid && c.New.Queue == open {
			c.New.Queue = in
		}
	}
}

// pushed is the action of a step that changes nothing else, where a line shows
// the one request to be in the queue that may not have been.
func pushed(s *State) *action {
	n := 0
	for _, c := range s.requests.Touched() {
		if mayBePushed(c) && c.New.Queue == in {
			n++
		}
	}
	if n == 1 {
		return pushToQueue
	}
	return nil
}

// processQueue takes any request in the queue: the text looks neither at the
// order of submission nor at the status.
var processQueue = &action{
	Name: "ProcessQueue", Doc: "A request in the queue is processed; the order of submission is not taken into account.",
	Some: someRequest,
	Guards: []clause{
		{
			Text:  `queue # {}`,
			Holds: func(s *State, p *witness) bool { return p.r.Now.Queue&in != 0 || s.queued+s.validIn > 0 },
		},
		{
			Text:   `r \in queue`,
			Holds:  func(_ *State, p *witness) bool { return p.r.Now.Queue&in != 0 },
			Refute: true, Shows: func(_ *State, p *witness) string { return p.r.ID + " is not in queue" + unlogged(p.r, out) },
		},
	},
	Effect: func(_ *State, p *witness) {
		r := p.r.Write()
		r.Queue, r.Status = out, Processing
	},
	Primed: []primed{
		{
			Text: `queue' = queue \ {r}`, Of: []group{queue},
			Refute: true, Shows: func(_ *State, p *witness) string { return p.r.ID + " is still in queue'" + unlogged(p.r, in) },
		},
		{Text: `reqState' = [reqState EXCEPT ![r].status = "processing"]`, Of: []group{reqState}, Shows: showEffect},
		unchanged(`UNCHANGED << confOK, clusterState, lastSubmitted >>`, varConf, clusterState, varLast),
	},
	Before: func(s *State, p *witness) *action {
		if !s.logsNow {
			return pushToQueue
		}
		return nil
	},
}

// unlogged explains to a reader why the request's membership is what it is.
func unlogged(c *change, is membership) string {
	if c.Gives(ofQueued) || c.Old.Queue != is || c.New.Queue != is {
		return ""
	}
	return ", since the stream logs queued and this step leaves it out"
}
