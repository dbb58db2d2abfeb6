package swarmkit

import (
	"fmt"
	"slices"
	"strings"

	"tracecheck/internal/amount"
)

// Clauses that several actions and rules have, and effects: what an action makes of
// tasks. The search for a batched step takes its moves from the same effects.

// unchanged is the conjunct that the variables stay as they are. nEvents always does.
func unchanged(variables ...string) clause {
	tasks, services, nodes := slices.Contains(variables, "tasks"), slices.Contains(variables, "services"), slices.Contains(variables, "nodes")
	return clause{
		Text: "UNCHANGED << " + strings.Join(variables, ", ") + " >>",
		Holds: func(p *pair) bool {
			return !(tasks && len(p.tasks) > 0 || services && len(p.services) > 0 || nodes && len(p.nodes) > 0)
		},
	}
}

// onlyTasks is what most actions leave as it is.
var onlyTasks = unchanged("services", "nodes", "nEvents")

// Guards on the service and its slot.
var (
	hasService = clause{
		Text: `sid \in DOMAIN services`, Holds: func(p *pair) bool { return p.sid.exists },
		Refute: true, Shows: func(p *pair) string { return fmt.Sprintf("there is no service %q", p.sid.id) },
	}
	notFlagged = clause{Text: `~services[sid].remove`, Holds: func(p *pair) bool { return !p.sid.remove }}
	slotInUse  = clause{Text: `slot \in VSlotsOf(sid)`, Holds: func(p *pair) bool { return p.unseen() || p.vslot.count > 0 }}
	slotUnused = clause{
		Text: `slot \in UnusedVSlot(sid)`,
		Holds: func(p *pair) bool {
			if p.sid.isReplicated() {
				return p.vslot.key.slot > 0 && p.vslot.count == 0
			}
			n := p.vslot.key.node
			return n != nil && n.shown && p.vslot.count == 0
		},
		Shows: func(p *pair) string {
			return fmt.Sprintf("%s in %s", amount.Of(int(p.vslot.count), "task"), p.vslot.key)
		},
	}
)

// inState is the guard that t is in the state.
func inState(state State) clause {
	return clause{
		Text: fmt.Sprintf(`State(t) = %s`, state), Holds: func(p *pair) bool { return p.t.old.state == state }, Shows: showState,
	}
}

// isDesired is the guard that t is to get to the state.
func isDesired(desired State) clause {
	return clause{
		Text: fmt.Sprintf(`t.desired_state = %s`, desired), Holds: func(p *pair) bool { return p.t.old.desired == desired }, Shows: showDesired,
	}
}

// linked is the guard that the node is so.
func linked(text string, is func(*node) bool) clause {
	return clause{Text: text, Holds: func(p *pair) bool { return is(p.node) }, Shows: showNode}
}

// becomes is the effect that t is in the state.
func becomes(state State) clause {
	return updated("status.state", state, taskValue.withState)
}

// getsDesired is the effect that t is to get to the state.
func getsDesired(desired State) clause {
	return updated("desired_state", desired, taskValue.withDesired)
}

func updated(field string, to State, with func(taskValue, State) taskValue) clause {
	return clause{
		Text: fmt.Sprintf(`UpdateTasks(t :> [t EXCEPT !.%s = %s])`, field, to), Effect: true,
		Holds: func(p *pair) bool { return p.updates(p.t, with(p.t.old, to)) },
	}
}

// hasNew is the effect that there is a new task in the slot.
func hasNew(desired State) clause {
	return clause{
		Text: fmt.Sprintf(`tasks' = tasks \union { NewTask(sid, slot, id, %s) }`, desired), Effect: true,
		Holds: func(p *pair) bool { return p.creates(newTask(p.sid, p.vslot.key, desired)) },
		Shows: func(p *pair) string {
			c := &p.created.new
			return fmt.Sprintf("the new task is %s, desired %s, on node %s", c.state, c.desired, c.node.name())
		},
	}
}

// isRestarted is the effect that oldT is to shut down, and that a new task is in its vslot.
var isRestarted = clause{
	Text: `tasks' = (tasks \ {oldT}) \union { [oldT EXCEPT !.desired_state = shutdown], NewTask(oldT.service, VSlot(oldT), newId, ready) }`, Effect: true,
	Holds: func(p *pair) bool {
		if len(p.tasks) != 2 || p.created == nil || p.t == nil {
			return false
		}
		return p.t.new == p.t.old.withDesired(Shutdown) && p.made(newTask(p.t.old.service, p.t.old.vslot(), Ready))
	},
}

// isForgotten is the effect that t is no more.
var isForgotten = clause{
	Text: `tasks' = tasks \ {t}`, Effect: true, Holds: func(p *pair) bool { return len(p.tasks) == 1 },
}

// serviceForgotten is the effect that the service is no more.
var serviceForgotten = clause{
	Text: `services' = [i \in DOMAIN services \ {sid} |-> services[i]]`, Effect: true,
	Holds: func(p *pair) bool { return len(p.services) == 1 },
}

// effect is what an action makes of each task of a set.
type effect struct {
	of    func(p *pair, v *taskValue) bool
	to    func(v taskValue) taskValue
	count func(p *pair) int // of the tasks that it changes
}

// clause is the conjunct that the step is the effect.
func (e *effect) clause(text string, shows func(p *pair) string) clause {
	return clause{Text: text, Effect: true, Holds: e.holds, Shows: shows}
}

// holds says that each task of the set that must change does, and no other.
func (e *effect) holds(p *pair) bool { return len(p.tasks) == e.count(p) && e.only(p) }

// only says that each task that changes is in the set and becomes what it should.
func (e *effect) only(p *pair) bool {
	return p.all(func(c *taskChange) bool { return e.of(p, &c.old) && c.new == e.to(c.old) })
}

var (
	removesSlot = &effect{
		of:    func(p *pair, v *taskValue) bool { return v.service == p.sid && v.vslot() == p.vslot.key },
		to:    func(v taskValue) taskValue { return v.withDesired(Remove) },
		count: func(p *pair) int { return int(p.vslot.notRemove) },
	}
	removesAll = &effect{
		of:    func(p *pair, v *taskValue) bool { return v.service == p.sid },
		to:    removesSlot.to,
		count: func(p *pair) int { return int(p.sid.notRemove) },
	}
	orphansOwned = &effect{
		of:    func(p *pair, v *taskValue) bool { return v.node == p.node && v.state.Owned() },
		to:    func(v taskValue) taskValue { return v.withState(Orphaned) },
		count: func(p *pair) int { return int(p.node.owned) },
	}
)
