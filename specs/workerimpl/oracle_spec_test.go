package workerimpl_test

// What the contract makes of the module's steps, naively.

// seenBy is the state without the containers of other workers.
func (s oState) seenBy(worker int8) oState {
	for i := range s.conts {
		if s.conts[i].node != worker {
			s.conts[i] = oCont{}
		}
	}
	return s
}

// identitiesOf are the Ids that the tasks of the states have.
func identitiesOf(states ...oState) []oIdentity {
	var ids []oIdentity
	for _, s := range states {
		for i, t := range s.tasks {
			if t.here {
				id := oIdentity{i, t.service, t.slot, t.node}
				if t.slot != globalMode {
					id.node = nobody
				}
				ids = append(ids, id)
			}
		}
	}
	return ids
}

// explains lists the actions that take the worker's state from one to the
// other.
func explains(from, to oState, worker int8) map[string]bool {
	by := map[string]bool{}
	want := to.seenBy(worker)
	// CreateTask looks at the worker's containers only, but ids are taken by
	// others' too: the trace cannot have two.
	for _, step := range successors(from.seenBy(worker), worker, universe{identities: identitiesOf(to)}) {
		if step.next == want {
			by[step.action] = true
		}
	}
	return by
}

// refinesWorkerSpec is [WS!Agent \/ OtherComponent]_wsVars.
func refinesWorkerSpec(from, to oState, worker int8) bool {
	if from.tasks == to.tasks && from.nodes == to.nodes {
		return true
	}
	found := false
	otherComponent(from.seenBy(worker), worker, universe{identities: identitiesOf(to)}, func(_ string, next oState) {
		found = found || next == to.seenBy(worker)
	})
	is := func(next oState) { found = found || next.tasks == to.tasks && next.nodes == to.nodes }
	for n := range int8(maxNodes) {
		next := from
		if from.up(n) {
			next.nodes[n] = isDown
			is(next)
			found = found || from.nodes == to.nodes && exits(from, to, n)
		} else if from.down(n) {
			next.nodes[n] = isUp
			is(next)
			next = from
			for i, t := range from.tasks {
				if t.here && t.node == n && t.state >= oAssigned && t.state < oRemove && t.state <= oRunning {
					next.tasks[i].state = oOrphaned
				}
			}
			is(next)
		}
	}
	for i, t := range from.tasks {
		if !t.here || !from.up(t.node) {
			continue
		}
		become := func(state uint8) {
			next := from
			next.tasks[i].state = state
			is(next)
		}
		for _, p := range progressPairs {
			if t.state == st(p[0]) && st(p[1]) <= t.desired {
				become(st(p[1]))
			}
		}
		if t.state == oRunning && (t.desired == oShutdown || t.desired == oRemove) {
			become(oShutdown)
		}
		if t.state >= oAssigned && t.state <= oStarting {
			become(oRejected)
		}
	}
	return found
}

// exits is WS!ContainerExit on node n.
func exits(from, to oState, n int8) bool {
	for i, t := range from.tasks {
		if t == to.tasks[i] {
			continue
		}
		if !t.here || t.node != n || t.state != oRunning {
			return false
		}
		failed, complete := t, t
		complete.state, failed.state = oComplete, oFailed
		if t.desired == oShutdown {
			failed.state = oShutdown
		}
		if to.tasks[i] != failed && to.tasks[i] != complete {
			return false
		}
	}
	return true
}

// typeOK is TypeOK, and that tasks and containers are on nodes that there are.
func (s oState) typeOK() bool {
	for i, t := range s.tasks {
		if t.here && t.node >= 0 && s.nodes[t.node] == absent {
			return false
		}
		if c := s.conts[i]; c.here && (s.nodes[c.node] == absent || t.here && t.slot == globalMode && t.node == nobody) {
			return false
		}
	}
	return true
}

// object is one of an oState's.
type object struct {
	kind string
	i    int
}

// oClaim is what a line says of its step.
type oClaim struct {
	object
	actor, action string
}

func isOther(action string) bool {
	return action == "CreateTask" || action == "UpdateTask" || action == "RemoveTask"
}

// metBy says that an action of a batched step is what the claim says.
func (c oClaim) metBy(action string) bool {
	return (c.actor == "" || c.actor == "agent" || isOther(action)) && (c.action == "" || c.action == action)
}

// oBatch is a question about a batched step.
type oBatch struct {
	from, to oState // nodes of to may be removed
	worker   int8
	may      changeable
	stays    changeable // objects that may not be absent on the way
	remade   []object   // that must be
	ids      []oIdentity
	claims   []oClaim
	cap      int
}

type answer int

const (
	no answer = iota
	yes
	unknown
)

func (s oState) here(o object) bool {
	if o.kind == "task" {
		return s.tasks[o.i].here
	}
	return s.conts[o.i].here
}

func (b oBatch) done(s oState) bool {
	for n, v := range b.to.nodes {
		if v != removed && v != s.nodes[n] {
			return false
		}
	}
	return s.tasks == b.to.tasks && s.conts == b.to.conts
}

// explained searches all that the worker's actions lead to, changing nothing
// else. CreateTask uses the step's own ids only.
func (b oBatch) explained() answer {
	b.from, b.to = b.from.seenBy(b.worker), b.to.seenBy(b.worker)
	type place struct {
		state oState
		met   uint16 // the claims, and after them the remade objects that were absent
	}
	full := uint16(1)<<(len(b.claims)+len(b.remade)) - 1
	u := universe{identities: b.ids, may: &b.may}
	start := place{state: b.from}
	seen := map[place]bool{start: true}
	for todo := []place{start}; len(todo) > 0; todo = todo[1:] {
		at := todo[0]
		if b.done(at.state) && at.met == full {
			return yes
		}
		for _, step := range successors(at.state, b.worker, u) {
			if !b.allowed(at.state, step.next) {
				continue
			}
			to := place{step.next, at.met}
			for k, c := range b.claims {
				if changedObject(at.state, step.next, c.object) && c.metBy(step.action) {
					to.met |= 1 << k
				}
			}
			for k, o := range b.remade {
				if !step.next.here(o) {
					to.met |= 1 << (len(b.claims) + k)
				}
			}
			if !seen[to] {
				if len(seen) >= b.cap {
					return unknown
				}
				seen[to] = true
				todo = append(todo, to)
			}
		}
	}
	return no
}

func changedObject(from, to oState, o object) bool {
	switch o.kind {
	case "task":
		return from.tasks[o.i] != to.tasks[o.i]
	case "node":
		return from.nodes[o.i] != to.nodes[o.i]
	}
	return from.conts[o.i] != to.conts[o.i]
}

func (b oBatch) allowed(from, to oState) bool {
	for i := range maxIDs {
		if from.tasks[i] != to.tasks[i] && !b.may.tasks[i] || from.conts[i] != to.conts[i] && !b.may.conts[i] {
			return false
		}
		if b.stays.tasks[i] && !to.tasks[i].here || b.stays.conts[i] && !to.conts[i].here {
			return false
		}
	}
	return true
}
