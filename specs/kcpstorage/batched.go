package kcpstorage

import (
	"fmt"
	"slices"
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
// The actions' own clauses decide on each action of the walk.
type walk struct {
	*pair
	at    value // ns on the way
	next  value
	plan  []*action
	stuck string // what could not be, for the report

	pvcs    map[cluster][]*pvcChange // waiting for ns to be so, by mapping.sole
	several []*pvcChange             // and those that it does not number, most Syncs first
	sync    map[cluster]*syncerChange
	nils    map[cluster]*syncerChange
	waiting int
	one     struct {
		pvc    [1]pvcChange
		syncer [1]syncerChange
	}
}

// explain makes the walk, or says what stands in its way.
func (w *walk) explain() bool {
	w.at = value{slices.Clone(w.was.mapping), w.was.bad}
	if w.ns.bad || w.was.bad {
		return w.fail("ns is no map")
	}
	if !w.first() {
		return false
	}
	if w.sameNS() {
		return w.waiting == 0 || w.fail("ns does not differ, and so is the same throughout")
	}
	if !sameButSyncs(w.was.mapping, w.ns.mapping) {
		return w.fail("an Empty neither comes nor goes")
	}
	if w.was.syncs() < len(w.was.mapping) || w.ns.syncs() > 1 {
		return w.down(w.ns.mapping) && w.end()
	}
	return w.free() && w.end()
}

func (w *walk) fail(stuck string) bool {
	w.stuck = stuck
	return false
}

// first copies what can be copied from the start, and lists what cannot.
func (w *walk) first() bool {
	w.pvcs = map[cluster][]*pvcChange{}
	w.sync, w.nils = map[cluster]*syncerChange{}, map[cluster]*syncerChange{}
	for i := range w.pair.pvcs {
		c := &w.pair.pvcs[i]
		switch sole := c.new.sole(); {
		case c.new.equal(&w.at):
			if !w.copyPVC(c) {
				return false
			}
		case sole == several:
			w.several = append(w.several, c)
			w.waiting++
		default:
			w.pvcs[sole] = append(w.pvcs[sole], c)
			w.waiting++
		}
	}
	slices.SortStableFunc(w.several, func(a, b *pvcChange) int { return b.new.syncs() - a.new.syncs() })
	for i := range w.pair.syncers {
		c := &w.pair.syncers[i]
		switch {
		case c.new == w.at.of(c.cluster):
			if !w.copySyncer(c) {
				return false
			}
			continue
		case c.new == Sync:
			w.sync[c.cluster] = c
		case c.new == Nil:
			w.nils[c.cluster] = c
		}
		w.waiting++
	}
	return true
}

// end says that ns has come to where it should, and nothing waits any more.
func (w *walk) end() bool {
	if w.waiting > 0 {
		return w.fail("ns cannot be, on the way, what each of them copies")
	}
	return w.at.equal(w.ns) || w.fail("ns cannot come to this")
}

// down removes ns from clusters until it is goal, by way of the PVCs that wait
// for several Syncs.
func (w *walk) down(goal mapping) bool {
	for _, c := range w.several {
		if !w.removeTo(c.new.mapping) {
			return false
		}
		if c.new.equal(&w.at) { // else it waits for good
			if !w.copyPVC(c) {
				return false
			}
			w.waiting--
		}
	}
	w.several = nil
	return w.removeTo(goal)
}

// removeTo removes ns from the clusters that goal does not have.
func (w *walk) removeTo(goal mapping) bool {
	for i := 0; i < len(w.at.mapping); {
		c := w.at.mapping[i].cluster
		if w.at.mapping[i].state != Sync || goal.of(c) == Sync {
			i++
			continue
		}
		if !w.set(c, Nil) {
			return false
		}
	}
	return true
}

// free goes by way of a ns that is nil everywhere, if that is of use.
func (w *walk) free() bool {
	goal := w.ns.sole()
	if !w.down(w.keep(goal)) {
		return false
	}
	if w.waiting == 0 && w.at.equal(w.ns) {
		return true
	}
	if !w.removeTo(nil) {
		return false
	}
	for _, c := range w.wanted() {
		if c != goal && (!w.set(c, Sync) || !w.set(c, Nil)) {
			return false
		}
	}
	return goal == none || w.set(goal, Sync)
}

// keep is the one Sync that is removed last: the goal's, else one that a PVC
// waits for.
func (w *walk) keep(goal cluster) mapping {
	for _, e := range w.at.mapping {
		if e.cluster == goal {
			return w.ns.mapping
		}
	}
	for _, e := range w.at.mapping {
		if len(w.pvcs[e.cluster]) > 0 {
			return mapping{e}
		}
	}
	return nil
}

// wanted lists the clusters that something waits for, in their order.
func (w *walk) wanted() []cluster {
	var list []cluster
	for c := range w.pvcs {
		if c != none && len(w.pvcs[c]) > 0 {
			list = append(list, c)
		}
	}
	for c := range w.sync {
		if len(w.pvcs[c]) == 0 {
			list = append(list, c)
		}
	}
	slices.Sort(list)
	return list
}

// set is an action of NamespaceController, and what copies its outcome.
func (w *walk) set(c cluster, to SyncState) bool {
	w.next.mapping = append(w.next.mapping[:0], w.at.mapping...).with(c, to)
	p := pair{clusters: w.clusters, space: w.space, was: &w.at, ns: &w.next}
	if !namespaceController.Match(&p) {
		return w.fail(fmt.Sprintf("ns cannot go from %s to %s", w.clusters.show(w.at.mapping), w.clusters.show(w.next.mapping)))
	}
	w.plan = append(w.plan, namespaceController)
	w.at, w.next = w.next, w.at
	waits := w.sync
	if to == Nil {
		waits = w.nils
	}
	if s := waits[c]; s != nil {
		if !w.copySyncer(s) {
			return false
		}
		delete(waits, c)
		w.waiting--
	}
	sole := w.at.sole()
	for _, c := range w.pvcs[sole] {
		if !w.copyPVC(c) {
			return false
		}
		w.waiting--
	}
	delete(w.pvcs, sole)
	return true
}

func (w *walk) copyPVC(c *pvcChange) bool {
	w.one.pvc[0] = *c
	return w.take(&pair{clusters: w.clusters, space: w.space, was: &w.at, ns: &w.at, pvcs: w.one.pvc[:]}, pvcController)
}

func (w *walk) copySyncer(c *syncerChange) bool {
	w.one.syncer[0] = *c
	return w.take(&pair{clusters: w.clusters, space: w.space, was: &w.at, ns: &w.at, syncers: w.one.syncer[:]}, syncerProcess)
}

func (w *walk) take(p *pair, a *action) bool {
	if !a.Match(p) {
		return w.fail("not " + next.Nearest(p, 1)[0].Failed[0])
	}
	w.plan = append(w.plan, a)
	return true
}

// sameButSyncs says that the two have the same clusters in other states than
// Sync and nil.
func sameButSyncs(a, b mapping) bool {
	same := true
	a.differences(b, func(_ cluster, from, to SyncState) {
		same = same && (from == Sync || from == Nil) && (to == Sync || to == Nil)
	})
	return same
}
