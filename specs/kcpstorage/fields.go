package kcpstorage

import (
	"fmt"
	"strings"

	"github.com/tidwall/gjson"

	"tracecheck/trace"
)

// mergeClusters overlays the field clusters onto v, as a merge patch: a cluster
// with null, or a map that is null, is nil. It returns what is outside its
// type, "" if nothing is.
func (s *state) mergeClusters(v *value, ev *trace.Event) string {
	f := ev.Fields.Get(trace.FieldClusters)
	switch f.Type {
	case trace.Absent:
		return ""
	case trace.Null:
		v.mapping, v.bad = v.mapping[:0], false
		return ""
	}
	if f.Type != trace.Other || !strings.HasPrefix(f.Str, "{") {
		v.mapping, v.bad = v.mapping[:0], true
		return fmt.Sprintf("%s: clusters %s is no map from clusters to SyncStates", named(ev), f)
	}
	v.bad = false
	bad, place := "", 0
	for key, to := range f.Each {
		c, state := s.clusters.find(key), badState
		switch to.Type {
		case trace.Null:
			state = Nil
		case trace.String:
			state = parseState(to.Str)
		}
		v.mapping = v.mapping.with(c, state)
		switch {
		case bad != "":
		case state == badState:
			bad = fmt.Sprintf("%s: clusters[%s] = %s is not in SyncStates (\"nil\", \"Empty\", \"Sync\")", named(ev), key, member(f.Str, place))
		case !s.clusters.has(c) && to.Type != trace.Null:
			bad = fmt.Sprintf("%s: %s is not in CLUSTERS", named(ev), key)
		}
		place++
	}
	return bad
}

// member is the object's value at that place, as it stands in the line.
func member(object string, place int) (raw string) {
	gjson.Parse(object).ForEach(func(_, value gjson.Result) bool {
		raw = value.Raw
		place--
		return place >= 0
	})
	return raw
}

// mergeState reads a syncer's pvc_state, and what is outside its type.
func mergeState(to *SyncState, ev *trace.Event) string {
	f := ev.Fields.Get(trace.FieldPVCState)
	switch f.Type {
	case trace.Absent:
		return ""
	case trace.Null:
		*to = Nil
	case trace.String:
		*to = parseState(f.Str)
	default:
		*to = badState
	}
	if *to == badState {
		return fmt.Sprintf("%s: pvc_state %s is not in SyncStates (\"nil\", \"Empty\", \"Sync\")", named(ev), f)
	}
	return ""
}

// namespaceOf reads the field namespace of a PVC or syncer; "" and false where
// the event leaves it out. A null is left out (RFC 7396).
func namespaceOf(ev *trace.Event) (id string, given bool, bad string) {
	f := ev.Fields.Get(trace.FieldNamespace)
	switch f.Type {
	case trace.String:
		return f.Str, true, ""
	case trace.Absent, trace.Null:
		return "", false, ""
	}
	return "", false, fmt.Sprintf("%s: namespace %s is no namespace's name", named(ev), f)
}

// named names the event's object.
func named(ev *trace.Event) string { return ev.Kind.String() + " " + ev.ID }
