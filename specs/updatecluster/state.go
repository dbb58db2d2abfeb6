package updatecluster

import (
	"fmt"
	"math"
	"strings"

	"tracecheck/trace"
	"tracecheck/trace/codec"
	"tracecheck/validators"
)

// reqState is reqState[r].
type reqState struct {
	status Status
	bad    badFields // fields outside their types
	rankValue
}

// requestValue is a request without its id.
type requestValue struct {
	reqState
	queue  membership
	unseen badFields // fields not known yet, under --attach
}

// initRequest is a request in Init. Requests that no line has shown are this.
var initRequest = requestValue{reqState: reqState{status: Waiting}, queue: out}

// clusterValue is clusterState.
type clusterValue struct {
	request    string // only where hasRequest
	hasRequest bool   // req # NULL
	complete   bool
	bad        badFields
}

func (c clusterValue) String() string {
	req := "NULL"
	if c.hasRequest {
		req = c.request
	}
	return fmt.Sprintf("[req |-> %s, complete |-> %s]", req, boolean(c.complete))
}

// vars is the variables but for reqState and queue, and what StartApply's
// quantifier reads of reqState.
type vars struct {
	cluster  clusterValue
	last     int64 // lastSubmitted
	conf     ternary
	partials int // Cardinality({r : reqState[r].status = "partial"})

	// Under --attach:
	clusterUnseen bool
	lastFree      bool // last is a lower bound: nothing has logged or followed it yet
}

// follows is rank = lastSubmitted + 1.
func (v *vars) follows(rank rankValue) bool {
	if v.last == math.MaxInt64 || !rank.set {
		return false
	}
	return rank.n == v.last+1 || v.lastFree && rank.n > v.last
}

// state is the variables, with counts.
type state struct {
	vars
	requests     validators.Index[*request] // those that a line has shown
	records      codec.Records[*request]    // as written down
	queueLogged  bool                       // some line of the stream has given a request's queued
	lastLogged   bool                       // some line has given last_submitted
	clusterShown bool

	validIn int   // requests with status valid that are in queue, or may be
	failed  int   // requests with status partialFailure
	queued  int   // requests known to be in queue
	applied int64 // how often another request came to be the cluster's

	confTrue validators.Gate // confOK is known, and TRUE
	waits    stateWaits
}

// request is a request that a line has shown. As nothing deletes one, a stream
// keeps all that it ever showed: 80 bytes each, beside the id.
type request struct {
	codec.Mark
	requestValue
	id    string
	waits requestWaits
}

// Key implements validators.Keyed.
func (r *request) Key() string { return r.id }

func newState(attach bool) *state {
	return &state{vars: vars{cluster: clusterValue{complete: true}, clusterUnseen: attach, lastFree: attach}}
}

// inferred is a membership of queue that no line has logged. No action leads to
// a state in which a request that is not valid is in the queue.
func (v *requestValue) inferred() membership {
	if v.status == Valid || v.unseen&badStatusField != 0 {
		return open
	}
	return out
}

// readQueued overlays what a line says of queued, which may be that it leaves
// it out. A null is a value only once the stream has logged one.
func (s *state) readQueued(v *requestValue, queued trace.Value) {
	switch {
	case queued.Type == trace.Absent || queued.Type == trace.Null && !s.queueLogged:
		if v.queue == open || !s.queueLogged {
			v.queue = v.inferred()
		}
		return
	case queued.Type == trace.Bool && queued.Int == 1:
		v.queue = in
	case queued.Type == trace.Bool || queued.Type == trace.Null:
		v.queue = out
	default:
		v.queue = 0
	}
	v.mark(badQueuedField, v.queue == 0)
	s.queueLogged = true
}

func (s *state) count(v *requestValue, d int) {
	switch v.status {
	case Valid:
		if v.queue&in != 0 {
			s.validIn += d
		}
	case Partial:
		s.partials += d
	case PartialFailure:
		s.failed += d
	}
	if v.queue == in {
		s.queued += d
	}
}

// put sets the request of the id; r is nil where no line has shown it. A value
// of queued outside its type says nothing of what follows.
func (s *state) put(r *request, id string, v requestValue) *request {
	if v.queue == 0 {
		v.queue = v.inferred()
	}
	if r == nil {
		r = &request{id: strings.Clone(id)}
		s.requests.Put(r)
		s.records.Add(r)
	} else {
		s.records.Keep(r)
		s.count(&r.requestValue, -1)
	}
	r.requestValue = v
	s.count(&v, +1)
	return r
}

func (s *state) drop(r *request) {
	if r != nil {
		s.records.Keep(r)
		s.count(&r.requestValue, -1)
		r.requestValue = requestValue{} // and so waits for nothing
		s.requests.Delete(r.id)
	}
}

// putCluster sets clusterState. The request's id is kept with the request.
func (s *state) putCluster(c clusterValue) {
	if c.hasRequest && c.request != s.cluster.request {
		if r := s.requests.Get(c.request); r != nil {
			c.request = r.id
		} else {
			c.request = strings.Clone(c.request)
		}
		s.applied++
	} else if c.hasRequest {
		c.request = s.cluster.request
	}
	s.cluster, s.clusterShown, s.clusterUnseen = c, true, false
}
