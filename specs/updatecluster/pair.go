package updatecluster

// pair is a step's two states: the old variables, and what differs in the new
// ones. A variable that a step need not log is unchanged where it does not.
type pair struct {
	was      *vars
	requests []requestChange // those that differ
	cluster  clusterValue    // clusterState'
	last     int64           // lastSubmitted', where logsLast
	logsLast bool
	badLast  bool
	conf     ternary // confOK', unknown where the step does not log it
	badConf  bool
	s        *state // for what may stutter

	// Valid requests that are, or may be, in queue before the step and after it,
	// if nothing changes their status.
	queuedValid int

	// Witnesses, set by an action's Bind.
	r      *requestChange // r
	confOK bool           // as IF reads it: where it is not known yet, what the step shows it to be
}

// requestChange is a request that the step names, before and after.
type requestChange struct {
	id       string
	record   *request // where a line has shown the request
	old, new requestValue
	was, is  membership // what is possible before and after the step
	logged   bool       // some line of the step gives queued
	inferred bool       // is follows from the status: the stream has logged no queued
	had      bool       // some line before the step has shown the request
	shown    bool       // and after
	line     int        // of its last event, an index into the step
}

// moved says that reqState[r] differs.
func (c *requestChange) moved() bool { return c.old.reqState != c.new.reqState }

// differs says that the request cannot be as before: its status or rank, or
// its membership of queue.
func (c *requestChange) differs() bool { return c.moved() || c.was&c.is == 0 }

// mayBePushed says that PushToQueue may be in the step, though nothing else
// changes the request.
func (c *requestChange) mayBePushed() bool {
	return c.old.status == Valid && c.was&out != 0 && c.is&in != 0
}

// unlogged explains to a reader why the request's membership is what it is.
func (c *requestChange) unlogged(is membership) string {
	if c.logged || c.was != is || c.is != is {
		return ""
	}
	return ", since the stream logs queued and this step leaves it out"
}

// bind takes the first request whose change the action could be.
func (p *pair) bind(like func(*requestChange) bool) bool {
	for i := range p.requests {
		if c := &p.requests[i]; like(c) {
			p.r = c
			return true
		}
	}
	return false
}

// resolve sets confOK for an IF: the value known, else the one guessed.
func (p *pair) resolve(guess bool) bool {
	switch {
	case p.was.conf != unknown:
		p.confOK = p.was.conf == yes
	case p.conf != unknown:
		p.confOK = p.conf == yes
	default:
		p.confOK = guess
	}
	return true
}

// becomes is reqState' = [reqState EXCEPT ![r].status = status].
func (p *pair) becomes(status Status) bool {
	return len(p.requests) == 1 && p.r.new.bad == 0 && p.r.new.status == status && p.r.new.rankValue == p.r.old.rankValue
}

// Unchanged variables.

func (p *pair) sameCluster() bool { return p.cluster == p.was.cluster }

func (p *pair) sameLast() bool {
	return !p.logsLast || !p.badLast && (p.last == p.was.last || p.was.lastFree && p.last > p.was.last)
}

func (p *pair) sameConf() bool {
	return !p.badConf && (p.conf == unknown || p.was.conf == unknown || p.conf == p.was.conf)
}

func (p *pair) sameQueue() bool {
	for i := range p.requests {
		if c := &p.requests[i]; c.was&c.is == 0 {
			return false
		}
	}
	return true
}

// stutters is UNCHANGED vars.
func (p *pair) stutters() bool {
	return len(p.requests) == 0 && p.sameCluster() && p.sameLast() && p.sameConf()
}
