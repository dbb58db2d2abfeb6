package kcpstorage

import (
	"strings"
	"unsafe"

	"tracecheck/trace"
	"tracecheck/trace/codec"
	"tracecheck/validators"
	"tracecheck/validators/model"
)

// Which namespace a line is about.

type line = model.Line[State]

// begin forgets what the last step was about.
func (s *State) begin() {
	for _, sp := range s.parts {
		sp.change = nil
	}
	clear(s.parts)
	s.parts, s.key = s.parts[:0], s.key[:0]
}

// space returns the namespace of that id, which is there from the start.
func (s *State) space(id string) *space { return spaceOf(s.namespaces.Refer(id, newNamespace)) }

func spaceOf(r *model.Row[Namespace]) *space {
	if r == nil {
		return nil
	}
	r.Value.row = r
	return r.Value.space
}

// touch has the step be about the namespace.
func (s *State) touch(sp *space) *space {
	if sp.change == nil {
		sp.change, sp.part, sp.newPVC = s.namespaces.Touch(sp.row), len(s.parts), false
		s.parts = append(s.parts, sp)
	}
	return sp
}

// lookup finds the namespace of a PVC or syncer that names none, nil if there is no
// telling.
func (s *State) lookup(ev *trace.Event) *space {
	if c, known := s.clusters.Known(ev.ID); known && ev.Kind == kindSyncer && s.places[c].spaces == 1 {
		if h := s.places[c]; !h.last.has(c) { // it has gone from there
			for r := range s.namespaces.All() {
				if sp := spaceOf(r); sp.has(c) {
					s.places[c] = place{1, sp}
				}
			}
		}
		return s.places[c].last
	}
	return spaceOf(s.namespaces.Only())
}

func (sp *space) has(c model.Symbol) bool {
	_, has := sp.syncers[c]
	return has
}

// moveIn notes where a syncer is that is new.
func (s *State) moveIn(y *Syncer) {
	s.places[y.cluster] = place{s.places[y.cluster].spaces + 1, y.space}
}

// readNamespace reads the field namespace of a PVC or syncer, which a create and
// a snapshot give, or says what is wrong with it. A null is left out (RFC 7396).
func readNamespace(ev *trace.Event) (id string, given bool, bad string) {
	switch f := ev.Fields.Get(fieldNamespace); {
	case f.Type == trace.String:
		return f.Str, true, ""
	case f.Type != trace.Absent && f.Type != trace.Null:
		return "", false, noNamespace(ev, f.String())
	case ev.Op == trace.OpCreate || ev.Op == trace.OpSnapshot:
		return "", false, noNamespace(ev, "(left out)")
	}
	return "", false, ""
}

func noNamespace(ev *trace.Event, value string) string {
	return named(ev) + ": namespace " + value + " is not the name of a namespace"
}

func named(ev *trace.Event) string { return ev.Kind.String() + " " + ev.ID }

func findPVC(b *line, ev *trace.Event) *pvcChange {
	s := b.State()
	id, given, bad := readNamespace(ev)
	if bad != "" {
		if b.Fault(validators.OfType, bad); ev.Op == trace.OpSnapshot {
			return nil
		}
	}
	c := s.pvcs.ChangeOf(ev)
	sp := c.New.space
	if sp == nil {
		sp = s.nowhere
	}
	switch {
	case given && (sp == s.nowhere || ev.Op == trace.OpCreate || ev.Op == trace.OpSnapshot):
		if sp != s.nowhere { // which it is taken from
			s.touch(sp)
		}
		sp = s.space(id)
	case given && sp.row.ID() != id:
		b.Fault(validators.OfTransition, named(ev)+": an update may not change a PVC's namespace")
	case !given && bad == "" && sp == s.nowhere:
		if found := s.lookup(ev); found != nil {
			sp = found
		}
	}
	c.New.space = s.touch(sp)
	sp.newPVC = sp.newPVC || !c.Had
	return c
}

// between ends the namespace in a syncer's id. It is in no text that is UTF-8.
const between = '\xff'

func findSyncer(b *line, ev *trace.Event) *syncerChange {
	s := b.State()
	id, given, bad := readNamespace(ev)
	var sp *space
	switch {
	case given:
		sp = s.space(id)
	case bad == "":
		if sp = s.lookup(ev); sp == nil {
			bad = noNamespace(ev, "(left out)")
		}
	}
	if bad != "" {
		b.Fault(validators.OfType, bad)
		return nil
	}
	cluster := s.clusters.Find(ev.ID)
	if s.touch(sp); !s.clusters.Has(cluster) {
		b.Fault(validators.OfType, named(ev)+" is not in CLUSTERS")
	}
	from := len(s.key)
	s.key = append(append(append(s.key, sp.row.ID()...), between), ev.ID...)
	key := s.key[from:]
	c := s.syncers.Change(unsafe.String(&key[0], len(key))) // which lives as long as the step
	c.New.space, c.New.cluster = sp, cluster
	return c
}

// clusterIn is the cluster in a syncer's id.
func clusterIn(id string) string { return id[strings.LastIndexByte(id, between)+1:] }

// makeSyncer makes what the id says of a syncer that is read.
func makeSyncer(s *State, id string) Syncer {
	cluster := clusterIn(id)
	y := Syncer{space: s.space(id[:max(0, len(id)-len(cluster)-1)]), cluster: s.clusters.Find(cluster)}
	s.moveIn(&y)
	return y
}

// codeSpace writes the namespace that a PVC belongs to.
func codeSpace(s *State, c *codec.Codec, p *PVC) {
	var id string
	known := p.space != nil && p.space != s.nowhere
	if codec.Bool(c, &known); known && !c.Reading() {
		id = p.space.row.ID()
	}
	if known {
		c.Name(&id)
	}
	if c.Reading() {
		if p.space = s.nowhere; known {
			p.space = s.space(id)
		}
	}
}
