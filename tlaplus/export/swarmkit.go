package export

import (
	"fmt"
	"strings"

	"tracecheck/internal/kinds"
	"tracecheck/postmortem/replay"
	"tracecheck/trace"
)

var swarmKit = module{
	spec: "swarmkit", name: "SwarmKit",
	variables: []string{"tasks", "services", "nodes", "nEvents"},
	needs:     []string{"tasks", "services", "nodes"},
	kinds:     []trace.Kind{kinds.Node, kinds.Service, kinds.Task},
	read: func(r *reading, s map[string]value) (objects, error) {
		var list objects
		err := r.nodes(&list, s["nodes"])
		for _, e := range s["services"].entries() {
			replicas, _ := e.value.field("replicas")
			remove, _ := e.value.field("remove")
			list.add(kinds.Service, e.key.text).set("replicas", raw(replicas)).set("remove", raw(remove))
		}
		if err == nil {
			err = r.tasks(&list, s["tasks"], s["nodes"])
		}
		return list, err
	},
	write: func(w *writing) (map[string]value, error) {
		services := function()
		for _, o := range w.of(kinds.Service) {
			services.put(id("service", o.ID), record("replicas", orGlobal(o.Get("replicas")), "remove", fromJSON(o.Get("remove"))))
		}
		return map[string]value{"tasks": w.tasks(), "services": services, "nodes": w.nodes(), "nEvents": integer(0)}, nil
	},
	begin: startNodes,
	constants: func(c *checking) {
		kept := c.number("max_terminated", 5)
		c.swarm(1 + int(kept)) // ASSUME Cardinality(TaskId) >= 1 + maxTerminated
		c.cfg("maxTerminated = %d", kept)
	},
	checks: checks{invariants: []string{"TypeOK", "Inv"}, properties: []string{"TransitionsOK"}},
}

var workerImpl = module{
	spec: "workerimpl", name: "WorkerImpl",
	variables: []string{"tasks", "nodes", "containers", "nEvents"},
	needs:     []string{"tasks", "nodes", "containers"},
	kinds:     []trace.Kind{kinds.Container, kinds.Node, kinds.Task},
	read: func(r *reading, s map[string]value) (objects, error) {
		var list objects
		if err := r.nodes(&list, s["nodes"]); err != nil {
			return nil, err
		}
		if err := r.tasks(&list, s["tasks"], s["nodes"]); err != nil {
			return nil, err
		}
		for _, e := range s["containers"].entries() {
			parts, ok := e.key.elements()
			if !ok || len(parts) != 3 {
				return nil, fmt.Errorf("containers: %s is not a ModelTaskId (<<service, vslot, task>>)", raw(e.key))
			}
			worker, err := r.worker(s["nodes"])
			if err != nil {
				return nil, err
			}
			list.add(kinds.Container, r.name(parts[0].text, parts[1].text, parts[2].text)).
				set("node", quoted(worker)).set("state", raw(e.value))
		}
		return list, nil
	},
	write: func(w *writing) (map[string]value, error) {
		tasks, containers := w.tasks(), function()
		for _, o := range w.of(kinds.Container) {
			if w.instance == text(o, "node") {
				containers.put(w.modelID(o.ID), fromJSON(o.Get("state")))
			}
		}
		return map[string]value{"tasks": tasks, "nodes": w.nodes(), "containers": containers, "nEvents": integer(0)}, nil
	},
	begin: startNodes,
	constants: func(c *checking) {
		c.swarm(1)
		c.cfg("node = %s", c.identifier(id("node", c.instance)))
	},
	checks: checks{
		invariants: []string{"TypeOK"}, properties: []string{"Refines"},
		define: `Refines == [][WS!Agent \/ OtherComponent]_wsVars`,
	},
}

const (
	unassigned = "unassigned"
	global     = "global"
)

func (r *reading) nodes(list *objects, nodes value) error {
	if !nodes.isFunction() {
		return fmt.Errorf("nodes is not a function: %s", raw(nodes))
	}
	for _, e := range nodes.entries() {
		list.add(kinds.Node, e.key.text).set("state", raw(e.value))
	}
	return nil
}

func (r *reading) tasks(list *objects, tasks, nodes value) error {
	if tasks.kind != aSet && len(tasks.items) > 0 {
		return fmt.Errorf("tasks is not a set: %s", raw(tasks))
	}
	for _, t := range tasks.items {
		identity, node, err := taskOf(t)
		if err != nil {
			return err
		}
		slot, _ := t.field("slot")
		status, _ := t.field("status")
		state, _ := status.field("state")
		desired, _ := t.field("desired_state")
		if _, is := nodes.field(node.text); node.text == unassigned && !is {
			node = str("")
		}
		service, _ := t.field("service")
		list.add(kinds.Task, r.name(identity[0], identity[1], identity[2])).set("service", raw(service)).
			set("slot", raw(slot)).set("node", raw(node)).set("state", raw(state)).set("desired_state", raw(desired))
	}
	return nil
}

