package swarmkit

import "testing"

// TestSpread: a node that goes or comes back is counted in each service with a task in the
// node's slot, and services that are gone are not kept.
func TestSpread(t *testing.T) {
	var s state
	s.init(1, false, false, &scratch{})
	n := s.node("n")
	s.putNode("n", nodeValue{up: true})
	add := func(id string) *service {
		s.putService(id, serviceValue{replicas: globalReplicas})
		sv := s.services.Get(id)
		s.putTask("task of "+id, taskValue{sv, globalSlot, taskRest{node: n, taskStates: taskStates{state: Running, desired: Running}}})
		return sv
	}
	gone := add("gone")
	kept := []*service{add("a"), add("b")}
	s.dropTask("task of " + gone.id)
	s.dropService(gone.id)
	s.sweep()
	if len(s.spread) != len(kept) {
		t.Fatalf("%d services have slots of nodes, want %d", len(s.spread), len(kept))
	}
	for _, exists := range []bool{true, false, true} {
		s.setNode(n, exists, nodeValue{up: exists})
		for i, sv := range kept {
			if want := int32(b2i(exists)); sv.nodeSlots != want || sv.runningNodes != want {
				t.Errorf("service %s, node exists = %v: in %d slots, running in %d", sv.id, exists, sv.nodeSlots, sv.runningNodes)
			}
			if s.spread[sv.spread] != sv {
				t.Errorf("service %d is not in its place", i)
			}
		}
	}
}
