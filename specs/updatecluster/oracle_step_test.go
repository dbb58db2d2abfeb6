package updatecluster_test

import (
	"slices"

	"tracecheck/specs/internal/oracle"
)

// step judges one run of neighbouring lines and moves on.
func (j *judging) step(run []oracle.Event) verdict {
	v := verdict{First: run[0].Line, Last: run[len(run)-1].Line}
	rec := j.read(run)
	for id := range rec.requests { // every request is waiting from the start
		grown := stateSet{}
		for _, s := range j.possible {
			s = s.clone()
			if _, ok := s.requests[id]; !ok {
				s.requests[id] = oracleRequest{"waiting", null, false}
			}
			grown.add(s)
		}
		j.possible = grown
	}
	before := j.inferred()
	switch {
	case rec.badValue:
		v.Kinds, v.Open = []string{"type"}, []string{"claim", "invariant", "transition"}
		return v
	case rec.badOp:
		v.Kinds, v.Open = []string{"transition"}, []string{"claim", "invariant"}
		return v
	case run[0].Op == "snapshot":
		j.overlay(rec)
	default:
		j.explain(rec, before, &v)
	}
	// What is not valid is known not to be in the queue, from when the stream
	// logs it.
	j.open = rec.free
	for id, r := range j.possible.sorted()[0].requests {
		j.open[id] = j.open[id] && (r.status == "valid" || !j.logs)
		// A line of the request may claim what only one that is in the queue does.
		if _, named := rec.requests[id]; named && j.logs && j.allQueue(id) {
			j.open[id] = false
		}
	}
	for _, s := range j.possible {
		if s.partials() > 1 && !slices.Contains(v.Kinds, "invariant") {
			v.Kinds = append(v.Kinds, "invariant")
		}
		if s.outdated() {
			v.Kinds = append(v.Kinds, "property")
		}
	}
	slices.Sort(v.Kinds)
	if len(v.Kinds) == 0 && !v.Unknown {
		return verdict{}
	}
	return v
}

func (j *judging) allQueue(id string) bool {
	for _, s := range j.possible {
		if !s.requests[id].queued {
			return false
		}
	}
	return true
}

// overlay sets what the snapshot lines name.
func (j *judging) overlay(rec recorded) {
	over := stateSet{}
	for _, s := range j.possible {
		s = s.clone()
		for id, fields := range rec.requests {
			r := oracleRequest{rank: null}
			r.patch(fields)
			s.requests[id] = r
		}
		s.patchCluster(rec.cluster)
		if _, logged := rec.cluster["last_submitted"]; !logged && !j.lastSet {
			s.last = max(s.last, rec.largest)
		}
		over.add(s)
	}
	if _, logged := rec.cluster["last_submitted"]; logged {
		j.lastSet = true
	}
	j.possible = over
}

// explain finds what the step may have led to.
func (j *judging) explain(rec recorded, before stateSet, v *verdict) {
	any := before.sorted()[0]
	unknownName := slices.ContainsFunc(rec.claims, func(c claim) bool { return !slices.Contains(oracleActions, c.action) })
	rec.claims = slices.DeleteFunc(slices.Clone(rec.claims), func(c claim) bool { return !slices.Contains(oracleActions, c.action) })
	if unknownName {
		v.Kinds = append(v.Kinds, "claim")
	}
	stuttering := stateSet{}
	for _, s := range before {
		if j.matches(s, s, rec) {
			stuttering.add(s)
		}
	}
	claimed, plain, unknown := j.ways(rec, before, stuttering)
	switch {
	case unknown:
		v.Unknown = true
	case len(claimed) > 0:
		j.possible = claimed
	case len(plain) > 0:
		j.possible = plain
		if !unknownName {
			v.Kinds = append(v.Kinds, "claim")
		}
	default:
		v.Kinds = append(v.Kinds, "transition")
		end := any.clone()
		for id, fields := range rec.requests {
			r := end.requests[id]
			r.patch(fields)
			end.requests[id] = r
		}
		j.possible = stateSet{}
		j.possible.add(end)
	}
	if _, logged := rec.cluster["last_submitted"]; logged {
		j.lastSet = true
	}
	if len(v.Kinds) == 0 && !j.settled() {
		v.Unknown = true
	}
}

