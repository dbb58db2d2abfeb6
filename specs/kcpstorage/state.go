package kcpstorage

import (
	"encoding/binary"
	"slices"
	"strings"

	"tracecheck/trace/codec"
	"tracecheck/validators"
)

// state is the variables of every namespace of the stream.
type state struct {
	clusters *clusters
	spaces   validators.Index[*space]
	pvcs     validators.Index[*pvc]
	homes    map[cluster]home // of syncers
	nowhere  *space           // of PVCs whose namespace no line has said

	spaceRecords codec.Records[*space] // as written down
	pvcRecords   codec.Records[*pvc]
}

// space is one namespace with what belongs to it: one instance of the module,
// but that it may have several PVCs.
type space struct {
	id    string
	named bool // a namespace line has shown it
	codec.Mark
	ns      value
	syncers mapping // those shown, of which a state may be nil

	usable  int             // Cardinality({c : pvc_state[c] = "Sync"})
	behind  int             // Cardinality({c : pvc_state[c] # ns[c]})
	pvcs    int             // how many have been shown
	alike   map[cluster]int // PVCs by mapping.sole
	several map[string]int  // those that it does not number, by value.key

	step int // the step that last named it, and the part of that step
	part int

	changes int64 // how often something of it has changed
	waits   *validators.Obligation
}

// value is a mapping as lines give it.
type value struct {
	mapping
	bad bool // the lines gave no map
}

func (v *value) equal(o *value) bool { return v.bad == o.bad && v.mapping.equal(o.mapping) }

// key adds the value to b, as a key.
func (v *value) key(b []byte) []byte {
	b = append(b, byte(b2i(v.bad)))
	for _, e := range v.mapping {
		b = append(binary.AppendVarint(b, int64(e.cluster)), byte(e.state))
	}
	return b
}

// pvc is a PVC that a line has shown.
type pvc struct {
	value
	codec.Mark
	id    string
	space *space
}

// Key implements validators.Keyed.
func (sp *space) Key() string { return sp.id }

// Key implements validators.Keyed.
func (p *pvc) Key() string { return p.id }

// home says where a cluster's syncers are.
type home struct {
	spaces int
	last   *space
}

func newState(names []string) *state {
	return &state{
		clusters: newClusters(names),
		homes:    map[cluster]home{},
		nowhere:  &space{},
	}
}

// space returns the namespace of that id; it stands from the start.
func (s *state) space(id string) *space {
	sp := s.spaces.Get(id)
	if sp == nil {
		sp = &space{id: strings.Clone(id)}
		s.spaces.Put(sp)
		s.spaceRecords.Add(sp)
	}
	return sp
}

// only is the stream's namespace, where there is one only; else nil.
func (s *state) only() *space {
	if s.spaces.Len() == 1 {
		for _, sp := range s.spaces.All() {
			return sp
		}
	}
	return nil
}

// isEmpty says that nothing shown belongs to the namespace.
func (sp *space) isEmpty() bool { return !sp.named && sp.pvcs == 0 && len(sp.syncers) == 0 }

// release drops a namespace that is empty.
func (s *state) release(sp *space) {
	if sp != s.nowhere && sp.isEmpty() {
		s.spaceRecords.Keep(sp)
		s.spaces.Delete(sp.id)
	}
}

// putNamespace sets ns.
func (s *state) putNamespace(sp *space, v *value) {
	s.spaceRecords.Keep(sp)
	sp.named = true
	sp.changed(!sp.ns.equal(v))
	sp.ns.differences(v.mapping, func(c cluster, from, to SyncState) {
		local := sp.syncers.of(c)
		sp.behind += b2i(to != local) - b2i(from != local)
	})
	sp.ns.mapping, sp.ns.bad = append(sp.ns.mapping[:0], v.mapping...), v.bad
}

// dropNamespace forgets ns: it is nil everywhere, as one that no line has
// shown.
func (s *state) dropNamespace(sp *space) {
	s.putNamespace(sp, &value{})
	sp.named = false
}

