package updatecluster

import (
	"fmt"
	"math"
	"strings"

	"tracecheck/trace"
	"tracecheck/trace/codec"
	"tracecheck/validators"
	"tracecheck/validators/model"
)

// State is the variables, with counts.
type State struct {
	requests model.Rows[Request]
	cluster  model.Rows[Cluster]

	logsQueue   bool  // some line of the stream has given a request's queued
	logsNow     bool  // that, or a line of this step
	loggedLast  bool  // some line has given last_submitted
	partials    int   // Cardinality({r : reqState[r].status = "partial"})
	validIn     int   // requests with status valid that are in queue, or may be
	failed      int   // requests with status partialFailure
	queued      int   // requests known to be in queue
	applied     int32 // how often another request came to be the cluster's
	confTrue    validators.Gate
	look        witness // reused, since clauses get it by reference
	lookRequest change
}

// Request is reqState[r], and whether r is in queue.
type Request struct {
	Status Status
	Rank   model.OptionalInt
	Queue  membership
}

// Cluster is clusterState, lastSubmitted and confOK.
type Cluster struct {
	Req      model.OptionalID
	Complete bool
	Last     int64
	LastFree bool // under --attach Last is a lower bound: nothing has logged or followed it yet
	Conf     ternary
}

func (c *Cluster) String() string {
	return fmt.Sprintf("[req |-> %s, complete |-> %s]", c.Req, boolean(c.Complete))
}

type (
	change  = model.Change[Request]
	request = model.Row[Request]
)

// requests is reqState and queue.
var requests = &model.Kind[State, Request]{
	Kind: kindRequest, Rows: func(s *State) *model.Rows[Request] { return &s.requests },
	Init: Request{Status: Waiting, Queue: out}, Created: Request{Queue: out}, Snapshot: Request{Queue: open},
	NoDelete: "no action deletes a request (Reqs is a constant)",
	Columns: []model.Column[State, Request]{
		model.Enum[State](fieldStatus, statuses, func(r *Request) *Status { return &r.Status }),
		model.OptInt[State](fieldRank, func(r *Request) *model.OptionalInt { return &r.Rank }),
		queued,
	},
	Tally: (*State).count,
	Put: func(s *State, c *change) {
		if c.New.Queue == 0 { // a value outside the type says nothing of what follows
			c.New.Queue = c.New.inferred(true)
		}
	},
	Seen: func(s *State, c *change) {
		if s.logsQueue = s.logsNow; c.New.Rank.Set && !s.loggedLast {
			s.cluster.Amend(func(l *Cluster) { l.Last = max(l.Last, c.New.Rank.Value) })
		}
	},
	What: what,
	Waits: [][]model.Wait[State, Request]{
		{{For: waitProcessQueue, Is: isQueued}, {For: waitPushToQueue, Status: model.In(Valid)}},
		{{For: waitCompleteApply, Status: model.In(Partial)}, {For: waitRollback, Status: model.In(PartialFailure), Gate: func(s *State) *validators.Gate { return &s.confTrue }}},
	},
}

// queued need not be logged. A null is a value only once the stream has logged
// one.
var queued = model.Column[State, Request]{
	Field: fieldQueued, Type: "BOOLEAN",
	Read: func(s *State, r *Request, v trace.Value) model.Reading {
		switch {
		case v.Type == trace.Null && !s.logsNow:
			return model.LeftOut
		case v.Type == trace.Bool && v.Int == 1:
			r.Queue = in
		case v.Type == trace.Bool || v.Type == trace.Null:
			r.Queue = out
		default:
			r.Queue = 0
		}
		if s.logsNow = true; r.Queue == 0 {
			return model.Outside
		}
		return model.Good
	},
	Left: func(s *State, r *Request, unseen model.Columns) {
		if r.Queue == open || !s.logsNow {
			r.Queue = r.inferred(unseen&ofStatus == 0)
		}
	},
	Same: func(made, seen *Request) bool { return made.Queue&seen.Queue != 0 },
	Copy: func(to, from *Request) { to.Queue = from.Queue },
	Show: func(s *State, r *Request) (any, bool) {
		return r.Queue == in, s.logsNow && r.Queue != open && r.Queue != 0
	},
	Code: func(_ *State, c *codec.Codec, r *Request) {
		if codec.Uint(c, &r.Queue); r.Queue == 0 || r.Queue > open {
			c.Fail("queued %d is not known", r.Queue)
		}
	},
}