// ways are the states that the step may have led to, by its claims and without
// them.
func (j *judging) ways(rec recorded, before, stuttering stateSet) (claimed, plain stateSet, unknown bool) {
	claimed, plain = stateSet{}, stateSet{}
	if len(stuttering) > 0 {
		plain = stuttering
		for _, s := range stuttering {
			labels := map[string]bool{}
			for _, n := range s.successors() {
				labels[n.action] = labels[n.action] || n.to.key() == s.key()
			}
			if !slices.ContainsFunc(rec.claims, func(c claim) bool { return !labels[c.action] }) {
				claimed.add(s)
			}
		}
		return claimed, plain, false
	}
	if j.batched {
		return j.batch(rec, before)
	}
	take := func(to, from oracleState, actions ...string) {
		if !j.matches(to, from, rec) {
			return
		}
		plain.add(to)
		if !slices.ContainsFunc(rec.claims, func(c claim) bool { return !slices.Contains(actions, c.action) }) {
			claimed.add(to)
		}
	}
	for _, s := range before {
		for _, n := range s.successors() {
			// In a stream that has logged no queued, one step may be both.
			if n.action == "ProcessQueue" && rec.inferred[n.r] && s.requests[n.r].status == "valid" {
				take(n.to, s, "PushToQueue", "ProcessQueue")
			} else {
				take(n.to, s, n.action)
			}
		}
	}
	return claimed, plain, false
}

// settled says that there is one value that last may have.
func (j *judging) settled() bool {
	lasts := map[int]bool{}
	for _, s := range j.possible {
		lasts[s.last] = true
	}
	return len(lasts) < 2
}

// batch is a breadth-first walk from the old state to what the record says of
// the new one, in which only objects that differ change.
func (j *judging) batch(rec recorded, before stateSet) (claimed, plain stateSet, unknown bool) {
	claimed, plain = stateSet{}, stateSet{}
	type node struct {
		s   oracleState
		met uint
	}
	for _, from := range before.sorted() {
		want := from.clone()
		for id, fields := range rec.requests {
			r := want.requests[id]
			r.patch(fields)
			want.requests[id] = r
		}
		want.patchCluster(rec.cluster)
		allowed := func(s oracleState) bool {
			for id, r := range s.requests {
				o, w := from.requests[id], want.requests[id]
				differs := o.status != w.status || o.rank != w.rank
				if !differs && (r.status != o.status || r.rank != o.rank) {
					return false
				}
			}
			differs := from.request != want.request || from.complete != want.complete
			return differs || s.request == from.request && s.complete == from.complete
		}
		meets := func(s oracleState, n successor) uint {
			met := uint(0)
			for i, c := range rec.claims {
				object := "request" + n.r
				changed := s.requests[n.r] != n.to.requests[n.r]
				if c.object[:7] == "cluster" {
					object = c.object
					changed = s.request != n.to.request || s.complete != n.to.complete || s.last != n.to.last
				}
				if c.object == object && c.action == n.action && changed {
					met |= 1 << i
				}
			}
			return met
		}
		full := uint(1)<<len(rec.claims) - 1
		seen := map[string]bool{}
		todo := []node{{from, 0}}
		for len(todo) > 0 {
			at := todo[0]
			todo = todo[1:]
			if j.matches(at.s, from, rec) {
				plain.add(at.s)
				if at.met == full {
					claimed.add(at.s)
				}
			}
			for _, n := range at.s.successors() {
				next := node{n.to, at.met | meets(at.s, n)}
				key := next.s.key() + string(rune(next.met))
				if !seen[key] && allowed(n.to) {
					seen[key] = true
					todo = append(todo, next)
				}
			}
			if len(seen) > j.cap {
				return claimed, plain, true
			}
		}
	}
	return claimed, plain, false
}
