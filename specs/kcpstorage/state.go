package kcpstorage

import (
	"tracecheck/trace"
	"tracecheck/validators/model"
)

// State is the variables of every namespace of the stream.
type State struct {
	clusters   model.Symbols // CLUSTERS
	namespaces model.Rows[Namespace]
	pvcs       model.Rows[PVC]
	syncers    model.Rows[Syncer]

	places  map[model.Symbol]place // of syncers
	nowhere *space                 // of PVCs whose namespace no line has said
	parts   []*space               // that the step is about
	now     *space                 // whose part of the step is judged
	attach  bool
	key     []byte
}

// Namespace is ns.
type Namespace struct {
	Clusters mapping
	*space
}

// PVC is pvc, of one PVC.
type PVC struct {
	Clusters mapping
	space    *space
}

// Syncer is pvc_state[cluster].
type Syncer struct {
	State   SyncState
	cluster model.Symbol
	space   *space
}

// space is what belongs to a namespace: one instance of the module, but that it
// may have several PVCs.
type space struct {
	row     *model.Row[Namespace]
	ns      mapping                     // on the way through a step
	syncers map[model.Symbol]SyncState  // those that lines have shown
	usable  int                         // Cardinality({c : pvc_state[c] = "Sync"})
	behind  int                         // Cardinality({c : pvc_state[c] # ns[c]})
	pvcs    int                         // how many lines have shown
	alike   model.DictCounts[SyncState] // how many of them are so
	changes int32                       // how often something of it has changed

	change *model.Change[Namespace] // in the step
	part   int                      // of the step
	newPVC bool                     // the step shows one first

	unknown bool // it is State.nowhere
}

// place says where a cluster's syncers are.
type place struct {
	spaces int
	last   *space
}

func newNamespace() Namespace {
	return Namespace{space: &space{syncers: map[model.Symbol]SyncState{}}}
}

type (
	nsChange     = model.Change[Namespace]
	pvcChange    = model.Change[PVC]
	syncerChange = model.Change[Syncer]
)

// Every object is there from the start, so that the first line of one may be of
// any op.
const (
	noDelete = "no process deletes anything"
	exists   = "create of what exists"
)

func (s *State) symbols() *model.Symbols { return &s.clusters }

var namespaces = &model.Kind[State, Namespace]{
	Kind: kindNamespace, Rows: func(s *State) *model.Rows[Namespace] { return &s.namespaces },
	NoDelete: noDelete,
	Columns: []model.Column[State, Namespace]{
		model.DictOf(fieldClusters, "CLUSTERS", syncStates, states, (*State).symbols, func(n *Namespace) *mapping { return &n.Clusters }),
	},
	Identity: model.Identity[State, Namespace]{
		Find:     func(b *line, ev *trace.Event) *nsChange { return b.State().touch(b.State().space(ev.ID)).change },
		Keep:     func(to, was *Namespace) { to.space = was.space },
		Make:     func(*State, string) Namespace { return newNamespace() },
		Referred: func(n *Namespace) bool { return n.pvcs > 0 || len(n.syncers) > 0 },
		Part:     func(c *nsChange) int { return c.New.part },
		Exists:   exists,
	},
	Tally: func(_ *State, n *Namespace, d int) {
		for i := range n.Clusters.Len() {
			c, to := n.Clusters.At(i)
			local := n.syncers[c]
			n.behind += d * (model.BoolInt(to != local) - model.BoolInt(Nil != local))
		}
		if n.ns = nilEverywhere; d > 0 {
			n.ns = n.Clusters
		}
	},
	Put: func(_ *State, c *nsChange) { c.New.changed(c.Old.Clusters != c.New.Clusters) },
	What: func(s *State, c *nsChange) string {
		return "namespace " + c.ID + goes(s.show(&c.Old.Clusters), s.show(&c.New.Clusters))
	},
	Waits: [][]model.Wait[State, Namespace]{{{For: waitNext, Is: waiting, Stage: func(r *model.Row[Namespace]) int32 { return r.Value.changes }}}},
}

