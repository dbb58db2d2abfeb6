package swarmkit_test

import (
	"maps"
	"math"
	"slices"

	"tracecheck/specs/internal/oracle"
)

type verdict = oracle.Verdict

// judge reads a trace of one stream and judges it under the profile spec.
// searchCap bounds each batched search.
func judge(lines []string, searchCap int) verdict {
	j := judging{state: newOracleState(), maxTerminated: 5, cap: searchCap}
	return oracle.Judge(lines, j.meta, j.step)
}

type judging struct {
	state         oracleState
	batched       bool
	snapshots     bool // the stream has shown a snapshot
	maxTerminated int
	cap           int
}

func (j *judging) meta(object map[string]any) {
	j.batched = object["steps"] == "batched"
	if constants, ok := object["constants"].(map[string]any); ok {
		if n, ok := constants["max_terminated"].(float64); ok {
			j.maxTerminated = int(n)
		}
	}
}

// change is a run of lines on its way to be a step.
type change struct {
	before, after oracleState
	claims        []claim
	deleted       map[object]bool
	remade        map[object]bool
	badValue      bool // a value outside its type
	badOp         bool // an op that does not fit what exists
	moved         bool // an update of a task's service or vslot
}

// step judges one run of neighbouring lines and moves on.
func (j *judging) step(run []oracle.Event) verdict {
	c := change{before: j.state.clone(), after: j.state.clone(), deleted: map[object]bool{}, remade: map[object]bool{}}
	snapshot := run[0].Op == "snapshot"
	j.snapshots = j.snapshots || snapshot
	for _, e := range run {
		c.apply(e, !j.snapshots)
	}
	v := verdict{First: run[0].Line, Last: run[len(run)-1].Line}
	switch {
	case c.badValue:
		v.Kinds, v.Open = []string{"type"}, []string{"claim", "invariant", "transition"}
	case c.badOp:
		v.Kinds, v.Open = []string{"transition"}, []string{"invariant", "type"}
	default:
		if c.moved {
			v.Kinds = append(v.Kinds, "transition")
		} else if !snapshot {
			j.explain(c, &v)
		}
		if !c.after.inv() {
			v.Kinds = append(v.Kinds, "invariant")
		}
		if !c.after.typeOK() {
			v.Kinds = append(v.Kinds, "type")
		}
	}
	j.state = c.after
	slices.Sort(v.Kinds)
	if len(v.Kinds) == 0 && !v.Unknown {
		return verdict{}
	}
	return v
}

func (j *judging) explain(c change, v *verdict) {
	if j.batched && c.remadeTheSame() {
		v.Unknown = true
		return
	}
	transition, claims := j.explainAtomic, c.claims
	if j.batched {
		transition = j.explainBatched
	}
	switch transition(c, claims) {
	case yes:
		return
	case unknown:
		v.Unknown = true
		return
	}
	if len(claims) > 0 {
		switch transition(c, nil) {
		case yes:
			if j.batched && c.claimsUnchanged() {
				v.Unknown = true
				return
			}
			v.Kinds = append(v.Kinds, "claim")
			return
		case unknown:
			v.Unknown = true
			return
		}
		if slices.ContainsFunc(claims, claim.unknownName) {
			v.Open = append(v.Open, "claim")
		}
	}
	v.Kinds = append(v.Kinds, "transition")
}

// claimsUnchanged says whether a claim is on an object that the step leaves as
// it is, though it changes others. No action of a batch changes that object;
// whether the claim then fails is open.
func (c change) claimsUnchanged() bool {
	changed := differing(c.before, c.after)
	return len(changed) > 0 && slices.ContainsFunc(c.claims, func(cl claim) bool { return !changed[cl.object] })
}

// remadeTheSame says whether a step that changes something remakes an object
// just as it was. Whether that object "differs" is open.
func (c change) remadeTheSame() bool {
	changed := differing(c.before, c.after)
	for o := range c.remade {
		if len(changed) > 0 && !changed[o] {
			return true
		}
	}
	return false
}