// putSyncer sets pvc_state[c].
func (s *state) putSyncer(sp *space, c cluster, to SyncState) {
	s.spaceRecords.Keep(sp)
	i, shown := sp.syncers.place(c)
	if !shown {
		sp.syncers = slices.Insert(sp.syncers, i, entry{c, Nil})
		s.homes[c] = home{s.homes[c].spaces + 1, sp}
	}
	from := sp.syncers[i].state
	sp.changed(from != to)
	sp.count(c, from, to)
	sp.syncers[i].state = to
}

func (s *state) dropSyncer(sp *space, c cluster) {
	if i, shown := sp.syncers.place(c); shown {
		s.spaceRecords.Keep(sp)
		from := sp.syncers[i].state
		sp.changed(from != Nil)
		sp.count(c, from, Nil)
		sp.syncers = slices.Delete(sp.syncers, i, i+1)
		if h := s.homes[c]; h.spaces > 1 {
			s.homes[c] = home{h.spaces - 1, h.last}
		} else {
			delete(s.homes, c)
		}
	}
}

func (sp *space) count(c cluster, from, to SyncState) {
	wanted := sp.ns.of(c)
	sp.behind += b2i(to != wanted) - b2i(from != wanted)
	sp.usable += b2i(to == Sync) - b2i(from == Sync)
}

func (sp *space) changed(is bool) { sp.changes += int64(b2i(is)) }

// putPVC sets pvc, and returns the namespace that the PVC was in.
func (s *state) putPVC(id string, sp *space, v *value) (was *space) {
	p := s.pvcs.Get(id)
	if p == nil {
		p = &pvc{id: strings.Clone(id), space: sp}
		s.pvcs.Put(p)
		s.pvcRecords.Add(p)
	} else {
		s.pvcRecords.Keep(p)
		p.space.tally(p, -1)
	}
	if was = p.space; was != sp { // there it is gone
		was.changed(!p.value.equal(&allNil))
	}
	p.space = sp
	sp.changed(!p.value.equal(v))
	p.mapping, p.bad = append(p.mapping[:0], v.mapping...), v.bad
	sp.tally(p, +1)
	return was
}

// dropPVC forgets pvc, and returns the namespace that the PVC was in, if it
// stood.
func (s *state) dropPVC(id string) (was *space) {
	p := s.pvcs.Get(id)
	if p == nil {
		return nil
	}
	s.pvcRecords.Keep(p)
	p.space.changed(!p.value.equal(&allNil))
	p.space.tally(p, -1)
	s.pvcs.Delete(id)
	return p.space
}

func (sp *space) tally(p *pvc, d int) {
	sp.pvcs += d
	sole := p.sole()
	if p.bad || sole == several {
		if sp.several == nil {
			sp.several = map[string]int{}
		}
		add(sp.several, string(p.key(nil)), d)
		return
	}
	if sp.alike == nil {
		sp.alike = map[cluster]int{}
	}
	add(sp.alike, sole, d)
}

// add adds to a count, and keeps none that is 0.
func add[K comparable](counts map[K]int, of K, d int) {
	if n := counts[of] + d; n > 0 {
		counts[of] = n
	} else {
		delete(counts, of)
	}
}

// follows says that PVCController may leave the state as it is: some PVC is as
// the namespace.
func (sp *space) follows() bool {
	alike, _ := sp.compare()
	return alike > 0
}

// compare counts the PVCs that are as the namespace, and those that are not.
// Where no line has shown one, there is one that is nil.
func (sp *space) compare() (alike, apart int) {
	all := sp.pvcs
	sole := sp.ns.sole()
	switch {
	case all == 0:
		all, alike = 1, b2i(sole == none)
	case sole != several:
		alike = sp.alike[sole]
	default:
		var buffer [64]byte
		alike = sp.several[string(sp.ns.key(buffer[:0]))]
	}
	return alike, all - alike
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}
