package kcpstorage_test

import (
	"fmt"
	"maps"
	"slices"
)

// The oracle is a second reading of kcpStorage.tla, for tests only: whole
// states and every successor. It takes nothing from the checker.

var oracleActions = []string{"NamespaceController", "PVCController", "Syncer"}

// states maps clusters to SyncStates; what is "nil" is left out.
type states map[string]string

func (m states) of(c string) string {
	if s, ok := m[c]; ok {
		return s
	}
	return "nil"
}

// with is [m EXCEPT ![c] = s].
func (m states) with(c, s string) states {
	m = maps.Clone(m)
	if m == nil {
		m = states{}
	}
	if m[c] = s; s == "nil" {
		delete(m, c)
	}
	return m
}

func (m states) syncs() int {
	n := 0
	for _, s := range m {
		if s == "Sync" {
			n++
		}
	}
	return n
}

// oracleSpace is one namespace with what belongs to it.
type oracleSpace struct {
	ns      states
	pvcs    map[string]states // those shown
	syncers states            // pvc_state
}

func newOracleSpace() oracleSpace {
	return oracleSpace{states{}, map[string]states{}, states{}}
}

func (s oracleSpace) clone() oracleSpace {
	s.ns, s.syncers, s.pvcs = maps.Clone(s.ns), maps.Clone(s.syncers), maps.Clone(s.pvcs)
	for id, m := range s.pvcs {
		s.pvcs[id] = maps.Clone(m)
	}
	return s
}

// key is equal for equal states only: fmt prints maps in the order of their
// keys.
func (s oracleSpace) key() string {
	return fmt.Sprintf("%q %q %q", map[string]string(s.ns), s.pvcs, map[string]string(s.syncers))
}

func (s oracleSpace) ids() []string { return slices.Sorted(maps.Keys(s.pvcs)) }

// successor is a step of the model.
type successor struct {
	action, object string
	to             oracleSpace
}

// successors lists every step of Next, those that change nothing included.
func (s oracleSpace) successors(clusters []string) []successor {
	var all []successor
	free := true
	for _, c := range clusters {
		free = free && s.ns.of(c) == "nil"
	}
	for _, c := range clusters {
		if free {
			t := s.clone()
			t.ns = s.ns.with(c, "Sync")
			all = append(all, successor{"NamespaceController", "namespace", t})
		}
		if s.ns.of(c) == "Sync" {
			t := s.clone()
			t.ns = s.ns.with(c, "nil")
			all = append(all, successor{"NamespaceController", "namespace", t})
		}
		t := s.clone()
		t.syncers = s.syncers.with(c, s.ns.of(c))
		all = append(all, successor{"Syncer", "syncer " + c, t})
	}
	for _, id := range s.ids() {
		t := s.clone()
		t.pvcs[id] = maps.Clone(s.ns)
		all = append(all, successor{"PVCController", "pvc " + id, t})
	}
	return all
}

// breaks lists the invariants that the state breaks, by kind.
func (s oracleSpace) breaks() bool {
	for _, m := range s.pvcs {
		if m.syncs() > 1 {
			return true
		}
	}
	return s.ns.syncs() > 1 || s.syncers.syncs() > 1
}

// differing is the set of objects that differ.
func differing(a, b oracleSpace) map[string]bool {
	set := map[string]bool{}
	if !maps.Equal(a.ns, b.ns) {
		set["namespace"] = true
	}
	for id := range b.pvcs {
		if !maps.Equal(a.pvcs[id], b.pvcs[id]) {
			set["pvc "+id] = true
		}
	}
	for _, m := range []states{a.syncers, b.syncers} {
		for c := range m {
			if a.syncers.of(c) != b.syncers.of(c) {
				set["syncer "+c] = true
			}
		}
	}
	return set
}