// unknownName says whether no label has the claim's actor, or its action.
func (c claim) unknownName() bool {
	actor, action := c.actor == "", c.action == ""
	for _, a := range oracleActions {
		actor = actor || a.actor == c.actor
		action = action || a.action == c.action
	}
	return !actor || !action
}

// explainAtomic wants one action that meets every claim.
func (j *judging) explainAtomic(c change, claims []claim) answer {
	if len(claims) == 0 && c.before.equal(c.after) {
		return yes
	}
	for _, l := range explains(c.before, c.after, j.maxTerminated) {
		if !slices.ContainsFunc(claims, func(c claim) bool { return !c.admits(l) }) {
			return yes
		}
	}
	return no
}

func (j *judging) explainBatched(c change, claims []claim) answer {
	return batch{
		from: c.before, to: c.after, maxTerminated: j.maxTerminated,
		remade: c.remade, claims: claims, cap: j.cap,
	}.explained()
}

// apply takes one line. A node that comes or goes is the environment's doing:
// it is so before the step begins. Without snapshots a node first seen by an
// update was there, up.
func (c *change) apply(e oracle.Event, fromInit bool) {
	if e.Kind == "node" && e.Op == "update" && !c.after.isNode(e.ID) && fromInit {
		c.before.nodes[e.ID], c.after.nodes[e.ID] = nodeUp, nodeUp
	}
	here := slices.DeleteFunc(c.after.objects(), func(o object) bool {
		return o.kind != e.Kind || o.id != e.ID || c.after.value(o) == nodeGone
	})
	exists := len(here) > 0
	if e.Op != "snapshot" && exists == (e.Op == "create") {
		c.badOp = true
		return
	}
	o := object{kind: e.Kind, id: e.ID}
	if exists {
		o = here[0]
	}
	if e.Op == "delete" {
		c.remove(o)
	} else {
		c.badValue = c.badValue || !c.set(e)
		if e.Kind == "task" {
			o = taskObject(e.ID, c.after.tasks[e.ID])
		}
		c.moved = c.moved || e.Op == "update" && o != here[0]
		if e.Op == "create" && c.deleted[o] {
			c.remade[o] = true
		}
	}
	if e.Actor != "" || e.Action != "" {
		c.claims = append(c.claims, claim{o, e.Actor, e.Action})
	}
}

func (c *change) remove(o object) {
	c.deleted[o] = true
	switch o.kind {
	case "service":
		delete(c.after.services, o.id)
	case "node":
		c.before.nodes[o.id], c.after.nodes[o.id] = nodeGone, nodeGone
	case "task":
		delete(c.after.tasks, o.id)
	}
}

// set stores the line's object, as a merge patch where it is an update, and
// says whether every value is of its type.
func (c *change) set(e oracle.Event) bool {
	fields := map[string]any{}
	if e.Op == "update" {
		fields = c.after.fields(e.Kind, e.ID)
	}
	maps.Copy(fields, e.Object)
	switch e.Kind {
	case "service":
		replicas, ok1 := wholeOr(fields["replicas"])
		remove, ok2 := fields["remove"].(bool)
		svc := oracleService{replicas, remove}
		c.after.services[e.ID] = svc
		return ok1 && ok2 && svc.typed()
	case "node":
		v, _ := fields["state"].(string)
		c.after.nodes[e.ID] = v
		if e.Op == "create" || e.Op == "snapshot" {
			c.before.nodes[e.ID] = v
		}
		return v == nodeUp || v == nodeDown
	default:
		slot, ok1 := wholeOr(fields["slot"])
		service, ok2 := fields["service"].(string)
		node, ok3 := fields["node"].(string)
		state, ok4 := fields["state"].(string)
		desired, ok5 := fields["desired_state"].(string)
		t := oracleTask{service, slot, node, state, desired}
		c.after.tasks[e.ID] = t
		return ok1 && ok2 && (ok3 || fields["node"] == nil) && ok4 && ok5 && t.typed()
	}
}

// wholeOr reads a whole number or "global".
func wholeOr(v any) (int, bool) {
	if v == "global" {
		return globalMode, true
	}
	if f, ok := v.(float64); ok && f == math.Trunc(f) && math.Abs(f) < 1<<53 {
		return int(f), true
	}
	return -1, false
}
