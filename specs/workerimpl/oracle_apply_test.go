package workerimpl_test

import (
	"maps"
	"slices"

	"tracecheck/specs/internal/oracle"
)

// apply takes one line. A node that appears or disappears is the environment's
// doing: it appears before the step begins and disappears after it. Without
// snapshots a node first seen by an update was there, up.
func (c *change) apply(e oracle.Event, fromInit bool) {
	c.unknownName = c.unknownName || c.unknownNameOf(e)
	i := indexOf(e)
	o := object{e.Kind, i}
	if e.Op == "reject" {
		return
	}
	if e.Actor+e.Action != "" && !c.unknownNameOf(e) {
		c.claims = append(c.claims, oClaim{o, e.Actor, e.Action})
	}
	c.lines[o] = e.Line
	if e.Kind == "node" {
		c.applyNode(e, i, fromInit)
		return
	}
	exists := c.after.here(o)
	if e.Op != "snapshot" && exists == (e.Op == "create") {
		c.badOp = true
		if name, _ := e.Object["node"].(string); e.Kind == "container" && e.Op != "delete" && slices.Contains(oNodes, name) {
			c.named = append(c.named, int8(slices.Index(oNodes, name))) // without effect, but named
		}
		return
	}
	if e.Op == "delete" {
		c.deleted[o], c.remade[o], c.badGone = true, false, c.badValue
		if e.Kind == "task" {
			c.after.tasks[i] = oTask{}
		} else {
			c.after.conts[i] = oCont{}
		}
		return
	}
	c.remade[o] = e.Op == "create" && c.deleted[o] && c.before.here(o)
	fields := map[string]any{}
	if e.Op == "update" {
		fields = c.after.fields(e.Kind, i)
	}
	maps.Copy(fields, e.Object)
	if e.Kind == "task" {
		c.setTask(e.Op == "update", i, fields)
	} else {
		c.setContainer(e.Op == "update", i, fields)
	}
}

// indexOf is the place of the event's object.
func indexOf(e oracle.Event) int {
	names := oIDs
	if e.Kind == "node" {
		names = oNodes
	}
	i := slices.Index(names, e.ID)
	if i < 0 {
		panic("the oracle knows no " + e.Kind + " " + e.ID)
	}
	return i
}

func (c *change) unknownNameOf(e oracle.Event) bool {
	return e.Actor != "" && !slices.Contains([]string{"user", "orchestrator", "allocator", "scheduler", "agent", "reaper"}, e.Actor) ||
		e.Action != "" && !slices.Contains(oracleActions, e.Action)
}

var oracleActions = []string{
	"CreateTask", "UpdateTask", "RemoveTask", "ProgressTask", "OrphanTasks", "WorkerUp", "ShutdownComplete", "SyncWithManager",
	"RejectTask", "WorkerDown", "ContainerExit", "WorkerReboot",
}

func (c *change) applyNode(e oracle.Event, i int, fromInit bool) {
	now := &c.after.nodes[i]
	if e.Op == "update" && *now == absent && fromInit {
		*now, c.before.nodes[i] = isUp, isUp
	}
	exists := *now == isUp || *now == isDown
	if e.Op != "snapshot" && exists == (e.Op == "create") {
		c.badOp = true
		return
	}
	if e.Op == "delete" {
		*now = isGone
		c.gone[i], c.came[i] = true, false
		return
	}
	state, given := e.Object["state"]
	switch {
	case state == "up":
		*now = isUp
	case state == "down":
		*now = isDown
	case given || e.Op != "update":
		c.badValue, c.badNode = true, e.Op == "create"
	}
	if e.Op == "create" || e.Op == "snapshot" || c.came[i] {
		c.before.nodes[i] = *now
		c.came[i], c.gone[i] = true, false
	}
}

func (c *change) setTask(update bool, i int, fields map[string]any) {
	slot, ok := whole(fields["slot"])
	service, _ := fields["service"].(string)
	sv := slices.Index(oServices, service)
	node := nobody
	name, isName := fields["node"].(string)
	switch {
	case fields["node"] == nil || name == "" && isName:
	case isName:
		node = int8(slices.Index(oNodes, name))
	default:
		ok = false
	}
	stateName, _ := fields["state"].(string)
	state := slices.Index(oStates, stateName)
	desiredName, _ := fields["desired_state"].(string)
	if !ok || sv < 0 || state < 0 || stateName == "remove" || !slices.Contains(oDesired, desiredName) {
		c.badValue = true
		c.after.tasks[i].here = true
		return
	}
	t := oTask{true, uint8(sv), slot, node, uint8(state), st(desiredName)}
	old := c.after.tasks[i]
	c.moved = c.moved || update && (old.service != t.service || old.vslot() != t.vslot())
	c.after.tasks[i] = t
	c.ids = append(c.ids, identitiesOf(c.after)...)
}

