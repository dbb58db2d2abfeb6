package kcpstorage

import (
	"encoding/json"

	"tracecheck/internal/generate/walk"
)

// Walk is one behaviour.
type Walk struct {
	walk.Start
	r        *walk.Rand
	clusters []string // CLUSTERS, as JSON strings
	spaces   []*space
	moving   *space // for Inv_UsableByAtMostOne
	stage    int    // of this
}

var (
	namespaceController = &walk.Action{Name: "NamespaceController"}
	pvcController       = &walk.Action{Name: "PVCController"}
	syncerProcess       = &walk.Action{Name: "Syncer"}
)

// perSpace is about how many objects there are of each namespace.
const perSpace = 6

// New returns a walk. Everything exists from the start, in the text too, so
// that the number of objects is given.
func New(c walk.Config) walk.Walk {
	w := &Walk{Start: walk.Start{Shown: true}, r: c.Rand, clusters: []string{`"c1"`, `"c2"`, `"c3"`, `"c4"`}}
	var names []string
	if json.Unmarshal([]byte(c.Constants["clusters"]), &names) == nil {
		w.clusters = nil
		for _, name := range names {
			quoted, _ := json.Marshal(name) // a string is JSON
			w.clusters = append(w.clusters, string(quoted))
		}
	}
	for i := range max(2, c.Objects/perSpace) {
		sp := &space{w: w, id: i, ns: mapping{none, none}, holder: none, syncers: make([]*syncer, len(w.clusters))}
		for n := range 1 + i%2 {
			sp.pvcs = append(sp.pvcs, &pvc{space: sp, n: n, value: mapping{none, none}})
		}
		w.spaces = append(w.spaces, sp)
		if c.Snapshot {
			w.settle(sp)
		}
	}
	return w
}

// settle shows the namespace on some cluster, and what belongs to it as it is.
func (w *Walk) settle(sp *space) {
	if w.r.Chance(800) {
		sp.ns.cluster = w.r.N(len(w.clusters))
	}
	w.Begin(sp)
	for _, p := range sp.pvcs {
		p.value = sp.ns
		w.Begin(p)
	}
	for c := range min(len(w.clusters), perSpace-2) {
		y := sp.syncer(c)
		if y.sync = c == sp.ns.cluster; y.sync {
			sp.holder = c
		}
		w.Begin(y)
	}
}

func (sp *space) syncer(c int) *syncer {
	if sp.syncers[c] == nil {
		sp.syncers[c] = &syncer{space: sp, cluster: c}
	}
	return sp.syncers[c]
}

// Take implements walk.Walk.
func (w *Walk) Take(s *walk.Step, _ int) {
	for range 50 {
		if w.try(s) {
			return
		}
	}
	s.Full = true // a small state, all of which the step has touched
}

func (w *Walk) try(s *walk.Step) bool {
	sp := w.spaces[w.r.N(len(w.spaces))]
	if sp.held {
		return false
	}
	switch k := w.r.N(10); {
	case k < 3:
		return w.canControl(s, sp) && w.controlNamespace(s, sp)
	case k < 6:
		p := sp.pvcs[w.r.N(len(sp.pvcs))]
		if s.Has(p) || p.value.cluster == sp.ns.cluster && (len(s.Lines) > 0 || !w.r.Chance(50)) {
			return false
		}
		s.Full = p.value.cluster == sp.ns.cluster // nothing changes
		w.controlPVC(s, p)
	default:
		c := sp.holder // with something to do
		if c == sp.ns.cluster || c == none {
			c = sp.ns.cluster
		}
		if c == none || s.Has(sp.syncer(c)) || sp.syncer(c).sync == (c == sp.ns.cluster) {
			return false
		}
		w.sync(s, sp.syncer(c))
	}
	return true
}

// canControl says that the namespace may change: it does not go to another
// cluster before the syncer of the one that it was on has seen that. (The text
// lets it, and so breaks Inv_UsableByAtMostOne.)
func (w *Walk) canControl(s *walk.Step, sp *space) bool {
	return !s.Has(sp) && (sp.ns.cluster != none || sp.holder == none)
}

// controlNamespace is NamespaceController.
func (w *Walk) controlNamespace(s *walk.Step, sp *space) bool {
	if sp.ns.cluster != none {
		w.setNamespace(s, sp, none)
	} else {
		w.setNamespace(s, sp, w.r.N(len(w.clusters)))
	}
	return true
}

func (w *Walk) setNamespace(s *walk.Step, sp *space, to int) {
	sp.ns.set(to)
	s.Update(namespaceController, sp, fieldClusters)
}

// controlPVC is PVCController.
func (w *Walk) controlPVC(s *walk.Step, p *pvc) {
	p.value.set(p.space.ns.cluster)
	s.Update(pvcController, p, fieldClusters)
}

// sync is Syncer(self).
func (w *Walk) sync(s *walk.Step, y *syncer) {
	if y.sync = y.space.ns.cluster == y.cluster; y.sync {
		y.space.holder = y.cluster
	} else if y.space.holder == y.cluster {
		y.space.holder = none
	}
	s.Update(syncerProcess, y, walk.All)
}
