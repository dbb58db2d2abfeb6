package swarmkit

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// What a reader of a report sees of the state.

func (n *node) name() string {
	if n == nil {
		return "unassigned"
	}
	return n.id
}

func (k vslotKey) String() string {
	if k.slot == globalSlot {
		return "the slot of node " + k.node.name()
	}
	return fmt.Sprintf("slot %d", k.slot)
}

// list names the tasks of the vslot that f picks, a few of them.
func (vs *vslot) list(f func(*taskValue) bool) string {
	const most = 4
	var picked []*task
	for t := range vs.all {
		if f(&t.taskValue) {
			picked = append(picked, t)
		}
	}
	if len(picked) == 0 {
		return "no task in " + vs.key.String()
	}
	slices.SortFunc(picked, func(a, b *task) int { return strings.Compare(a.id, b.id) })
	var named []string
	for _, t := range picked[:min(len(picked), most)] {
		named = append(named, fmt.Sprintf("%s (%s, desired %s)", t.id, t.state, t.desired))
	}
	if more := len(picked) - len(named); more > 0 {
		named = append(named, fmt.Sprintf("and %d more", more))
	}
	return "in " + vs.key.String() + ": " + strings.Join(named, ", ")
}

// A field that was outside its type has some other value that is.

func (v *taskValue) json() json.RawMessage {
	var service, node any = v.service.id, ""
	if v.bad&badServiceField != 0 {
		service = nil
	}
	if v.node != nil {
		node = v.node.id
	} else if v.bad&badNodeField != 0 {
		node = false
	}
	return encode(struct {
		Service any    `json:"service"`
		Slot    any    `json:"slot"`
		Node    any    `json:"node"`
		State   string `json:"state"`
		Desired string `json:"desired_state"`
		Run     *int32 `json:"job_iteration,omitempty"`
	}{service, orGlobal(v.slot, globalSlot, badSlot), node, v.state.String(), v.desired.String(), v.run()})
}

func (v *serviceValue) json() json.RawMessage {
	var remove any = v.remove
	if v.bad&badRemoveField != 0 {
		remove = nil
	}
	return encode(serviceJSON{orGlobal(v.replicas, globalReplicas, badReplicas), remove})
}

type serviceJSON struct {
	Replicas any `json:"replicas"`
	Remove   any `json:"remove"`
}

// orGlobal is what countOrGlobal read.
func orGlobal(n, global, bad int64) any {
	switch n {
	case global:
		return "global"
	case bad:
		return nil
	}
	return n
}

func (v *nodeValue) json() json.RawMessage {
	return encode(struct {
		State string `json:"state"`
	}{v.name()})
}

func (v *nodeValue) name() string {
	switch {
	case v.bad != 0:
		return "?"
	case v.up:
		return "up"
	}
	return "down"
}

func encode(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		panic("swarmkit: a struct of strings and numbers did not encode: " + err.Error())
	}
	return b
}