// taskOf is Id(t) and t.node.
func taskOf(t value) (identity [3]string, node value, err error) {
	get := func(name string) value {
		v, ok := t.field(name)
		if !ok && err == nil {
			err = fmt.Errorf("tasks: a task has no field %s: %s", name, raw(t))
		}
		return v
	}
	task, service, slot, at := get("id"), get("service"), get("slot"), get("node")
	vslot := slot
	if slot.kind != anInteger && slot.text == global {
		vslot = at
	}
	return [3]string{service.text, vslot.text, task.text}, at, err
}

// name is the object's id: the task's own, where that names no other task of
// the behaviour.
func (r *reading) name(service, vslot, task string) string {
	full := joined(service, vslot, task)
	if r.owners == nil {
		r.owners = map[string]string{}
		for _, s := range r.states {
			for _, t := range s.vars["tasks"].items {
				if identity, _, err := taskOf(t); err == nil {
					r.own(identity)
				}
			}
			for _, e := range s.vars["containers"].entries() {
				if parts, ok := e.key.elements(); ok && len(parts) == 3 {
					r.own([3]string{parts[0].text, parts[1].text, parts[2].text})
				}
			}
		}
	}
	if r.owners[task] == full {
		return task
	}
	return full
}

func (r *reading) own(identity [3]string) {
	full := joined(identity[:]...)
	if known, ok := r.owners[identity[2]]; ok && known != full {
		full = "" // of several
	}
	r.owners[identity[2]] = full
}

// worker is the node that the containers run on.
func (r *reading) worker(nodes value) (string, error) {
	if all := nodes.entries(); r.instance == "" && len(all) == 1 {
		return all[0].key.text, nil
	}
	if r.instance == "" {
		return "", fmt.Errorf(`containers: the node of these containers is not given: add "instance", the worker's name, to the document's "#meta"`)
	}
	return r.instance, nil
}

func orGlobal(json string) value {
	if v := fromJSON(json); v.kind == anInteger || v.text != global {
		return v
	}
	return model(global)
}

func (w *writing) nodes() value {
	f := function()
	for _, o := range w.of(kinds.Node) {
		f.put(id("node", o.ID), fromJSON(o.Get("state")))
	}
	return f
}

func (w *writing) tasks() value {
	s := set()
	for _, o := range w.of(kinds.Task) {
		s.items = append(s.items, record("id", id("task", taskID(o)), "service", named("service", o.Get("service"), tuple(str(leftOut))),
			"status", record("state", fromJSON(o.Get("state"))), "desired_state", fromJSON(o.Get("desired_state")),
			"node", nodeOf(o), "slot", orGlobal(o.Get("slot"))))
		w.known[o.ID] = modelIDOf(o, taskID(o))
	}
	return s
}

func nodeOf(o *replay.Object) value {
	if n := named("node", o.Get("node"), model(unassigned)); n.kind != anID || n.text != "" {
		return n
	}
	return model(unassigned)
}

// taskID is the id without the service and vslot that a model's has.
func taskID(o *replay.Object) string {
	parts := modelIDOf(o, "")
	if bare, ok := strings.CutPrefix(o.ID, joined(parts.items[0].text, parts.items[1].text, "")); ok && bare != "" {
		return bare
	}
	return o.ID
}

func modelIDOf(o *replay.Object, task string) value {
	vslot := orGlobal(o.Get("slot"))
	if vslot.kind == aModelValue {
		if vslot = model(unassigned); text(o, "node") != "" {
			vslot = id("node", text(o, "node"))
		}
	}
	return tuple(id("service", text(o, "service")), vslot, id("task", task))
}

// modelID is the ModelTaskId of a container: its task's, which some line shows,
// or what the id itself says.
func (w *writing) modelID(container string) value {
	if known, ok := w.known[container]; ok {
		return known
	}
	if o := w.survey.tasks[container]; o != nil {
		return modelIDOf(o, taskID(o))
	}
	if parts := strings.SplitN(container, "/", 3); len(parts) == 3 {
		vslot, err := number(parts[1])
		if err != nil {
			vslot = id("node", parts[1])
		}
		return tuple(id("service", parts[0]), vslot, id("task", parts[2]))
	}
	return tuple(id("service", "unknown"), integer(1), id("task", container))
}

// startNodes: in a trace without snapshots, a node first seen by an update was
// there before, up.
func startNodes(w *writing) {
	if w.survey.snapshots {
		return
	}
	for _, n := range w.survey.nodes {
		w.assume(kinds.Node, n, `{"state":"up"}`)
	}
}
