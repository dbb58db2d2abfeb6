package portallocator_test

import (
	"maps"
	"slices"

	"tracecheck/specs/internal/oracle"
)

type verdict = oracle.Verdict

// judging is the state of a judgement.
type judging struct {
	model   oModel
	state   oState
	batched bool
	shown   bool // there was a line of the allocator
	cap     int
}

// judge judges a trace of one stream.
func judge(lines []string, searchCap int) verdict {
	j, runs := read(lines, searchCap)
	for _, run := range runs {
		if v := j.step(run); len(v.Kinds) > 0 || v.Unknown {
			return v
		}
	}
	return verdict{}
}

// judgeAll judges a trace of atomic steps past its violations, and returns its
// violating steps by their last lines. It ends before what leaves no state to
// go on from: a value outside its type, and a line of what does not exist.
func judgeAll(lines []string) (found map[int]verdict, end int) {
	j, runs := read(lines, 0)
	found = map[int]verdict{}
	for _, run := range runs {
		c := oChange{before: j.state, after: j.state.clone(), deleted: set{}, remade: set{}}
		shown := j.shown
		for _, e := range run {
			j.apply(&c, e)
		}
		if j.shown = shown; c.badValue || c.badOp {
			return found, run[0].Line - 1
		}
		if v := j.step(run); len(v.Kinds) > 0 {
			found[v.Last] = v
		}
	}
	return found, len(lines)
}

// oChange is a run of lines on its way to be a step.
type oChange struct {
	before, after   oState // after.allocated: nil where it is not logged
	deleted, remade set
	claims          []oClaim
	refused         []oracle.Event
	badValue, badOp bool
	unknownName     bool
}

// step judges one run of neighbouring lines and moves on.
func (j *judging) step(run []oracle.Event) verdict {
	c := oChange{before: j.state, after: j.state.clone(), deleted: set{}, remade: set{}}
	c.after.allocated = nil
	for _, e := range run {
		j.apply(&c, e)
	}
	v := verdict{First: run[0].Line, Last: run[len(run)-1].Line}
	end := oState{c.after.endpoints, c.after.allocated}
	switch {
	case c.badValue:
		v.Kinds, v.Open = []string{"type"}, []string{"claim", "invariant", "property", "rejection", "transition"}
	case c.badOp:
		v.Kinds, v.Open = []string{"transition"}, []string{"claim", "invariant", "type"}
	case run[0].Op == "snapshot":
		end = j.inferred(c)
		if !end.allocationsOK() {
			v.Kinds = append(v.Kinds, "invariant")
		}
	default:
		if c.unknownName {
			v.Kinds = append(v.Kinds, "claim")
		}
		end = j.explain(&c, &v)
		if !end.allocationsOK() {
			v.Kinds = append(v.Kinds, "invariant")
		}
		for _, e := range c.refused {
			spec, _ := readPorts(e.Object["spec"])
			if !j.model.refusalJustified(c.before, e.ID, spec) && !j.model.refusalJustified(end, e.ID, spec) {
				v.Kinds = append(v.Kinds, "rejection")
			}
		}
	}
	j.state = end
	slices.Sort(v.Kinds)
	v.Kinds = slices.Compact(v.Kinds)
	if len(v.Kinds) == 0 && !v.Unknown {
		return verdict{}
	}
	return v
}

// inferred is the end state of what no action has made: what is allocated is as
// logged, or as before, without the addresses that no endpoint has any more as
// an ingress port, and with those of the endpoints that differ.
func (j *judging) inferred(c oChange) oState {
	end := oState{c.after.endpoints, c.after.allocated}
	if end.allocated == nil {
		had, has, gets := set{}, set{}, set{}
		for _, e := range c.before.endpoints {
			had = had.plus(ingressAddrs(e.ports))
		}
		for _, e := range c.after.endpoints {
			has = has.plus(ingressAddrs(e.ports))
		}
		for id := range differing(c.before, c.after) {
			gets = gets.plus(ingressAddrs(c.after.endpoints[id].ports))
		}
		end.allocated = c.before.allocated.minus(had.minus(has)).plus(gets)
	}
	return end
}

