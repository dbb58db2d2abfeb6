package updatecluster_test

import (
	"maps"
	"slices"
	"strconv"
)

// The oracle is a second reading of UpdateCluster.tla, for tests only: whole
// states, every successor, and sets of the states that are possible where a
// trace leaves variables out. It takes nothing from the checker.

var statuses = []string{
	"waiting", "submitted", "rejected", "valid", "processing",
	"partial", "partialFailure", "success", "failure", "rolledback",
}

var oracleActions = []string{"Submit", "Initialcheck", "PushToQueue", "ProcessQueue", "StartApply", "CompleteApply", "Rollback"}

// null is NULL, as a rank.
const null = -1 << 40

type oracleRequest struct {
	status string
	rank   int
	queued bool
}

type oracleState struct {
	requests map[string]oracleRequest
	request  string // of clusterState; "-" is NULL
	complete bool
	last     int
	conf     bool
}

func oracleInit(conf bool, ids ...string) oracleState {
	s := oracleState{requests: map[string]oracleRequest{}, request: "-", complete: true, conf: conf}
	for _, id := range ids {
		s.requests[id] = oracleRequest{"waiting", null, false}
	}
	return s
}

func (s oracleState) clone() oracleState {
	s.requests = maps.Clone(s.requests)
	return s
}

// key is equal for equal states only.
func (s oracleState) key() string {
	b := make([]byte, 0, 128)
	for _, id := range s.ids() {
		r := s.requests[id]
		b = strconv.AppendQuote(b, id)
		b = append(b, r.status...)
		b = strconv.AppendInt(b, int64(r.rank), 10)
		b = strconv.AppendBool(b, r.queued)
	}
	b = strconv.AppendQuote(b, s.request)
	b = strconv.AppendBool(b, s.complete)
	b = strconv.AppendInt(b, int64(s.last), 10)
	return string(strconv.AppendBool(b, s.conf))
}

func (s oracleState) ids() []string { return slices.Sorted(maps.Keys(s.requests)) }

func (s oracleState) partials() int {
	n := 0
	for _, r := range s.requests {
		if r.status == "partial" {
			n++
		}
	}
	return n
}

// successor is a step of the model; r is the request that it is of.
type successor struct {
	action, r string
	to        oracleState
}

// successors lists every step of Next, those that change nothing included.
func (s oracleState) successors() []successor {
	var all []successor
	for _, id := range s.ids() {
		r := s.requests[id]
		step := func(action, status string, change func(t *oracleState, r *oracleRequest)) {
			t := s.clone()
			next := r
			if status != "" {
				next.status = status
			}
			if change != nil {
				change(&t, &next)
			}
			t.requests[id] = next
			all = append(all, successor{action, id, t})
		}
		if r.status == "waiting" {
			step("Submit", "submitted", func(t *oracleState, r *oracleRequest) { t.last++; r.rank = t.last })
		}
		if r.status == "submitted" {
			step("Initialcheck", "valid", nil)
			step("Initialcheck", "rejected", nil)
		}
		if r.status == "valid" {
			step("PushToQueue", "", func(_ *oracleState, r *oracleRequest) { r.queued = true })
		}
		if r.queued {
			step("ProcessQueue", "processing", func(_ *oracleState, r *oracleRequest) { r.queued = false })
		}
		if r.rank != null && r.rank == s.last && r.status == "processing" && s.complete && s.partials() == 0 {
			if s.conf {
				step("StartApply", "partial", func(t *oracleState, _ *oracleRequest) { t.request, t.complete = id, false })
			} else {
				step("StartApply", "failure", nil)
			}
		}
		if r.status == "partial" {
			step("CompleteApply", "success", func(t *oracleState, _ *oracleRequest) { t.request, t.complete = id, true })
			step("CompleteApply", "partialFailure", nil)
		}
		if r.status == "partialFailure" {
			if s.conf {
				step("Rollback", "rolledback", func(t *oracleState, _ *oracleRequest) { t.complete = true })
			} else {
				step("Rollback", "", nil)
			}
		}
	}
	return all
}

// outdated is the set that NoApplicationOfOutdatedReq says is empty.
func (s oracleState) outdated() bool {
	return slices.ContainsFunc(s.successors(), func(n successor) bool {
		return n.action == "StartApply" && s.requests[n.r].rank != s.last
	})
}

// stateSet is a set of states.
type stateSet map[string]oracleState

func (set stateSet) add(s oracleState) { set[s.key()] = s }

func (set stateSet) sorted() []oracleState {
	var all []oracleState
	for _, k := range slices.Sorted(maps.Keys(set)) {
		all = append(all, set[k])
	}
	return all
}
