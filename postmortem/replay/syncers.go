package replay

import (
	"tracecheck/internal/kinds"
	"tracecheck/trace"
)

const namespaceField = "namespace"

// place has the syncers of a cluster.
type place struct {
	count int    // of those that exist
	last  string // the namespace of the last one
}

// keyOf is the key of the event's object. A syncer's line may leave its
// namespace out where the cluster has one syncer.
func (s *Stream) keyOf(ev *trace.Event) key {
	k := key{kind: ev.Kind, id: ev.ID}
	if ev.Kind.IsSingleton() { // its id has no meaning
		k.id = ""
	}
	if ev.Kind != kinds.Syncer {
		return k
	}
	if f := ev.Fields.Get(fieldNamespace); f.Type == trace.String {
		k.namespace = f.Str
	} else if h := s.places[ev.ID]; h != nil && h.count == 1 && ev.Op != trace.OpCreate {
		k.namespace = h.last
	}
	return k
}

// Namespace is the namespace of a syncer's event, which is a part of its identity. It is "" for
// other kinds, and where it is not known.
func (s *Stream) Namespace(ev *trace.Event) string { return s.keyOf(ev).namespace }

// enter adds a syncer.
func (s *Stream) enter(k key) {
	if k.kind != kinds.Syncer {
		return
	}
	h := s.places[k.id]
	if h == nil {
		h = &place{}
		if s.places == nil {
			s.places = map[string]*place{}
		}
		s.places[k.id] = h
	}
	if s.objects[k] == nil {
		h.count++
	}
	h.last = k.namespace
}
