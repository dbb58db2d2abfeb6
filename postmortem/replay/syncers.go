package replay

import (
	"tracecheck/internal/kinds"
	"tracecheck/trace"
)

const namespaceField = "namespace"

// home is where the syncers of a cluster are.
type home struct {
	count int    // of those that stand
	last  string // the namespace of the last one
}

// keyOf is the key of the event's object. A syncer's line may leave its
// namespace out where the cluster has one syncer.
func (s *Stream) keyOf(ev *trace.Event) key {
	k := key{kind: ev.Kind, id: ev.ID}
	if ev.Kind != kinds.Syncer {
		return k
	}
	if f := ev.Fields.Get(fieldNamespace); f.Type == trace.String {
		k.namespace = f.Str
	} else if h := s.homes[ev.ID]; h != nil && h.count == 1 && ev.Op != trace.OpCreate {
		k.namespace = h.last
	}
	return k
}

// enter notes a syncer that comes.
func (s *Stream) enter(k key) {
	if k.kind != kinds.Syncer {
		return
	}
	h := s.homes[k.id]
	if h == nil {
		h = &home{}
		if s.homes == nil {
			s.homes = map[string]*home{}
		}
		s.homes[k.id] = h
	}
	if s.objects[k] == nil {
		h.count++
	}
	h.last = k.namespace
}