func (c *change) setContainer(update bool, i int, fields map[string]any) {
	name, _ := fields["node"].(string)
	node := slices.Index(oNodes, name)
	stateName, _ := fields["state"].(string)
	state := slices.Index(oConts, stateName)
	if node >= 0 {
		c.named = append(c.named, int8(node))
	}
	if node < 0 || state < 0 {
		c.badValue = true
		c.after.conts[i].here = true
		return
	}
	c.moved = c.moved || update && c.after.conts[i].node != int8(node)
	c.after.conts[i] = oCont{true, int8(node), uint8(state)}
}

// fields is the object as the format writes it.
func (s oState) fields(kind string, i int) map[string]any {
	if kind == "container" {
		return map[string]any{"node": oNodes[s.conts[i].node], "state": oConts[s.conts[i].state]}
	}
	if kind == "node" {
		return map[string]any{"state": []string{"", "up", "down", ""}[s.nodes[i]]}
	}
	t := s.tasks[i]
	m := map[string]any{"service": oServices[t.service], "slot": any(float64(t.slot)), "node": "", "state": oStates[t.state], "desired_state": oStates[t.desired]}
	if t.slot == globalMode {
		m["slot"] = "global"
	}
	if t.node >= 0 {
		m["node"] = oNodes[t.node]
	}
	return m
}

// standstill judges the claims of a step that changes nothing.
func (j *judging) standstill(c *change, v *verdict) {
	if len(c.claims) == 0 {
		return
	}
	by := map[string]bool{}
	come := c.came != [maxNodes]bool{} || c.gone != [maxNodes]bool{}
	if !come {
		var nodes []int8
		for n := range int8(maxNodes) {
			if j.workers[n] {
				nodes = append(nodes, n)
			}
		}
		if len(nodes) == 0 {
			for _, n := range c.before.shown() {
				ok, _ := j.couldBe(n)
				if ok == unknown {
					v.unknown = true
					return
				}
				if ok == yes {
					nodes = append(nodes, n)
				}
			}
			if len(c.before.shown()) == 0 {
				by["SyncWithManager"], by["WorkerReboot"] = true, true
				nodes = append(nodes, otherwhere)
			}
		}
		for _, n := range nodes {
			for a := range explains(c.before, c.before, n) {
				by[a] = true
			}
		}
	}
	if !meetClaims(c.claims, by) {
		v.kinds = append(v.kinds, "claim")
	}
}

// judgeClaims judges the claims of a step that every one asked explains.
func (j *judging) judgeClaims(c *change, asked []opinion, v *verdict) {
	if len(c.claims) == 0 {
		return
	}
	by := map[string]bool{}
	searched := yes
	answers := 0
	for _, o := range asked {
		for a := range o.by {
			by[a] = true
		}
		if o.by != nil {
			answers++
		}
	}
	if !j.batched {
		if !meetClaims(c.claims, by) {
			v.kinds = append(v.kinds, "claim")
		}
		return
	}
	if len(j.workers) > 1 {
		v.unknown = true // which instance is to meet which claim is not said
		return
	}
	if len(j.workers) == 0 {
		searched = no
		for _, o := range asked {
			if o.claims == yes {
				searched = yes
			}
		}
	} else {
		searched = asked[0].claims
	}
	if searched == no && !meetClaims(c.claims, by) {
		v.kinds = append(v.kinds, "claim")
	}
}

// meetClaims says that one of the actions is all that the claims say.
func meetClaims(claims []oClaim, by map[string]bool) bool {
	agents := len(by) == 0
	for a := range by {
		agents = agents || !isOther(a)
	}
	for _, c := range claims {
		if c.actor != "" && agents {
			has := false
			for a := range by {
				has = has || !isOther(a) && c.actor == "agent"
			}
			if !has {
				return false
			}
		}
	}
	for a := range by {
		all := true
		for _, c := range claims {
			all = all && (c.action == "" || c.action == a)
		}
		if all {
			return true
		}
	}
	return false
}