// explain judges the transition, and returns the state that it leads to.
func (j *judging) explain(c *oChange, v *verdict) oState {
	stutters := len(differing(c.before, c.after)) == 0 && (c.after.allocated == nil || c.after.allocated.equal(c.before.allocated))
	var single []oStep
	if !j.batched || len(c.remade) == 0 || stutters {
		single = j.model.explains(c.before, c.after)
	}
	unmet := func(names []string) bool {
		return slices.ContainsFunc(c.claims, func(cl oClaim) bool { return !slices.Contains(names, cl.action) })
	}
	end := j.inferred(*c)
	switch {
	case stutters:
		if end = c.before; unmet(actionNames(j.model.explains(c.before, c.before))) {
			v.Kinds = append(v.Kinds, "claim")
		}
		end.endpoints = c.after.endpoints
		return end
	case len(single) > 0:
		end = single[0].next
		if !idempotent(c.before, end) {
			v.Kinds = append(v.Kinds, "property")
		}
		if !j.batched && unmet(actionNames(single)) {
			v.Kinds = append(v.Kinds, "claim")
		}
	case !j.batched:
		v.Kinds = append(v.Kinds, "transition")
		return end
	}
	if !j.batched {
		return end
	}
	b := oBatch{model: j.model, from: c.before, to: c.after, remade: c.remade, cap: j.cap}
	if len(single) == 0 {
		switch b.explained() {
		case no:
			v.Kinds = append(v.Kinds, "transition")
			return end
		case unknown:
			v.Unknown = true
			return end
		}
		end = b.ends[0]
	}
	b.claims = c.claims
	if len(c.claims) > 0 {
		switch b.explained() {
		case no:
			v.Kinds = append(v.Kinds, "claim")
		case unknown:
			v.Unknown = true
		}
	}
	return end
}

// apply takes one line.
func (j *judging) apply(c *oChange, e oracle.Event) {
	known := slices.Contains([]string{"", "NewEndpoint", "UpdateEndpoint", "RemoveEndpoint"}, e.Action)
	c.unknownName = c.unknownName || !known && e.Op != "snapshot"
	if e.Op == "reject" {
		if e.Kind == "endpoint" {
			spec, ok := readPorts(e.Object["spec"])
			c.badValue = c.badValue || !ok || slices.ContainsFunc(spec, func(p oPort) bool { return !j.model.typed(p) })
			c.refused = append(c.refused, e)
		}
		return
	}
	if e.Action != "" && known && e.Op != "snapshot" {
		id := e.ID
		if e.Kind == "allocator" {
			id = ""
		}
		c.claims = append(c.claims, oClaim{id, e.Action})
	}
	if e.Kind == "allocator" {
		c.badOp = c.badOp || j.shown && e.Op != "update" && e.Op != "snapshot"
		j.shown = true
		if given, ok := e.Object["allocated"]; ok || e.Op == "create" || e.Op == "snapshot" {
			allocated, ok := readAllocated(j.model, given)
			c.after.allocated, c.badValue = allocated, c.badValue || !ok
		}
		return
	}
	now, exists := c.after.endpoints[e.ID]
	if e.Op != "snapshot" && exists == (e.Op == "create") {
		c.badOp = true
	}
	if e.Op == "delete" {
		delete(c.after.endpoints, e.ID)
		c.deleted[e.ID] = true
		return
	}
	if _, was := c.before.endpoints[e.ID]; was && e.Op == "create" && c.deleted[e.ID] {
		c.remade[e.ID] = true
	}
	read := func(list *[]oPort, field string, typed func(oPort) bool) {
		given, ok := e.Object[field]
		if !ok && e.Op == "update" {
			return
		}
		ports, ok := readPorts(given)
		c.badValue = c.badValue || !ok || slices.ContainsFunc(ports, func(p oPort) bool { return !typed(p) })
		*list = ports
	}
	read(&now.spec, "spec", j.model.typed)
	read(&now.ports, "ports", j.model.config)
	c.after.endpoints = maps.Clone(c.after.endpoints)
	c.after.endpoints[e.ID] = now
}