// inferred is a membership of queue that no line has logged. No action leads to
// a state in which a request that is not valid is in the queue.
func (r *Request) inferred(known bool) membership {
	if r.Status == Valid || !known {
		return open
	}
	return out
}

func (s *State) count(r *Request, d int) {
	switch r.Status {
	case Valid:
		if r.Queue&in != 0 {
			s.validIn += d
		}
	case Partial:
		s.partials += d
	case PartialFailure:
		s.failed += d
	}
	if r.Queue == in {
		s.queued += d
	}
}

// mayBePushed says that PushToQueue may be in the step, though nothing else
// changes the request.
func mayBePushed(c *change) bool {
	return c.Old.Status == Valid && c.Old.Queue&out != 0 && c.New.Queue&in != 0
}

// cluster is the variables that are of no request.
var cluster = &model.Kind[State, Cluster]{
	Kind: kindCluster, Name: "the cluster", Rows: func(s *State) *model.Rows[Cluster] { return &s.cluster },
	Init: Cluster{Complete: true}, NoDelete: "no action deletes the cluster",
	Columns: []model.Column[State, Cluster]{
		applies,
		model.Bool[State](fieldComplete, func(c *Cluster) *bool { return &c.Complete }),
		lastSubmitted, confOK,
	},
	Put: func(s *State, c *model.Change[Cluster]) {
		if req := &c.New.Req; req.Set && req.Value != c.Old.Req.Value {
			s.applied++
		}
	},
	Seen: func(s *State, c *model.Change[Cluster]) { s.loggedLast = s.loggedLast || c.Gives(ofLast) },
	What: whatCluster,
}

// applies is the request that the cluster applies. It shares the id of the request's row, if there is one.
var applies = func() model.Column[State, Cluster] {
	c := model.OptID[State](fieldRequest, `Reqs \union {NULL} (an id or null)`, func(c *Cluster) *model.OptionalID { return &c.Req })
	own := c.Own
	c.Own = func(s *State, c, before *Cluster) {
		if r := s.requests.Get(c.Req.Value); r != nil && c.Req.Value != before.Req.Value {
			c.Req.Value = r.ID()
		} else {
			own(s, c, before)
		}
	}
	return c
}()

var lastSubmitted = model.Column[State, Cluster]{
	Field: fieldLastSubmitted, Type: "Int", Inferred: true,
	Read: model.Unless[State](trace.Int, func(c *Cluster, v int64) { c.Last, c.LastFree = v, false }),
	Same: func(made, seen *Cluster) bool {
		return made.Last == seen.Last || made.LastFree && seen.Last > made.Last
	},
	Copy: func(to, from *Cluster) { to.Last, to.LastFree = from.Last, from.LastFree },
	Show: func(_ *State, c *Cluster) (any, bool) { return c.Last, true },
	Code: func(_ *State, c *codec.Codec, v *Cluster) {
		codec.Int(c, &v.Last)
		codec.Bool(c, &v.LastFree)
	},
}

// confOK is known from the first line that logs it, or the first action that
// depends on it.
var confOK = model.Column[State, Cluster]{
	Field: fieldConfOK, Type: "BOOLEAN", Inferred: true,
	Read: model.Unless[State](trace.Bool, func(c *Cluster, v int64) { c.Conf = ternaryOf(v == 1) }),
	Same: func(made, seen *Cluster) bool {
		return made.Conf == unknown || seen.Conf == unknown || made.Conf == seen.Conf
	},
	Copy: func(to, from *Cluster) { to.Conf = from.Conf },
	Show: func(_ *State, c *Cluster) (any, bool) { return c.Conf == yes, c.Conf != unknown },
	Code: func(_ *State, c *codec.Codec, v *Cluster) {
		if codec.Uint(c, &v.Conf); v.Conf > no {
			c.Fail("conf_ok %d is not known", v.Conf)
		}
	},
}

