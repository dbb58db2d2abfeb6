package workerimpl

import (
	"slices"

	"tracecheck/validators/model"
)

// local proposes what the item's own actions make of a code, and by which.
func (a *auto) local(c code, try func(code, *arc)) {
	for v, version := range a.versions {
		none := c.task() == NoState
		if !none && v != c.version() {
			continue
		}
		list := arcs()[c.task()][model.BoolInt(version.global)][min(c.place(), elsewhere)][c.cont()]
		for i := range list {
			switch r := &list[i]; {
			case r.conts && !a.contMoves, r.up && !a.up[c.place()]:
			case r.tasks && (!a.moves || a.lasts && (none || r.task == NoState)):
			case !r.tasks && none && v > 0: // which is as of v = 0
			case !r.tasks:
				a.follow(c, c.withCont(r.cont), r, try)
			case none:
				if version.is && c>>allowedAt>>v&1 != 0 {
					a.create(c, code(v), version, r, try)
				}
			case r.task == NoState:
				a.follow(c, c.without(), r, try)
			case r.task == c.task() && min(c.place(), elsewhere) == r.place && len(a.claims) == 0: // of its desired_state
			default:
				a.assign(c.withTask(r.task).withCont(r.cont), c, r, try)
			}
		}
	}
}

// create is for CreateTask, of the version.
func (a *auto) create(c, v code, version version, r *arc, try func(code, *arc)) {
	at := unassigned
	if version.global {
		at = version.at
	}
	if min(at, elsewhere) == r.place && (at == unassigned || a.in[at]) {
		a.follow(c, c.withTask(r.task).withPlace(at)|v<<versionAt, r, try)
	}
}

// assign takes the task to the places that the arc's may be.
func (a *auto) assign(to, c code, r *arc, try func(code, *arc)) {
	if c.place() != unassigned || r.place == unassigned {
		a.follow(c, to, r, try)
		return
	}
	for p := atWorker; p < places; p++ {
		if a.in[p] && min(p, elsewhere) == r.place {
			a.follow(c, to.withPlace(p), r, try)
		}
	}
}

func (a *auto) follow(c, to code, r *arc, try func(code, *arc)) {
	try(a.meet(c, to, r.by, r.tasks, r.conts), r)
}

// isStuck says that UpdateTask cannot change the desired_state alone.
func isStuck(c code) bool { return c.task() == Assigned && c.place() == unassigned }

// symbol proposes what a symbol makes of a code. That is nothing where it would
// change what the step does not. A task that changes has whatever desired_state
// is of use.
func (a *auto) symbol(c code, l symbol, try func(code)) {
	if l >= symbolModes {
		if c.task() == NoState || l.mode(c.version()) != forbid {
			for v := range 2 {
				if bit := code(1) << (allowedAt + v); l.mode(v) == allow {
					c |= bit
				} else if l.mode(v) == forbid {
					c &^= bit
				}
			}
			try(c)
		}
		return
	}
	desired := [...]State{Ready, Running, Shutdown, Remove}
	of := desired[:]
	if !a.moves || isStuck(c) {
		of = append(of[:0], a.desired)
	}
	var tried [len(desired)]effect
	for i, d := range of {
		o := c.effect(d, l)
		if tried[i] = o; slices.Contains(tried[:i], o) {
			continue
		}
		tasks, conts := o.task != c.task(), o.cont != c.cont()
		if tasks && !a.moves || conts && (!a.contMoves || o.cont == noContainer && a.contLasts) {
			continue
		}
		to := c.withTask(o.task).withCont(o.cont)
		if conts && o.cont == noContainer {
			to |= contAbsent
		}
		try(a.meet(c, to, wholes[l], tasks, conts))
	}
}

// effect is what the symbol makes of the code, if the task's desired_state is
// that.
func (c code) effect(desired State, l symbol) effect {
	at := noTask
	if c.task() != NoState {
		at = int(min(c.place(), elsewhere))
	}
	return allReactions()[at][c.task()][c.cont()][desired].effects[l]
}

// meet marks the claims that a change of the task, the container or both by the
// action meets, and leaves out what the item is not asked for.
func (a *auto) meet(from, to code, by *action, tasks, conts bool) code {
	for i, cl := range a.claims {
		if (tasks && cl.kind == kindTask || conts && cl.kind == kindContainer) && cl.metBy(by) {
			to |= 1 << (claimsAt + i)
		}
	}
	return to&^((taskAbsent|contAbsent)&^a.need) | from&^(1<<claimsAt-1)
}
