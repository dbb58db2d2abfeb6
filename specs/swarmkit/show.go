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

// mostLooked bounds the cost of a report: in a system that is at fault, there may be very
// many tasks in a vslot, and a report for each of them.
const mostLooked = 200

// list names the tasks of the vslot that f picks, a few of them. It looks at mostLooked tasks.
func (vs *vslot) list(f func(*taskValue) bool) string {
	const most = 4
	var picked []*task
	looked, within := 0, ""
	for t := range vs.all {
		if looked == mostLooked {
			within = fmt.Sprintf(", among %d of its tasks", looked)
			break
		}
		looked++
		if v := t.value(); f(&v) {
			picked = append(picked, t)
		}
	}
	if len(picked) == 0 {
		return "no task in " + vs.key.String() + within
	}
	slices.SortFunc(picked, func(a, b *task) int { return strings.Compare(a.id, b.id) })
	var named []string
	for _, t := range picked[:min(len(picked), most)] {
		named = append(named, fmt.Sprintf("%s (%s, desired %s)", t.id, t.state, t.desired))
	}
	if more := len(picked) - len(named); more > 0 {
		named = append(named, fmt.Sprintf("and %d more", more))
	}
	return "in " + vs.key.String() + ": " + strings.Join(named, ", ") + within
}

// A column that was outside its type has some other value that is.

func (v taskValue) json() json.RawMessage     { return taskTable.JSON(nil, &v) }
func (v *serviceValue) json() json.RawMessage { return serviceTable.JSON(nil, v) }
func (v *nodeValue) json() json.RawMessage    { return nodeTable.JSON(nil, v) }

func encode(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		panic("swarmkit: a struct of strings and numbers did not encode: " + err.Error())
	}
	return b
}
