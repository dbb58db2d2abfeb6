package kcpstorage

import (
	"fmt"
	"slices"

	"tracecheck/validators/model"
)

// A batched step is the sum of several actions. Each namespace is explained by
// itself, and by argument: no order needs to be searched for. PVCs and syncers
// only copy ns, so what they come to must be what ns is at some time. Where ns
// does not differ, it may not change on the way. Where it does,
//
//   - an Empty stays, and bars every assignment: Syncs can only be removed;
//   - without one, once all are nil, ns can be assigned to any cluster and
//     removed again, as often as of use. Only what has several Syncs must lie
//     on the way down to there.
//
// The actions' own guards and effects decide on each action of the walk.
type walk struct {
	*model.Walk[State, witness]
	sp      *space
	pvcs    map[mapping][]*pvcChange // waiting for ns to be so: a single Sync, or nil
	several []*pvcChange             // and those that wait for more, most Syncs first
	syncers map[witness]*syncerChange
	waiting int
}

// search makes the walk, or says what prevents it.
func search(on *model.Walk[State, witness]) model.Outcome {
	w := &walk{Walk: on, sp: on.S.now, pvcs: map[mapping][]*pvcChange{}, syncers: map[witness]*syncerChange{}}
	if stuck := w.explain(); stuck != "" {
		w.Because(". " + stuck)
		return model.Unsolved
	}
	if !w.ClaimsMet() { // one process only changes each kind, so no other order meets them
		return model.Unsolved
	}
	return model.Solved
}

// at is ns on the way.
func (w *walk) at() *mapping { return &w.sp.change.Now.Clusters }

func (w *walk) explain() (stuck string) {
	was, goal := &w.sp.change.Old.Clusters, &w.sp.change.New.Clusters
	if (was.IsBad() || goal.IsBad()) && (*was != *goal || len(w.S.pvcs.Changed())+len(w.S.syncers.Changed()) > 1) {
		return "ns is not a map" // which one action alone may yet copy
	}
	w.first()
	switch {
	case *was == *goal:
		if w.waiting > 0 {
			return "ns does not change, so it is the same throughout"
		}
	case !sameButSyncs(was, goal):
		return "an Empty neither comes nor goes"
	case was.Count(Sync) < was.Len() || goal.Count(Sync) > 1:
		w.down(goal)
	default:
		stuck = w.free(goal)
	}
	switch {
	case stuck != "":
	case w.waiting > 0:
		stuck = "ns never has, on the way, the values that they copy"
	case !w.HasArrived():
		stuck = "no actions lead ns to this value"
	}
	return stuck
}

// first copies what can be copied from the start, and lists what cannot.
func (w *walk) first() {
	for _, c := range w.S.pvcs.Changed() {
		switch of := c.New.Clusters; {
		case of == *w.at():
			w.copyPVC(c)
		case of.IsBad() || of.Len() > 1 || of.Len() > of.Count(Sync):
			w.several = append(w.several, c)
			w.waiting++
		default:
			w.pvcs[of] = append(w.pvcs[of], c)
			w.waiting++
		}
	}
	slices.SortStableFunc(w.several, func(a, b *pvcChange) int { return b.New.Clusters.Count(Sync) - a.New.Clusters.Count(Sync) })
	for _, c := range w.S.syncers.Changed() {
		if c.New.State == w.at().Of(c.New.cluster) && w.copySyncer(c) {
			continue
		}
		if w.waiting++; c.New.State == Sync || c.New.State == Nil {
			w.syncers[witness{c: c.New.cluster, assigns: c.New.State == Sync}] = c
		}
	}
}

// down removes ns from clusters until it is goal, by way of the PVCs that wait
// for several Syncs.
func (w *walk) down(goal *mapping) {
	for _, c := range w.several {
		w.removeTo(&c.New.Clusters)
		if c.New.Clusters == *w.at() { // else it waits forever
			w.copyPVC(c)
			w.waiting--
		}
	}
	w.several = nil
	w.removeTo(goal)
}

// removeTo removes ns from the clusters that goal does not have.
func (w *walk) removeTo(goal *mapping) {
	for i := 0; i < w.at().Len(); {
		if c, state := w.at().At(i); state != Sync || goal.Of(c) == Sync || !w.set(c, false) {
			i++
		}
	}
}

// free goes by way of a ns that is nil everywhere, if that is of use.
func (w *walk) free(goal *mapping) (stuck string) {
	w.down(w.keep(goal))
	if w.waiting == 0 && *w.at() == *goal {
		return ""
	}
	w.removeTo(&nilEverywhere)
	for _, c := range w.wanted() {
		if goal.Of(c) == Nil && (!w.set(c, true) || !w.set(c, false)) {
			return fmt.Sprintf("ns cannot be assigned to %s", w.S.clusters.Name(c))
		}
	}
	if goal.Len() > 0 {
		c, _ := goal.At(0)
		w.set(c, true)
	}
	return ""
}

// keep is the one Sync that is removed last: the goal's, else one that a PVC
// waits for.
func (w *walk) keep(goal *mapping) *mapping {
	for i := range w.at().Len() {
		if c, _ := w.at().At(i); goal.Of(c) == Sync {
			return goal
		}
	}
	for i := range w.at().Len() {
		c, _ := w.at().At(i)
		if one := nilEverywhere.With(c, Sync); len(w.pvcs[one]) > 0 {
			return &one
		}
	}
	return &nilEverywhere
}

// wanted lists the clusters that something waits for ns to be assigned to, in
// their order.
func (w *walk) wanted() (list []model.Symbol) {
	for of := range w.pvcs {
		if of.Len() > 0 {
			c, _ := of.At(0)
			list = append(list, c)
		}
	}
	for p := range w.syncers {
		if p.assigns {
			list = append(list, p.c)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// set is an action of NamespaceController, and what copies its outcome.
func (w *walk) set(c model.Symbol, assigns bool) bool {
	if !w.S.clusters.Has(c) || !w.Take(namespaceController, &witness{space: w.sp, c: c, assigns: assigns}) {
		return false
	}
	of := witness{c: c, assigns: assigns}
	if y := w.syncers[of]; y != nil && w.copySyncer(y) {
		delete(w.syncers, of)
		w.waiting--
	}
	now := *w.at()
	for _, p := range w.pvcs[now] {
		w.copyPVC(p)
		w.waiting--
	}
	delete(w.pvcs, now)
	return true
}

func (w *walk) copyPVC(c *pvcChange) { w.Take(pvcController, &witness{space: w.sp, pvc: c}) }

func (w *walk) copySyncer(c *syncerChange) bool {
	return w.Take(syncerProcess, &witness{space: w.sp, c: c.New.cluster, syncer: c})
}

// sameButSyncs says that the two have the same clusters in other states than
// Sync and nil.
func sameButSyncs(a, b *mapping) bool {
	same := true
	a.Differences(b, func(_ model.Symbol, from, to SyncState) {
		same = same && (from == Sync || from == Nil) && (to == Sync || to == Nil)
	})
	return same
}