var pvcs = &model.Kind[State, PVC]{
	Kind: kindPVC, Rows: func(s *State) *model.Rows[PVC] { return &s.pvcs },
	NoDelete: noDelete,
	Columns: []model.Column[State, PVC]{
		model.Belongs(fieldNamespace, func(p *PVC) (string, bool) { return p.space.id() }, codeSpace),
		model.DictOf(fieldClusters, "CLUSTERS", syncStates, states, (*State).symbols, func(p *PVC) *mapping { return &p.Clusters }),
	},
	Identity: model.Identity[State, PVC]{
		Find:   findPVC,
		Keep:   func(to, was *PVC) { to.space = was.space },
		Absent: func(p *PVC) bool { return p.space.isNowhere() }, // it is nil, as if no line had shown it
		Part:   func(c *pvcChange) int { return c.New.space.part },
		Exists: exists,
	},
	Tally: func(_ *State, p *PVC, d int) {
		if p.space == nil {
			return
		}
		p.space.pvcs += d
		p.space.alike.Add(&p.Clusters, d)
	},
	Put: func(_ *State, c *pvcChange) {
		if was := c.Old.space; was != nil && (was != c.New.space || !c.Shown) { // there it is gone
			was.changed(c.Old.Clusters != nilEverywhere)
		}
		c.New.space.changed(c.Shown && c.Old.Clusters != c.New.Clusters)
	},
	What: func(s *State, c *pvcChange) string {
		return "pvc " + c.ID + goes(s.show(&c.Old.Clusters), s.show(&c.New.Clusters))
	},
}

var syncers = &model.Kind[State, Syncer]{
	Kind: kindSyncer, Rows: func(s *State) *model.Rows[Syncer] { return &s.syncers },
	NoDelete: noDelete,
	Columns: []model.Column[State, Syncer]{
		model.Belongs[State](fieldNamespace, func(y *Syncer) (string, bool) { return y.space.id() }, nil),
		model.ValueOf[State](fieldPVCState, syncStates, states, func(y *Syncer) *SyncState { return &y.State }),
	},
	Identity: model.Identity[State, Syncer]{
		Find:   findSyncer,
		Keep:   func(to, was *Syncer) { to.space, to.cluster = was.space, was.cluster },
		Label:  clusterIn,
		Make:   makeSyncer,
		Part:   func(c *syncerChange) int { return c.New.space.part },
		Exists: exists,
	},
	Tally: func(s *State, y *Syncer, d int) {
		if y.space == nil {
			return
		}
		sp, wanted := y.space, y.space.ns.Of(y.cluster)
		sp.behind += d * (model.BoolInt(y.State != wanted) - model.BoolInt(Nil != wanted))
		sp.usable += d * model.BoolInt(y.State == Sync)
		if d > 0 {
			sp.syncers[y.cluster] = y.State
		}
	},
	Put: func(s *State, c *syncerChange) {
		switch y := &c.New; {
		case c.Row == nil:
			s.moveIn(y)
		case !c.Shown:
			delete(y.space.syncers, y.cluster)
			if h := s.places[y.cluster]; h.spaces > 1 {
				s.places[y.cluster] = place{h.spaces - 1, h.last}
			} else {
				delete(s.places, y.cluster)
			}
		}
		c.New.space.changed(c.Old.State != c.New.State)
	},
	What: func(_ *State, c *syncerChange) string {
		return "syncer " + clusterIn(c.ID) + goes(c.Old.State.String(), c.New.State.String())
	},
}

// The text's variables.
var (
	varNS       = namespaces.Of(fieldClusters)
	varPVC      = pvcs.Of(fieldClusters)
	varPVCState = syncers.Of(fieldPVCState)
)

func (sp *space) id() (id string, is bool) {
	if sp == nil {
		return "", false
	}
	return sp.row.ID(), true
}

func (sp *space) changed(is bool) { sp.changes += int32(model.BoolInt(is)) }
func (sp *space) isNowhere() bool { return sp != nil && sp.unknown }
func (s *State) enter(part int) bool {
	s.now = s.parts[part]
	return s.now != s.nowhere && s.now.row.IsKnown()
}

// compare counts the PVCs that are as the namespace, and those that are not.
// Where no line has shown one, there is one that is nil.
func (sp *space) compare() (alike, apart int) {
	ns := sp.ns
	if ns.IsBad() {
		ns = nilEverywhere
	}
	if sp.pvcs == 0 {
		alike = model.BoolInt(ns == nilEverywhere)
		return alike, 1 - alike
	}
	alike = sp.alike.Of(&ns)
	return alike, sp.pvcs - alike
}

// show prints a mapping for a reader: what is not nil.
func (s *State) show(m *mapping) string { return m.Text(&s.clusters, states) }

func goes(from, to string) string { return " goes from " + from + " to " + to }
