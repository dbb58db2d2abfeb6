package swarmkit

import "testing"

// TestPlainTasksBreakNothing compares the glance with the clauses, for all sorts of tasks.
func TestPlainTasksBreakNothing(t *testing.T) {
	plain := 0
	for _, moby := range []bool{false, true} {
		var s state
		s.init(1, moby, false, &scratch{})
		there, gone := s.blankService("there"), s.blankService("gone")
		there.exists, gone.gone = true, true
		for state := range Orphaned + 1 {
			for desired := range Orphaned + 1 {
				for _, sv := range []*service{there, gone} {
					for _, n := range []*node{nil, {id: "shown", shown: true}, {id: "unknown"}} {
						for bad := range columns(2) {
							v := taskValue{sv, 1, taskRest{node: n, taskStates: taskStates{state, desired, marks{bad: bad}}}}
							about := seen{s: &s, task: &v}
							if !v.isPlain() {
								continue
							}
							plain++
							if typeOK.Broken(&about) != nil || inv.Broken(&about) != nil {
								t.Errorf("moby %v: %s is plain, and breaks an invariant", moby, v.json())
							}
						}
					}
				}
			}
		}
	}
	if plain == 0 {
		t.Error("no task is plain")
	}
}