// Columns, by their places.
const (
	ofStatus   model.Columns = 1 << 0
	ofReqState model.Columns = 3 // status and rank
	ofQueued   model.Columns = 1 << 2
	ofReq      model.Columns = 1 << 0 // of the cluster
	ofComplete model.Columns = 1 << 1 // of the cluster
	ofState                  = ofReq | ofComplete
	ofLast     model.Columns = 1 << 2 // of the cluster
	ofConf     model.Columns = 1 << 3 // of the cluster
)

// The text's variables.
var (
	reqState     = requests.Of(fieldStatus, fieldRank)
	queue        = requests.Of(fieldQueued)
	clusterState = cluster.Of(fieldRequest, fieldComplete)
	varLast      = cluster.Of(fieldLastSubmitted)
	varConf      = cluster.Of(fieldConfOK)
)

// now is the variables that are of no request.
func (s *State) now() *Cluster { return s.cluster.The().Now }

// unseen says that no line has given one of the cluster's columns yet, under --attach.
func (s *State) unseen(of model.Columns) bool { return s.cluster.Unseen(of) }

// submitRank is currSubmitRank, as the request shows it where lastSubmitted is a
// lower bound.
func (s *State) submitRank(r *change) int64 {
	c := s.now()
	if r.New.Rank.Set && r.New.Rank.Value > c.Last && c.LastFree {
		return r.New.Rank.Value
	}
	if c.Last == math.MaxInt64 {
		return c.Last
	}
	return c.Last + 1
}

// settle takes variables from what a step shows of others. lastSubmitted is the
// largest rank that a line has shown, unless one has logged it or Submit followed
// it.
func (s *State) settle(taken bool) {
	s.logsQueue = s.logsNow
	c := s.cluster.The()
	switch {
	case c.Gives(ofLast):
		s.loggedLast = true
	case c.Now.Last != c.Old.Last: // by Submit
	default:
		for _, r := range s.requests.Touched() {
			if r.Shown && r.New.Rank.Set && r.New.Rank != r.Old.Rank {
				s.cluster.Infer().Last = max(c.Now.Last, r.New.Rank.Value)
			}
		}
	}
}

// what says what happens to a request.
func what(_ *State, c *change) string {
	var parts []string
	if c.Old.Status != c.New.Status {
		parts = append(parts, fmt.Sprintf("goes from %s to %s", c.Old.Status, c.New.Status))
	}
	if c.Old.Rank != c.New.Rank {
		parts = append(parts, fmt.Sprintf("gets rank %s after %s", c.New.Rank, c.Old.Rank))
	}
	switch {
	case c.New.Queue == in && c.Old.Queue == out:
		parts = append(parts, "enters the queue")
	case c.New.Queue == out && c.Old.Queue == in:
		parts = append(parts, "leaves the queue")
	case c.New.Queue == in && c.Old.Status == Valid && c.New.Status != Valid:
		parts = append(parts, "stays in the queue")
	case len(parts) == 0:
		parts = append(parts, "gets a value outside its type")
	}
	return fmt.Sprintf("request %s %s", c.ID, strings.Join(parts, " and "))
}

func whatCluster(_ *State, c *model.Change[Cluster]) string {
	switch {
	case c.Old.Req != c.New.Req || c.Old.Complete != c.New.Complete:
		return fmt.Sprintf("clusterState goes from %s to %s", c.Old, &c.New)
	case c.IsBad():
		return "the cluster gets a value outside its type"
	case c.Old.Conf != unknown && c.New.Conf != unknown && c.Old.Conf != c.New.Conf:
		return fmt.Sprintf("confOK goes from %s to %s", boolean(c.Old.Conf == yes), boolean(c.New.Conf == yes))
	}
	return fmt.Sprintf("lastSubmitted goes from %d to %d", c.Old.Last, c.New.Last)
}
