package kcpstorage

import (
	"fmt"

	"tracecheck/internal/generate/walk"
	"tracecheck/internal/kinds"
	"tracecheck/trace"
)

const (
	usable = "Inv_UsableByAtMostOne"
	fair   = "WF_vars(Next)"
)

// Spec is kcpStorage.
var Spec = &walk.Spec{
	Name:  "kcpstorage",
	Kinds: []trace.Kind{kinds.Namespace, kinds.PVC, kinds.Syncer},
	Rules: []walk.Rule{
		{Name: "Next"}, {Name: "TypeOK"}, {Name: "Inv_NSAtMostOneCluster"}, {Name: "Inv_PVCAtMostOneCluster"}, {Name: usable},
		{Name: "action"}, {Name: "actor", Cannot: "the module's actions are its processes, and a line's actor is not checked"},
		{Name: fair, Waits: true},
	},
	New: New,
}

// Break implements walk.Walk.
func (w *Walk) Break(rule string, s *walk.Step, _ int) (walk.Broken, bool) {
	sp := w.spaces[w.r.N(len(w.spaces))]
	first, last := w.clusters[0], w.clusters[len(w.clusters)-1]
	switch rule {
	case "Next":
		if sp.ns.cluster != none || sp.holder != none {
			return walk.Broken{}, false
		}
		y := sp.syncer(w.r.N(len(w.clusters)))
		y.sync, sp.holder = true, y.cluster
		s.Update(nil, y, walk.All)
		return did("namespace %s is on no cluster, and a syncer takes it for its own", sp)
	case "TypeOK":
		o := walk.NewStray(kinds.Namespace, "odd", `{"clusters":{%s:"Half"}}`, first)
		s.Snapshot(o)
		return did("a snapshot shows namespace %s in a state that the spec does not have", o)
	case "Inv_NSAtMostOneCluster":
		if first == last {
			return walk.Broken{}, false
		}
		o := walk.NewStray(kinds.Namespace, "both", `{"clusters":{%s:"Sync",%s:"Sync"}}`, first, last)
		s.Snapshot(o)
		return did("a snapshot shows namespace %s on two clusters", o)
	case "Inv_PVCAtMostOneCluster":
		if first == last {
			return walk.Broken{}, false
		}
		o := walk.NewStray(kinds.PVC, "both", `{"namespace":%q,"clusters":{%s:"Sync",%s:"Sync"}}`, walk.Name(sp), first, last)
		s.Snapshot(o)
		return did("a snapshot shows PVC %s on two clusters", o)
	case usable:
		return w.move(s, sp)
	case fair:
		if !w.canControl(s, sp) {
			return walk.Broken{}, false
		}
		w.controlNamespace(s, sp)
		sp.held = true
		return walk.Broken{What: fmt.Sprintf("nothing happens to namespace %s any more", walk.Name(sp)), Waits: true}, true
	}
	if !w.canControl(s, sp) { // of the rule action
		return walk.Broken{}, false
	}
	w.controlNamespace(s, sp)
	s.Lines[0].Claim, s.Lines[0].Insist = pvcController, true
	return did("namespace %s changes, and the line says that it is the PVC controller's doing", sp)
}

func did(format string, o walk.Object) (walk.Broken, bool) {
	return walk.Broken{What: fmt.Sprintf(format, walk.Name(o))}, true
}

// move moves a namespace before the old cluster's syncer has seen it: three
// steps of the text's own.
func (w *Walk) move(s *walk.Step, sp *space) (walk.Broken, bool) {
	switch w.stage {
	case 0:
		if sp.holder == none || sp.holder != sp.ns.cluster || len(w.clusters) < 2 {
			return walk.Broken{}, false
		}
		w.moving = sp
		w.setNamespace(s, sp, none)
	case 1:
		to := w.r.N(len(w.clusters) - 1)
		if to >= w.moving.holder {
			to++
		}
		w.setNamespace(s, w.moving, to)
	default:
		w.sync(s, w.moving.syncer(w.moving.ns.cluster))
		return did("namespace %s has moved, and the syncers of both clusters have pvc_state Sync", w.moving)
	}
	w.stage++
	return walk.Broken{Further: true}, true
}
