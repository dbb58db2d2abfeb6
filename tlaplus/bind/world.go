package bind

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"tracecheck/tlaplus/value"
	"tracecheck/trace"
)

// world has the objects of a stream, as JSON and as values.
type world struct {
	p      *program
	shapes *shape // of the fields
	kinds  []objectSet

	objects value.Value // kind, then id, then field
	was     value.Value // objects before the step
	shown   value.Value // kind, then the ids
	line    value.Value // as objects, with only the fields that the lines of the current step have
	refused value.Value // as objects: the fields of the current reject line; empty: there is none
	kept    value.Value // kind, then the ids of objects that the step updates, and neither creates nor deletes

	batched bool // the steps are

	references   map[string]int  // by text: the number of fields with this value
	unreferenced map[string]bool // texts that have lost their last reference
	hasSnapshots bool            // the stream began with snapshots
}

// objectSet has the objects of a kind.
type objectSet struct {
	kind          trace.Kind
	name          string
	present       bool // each exists from the start
	environment   bool // created and deleted without a step of the module
	fields        []field
	required      []string            // each create and snapshot has these fields
	current       map[string]fieldsOf // by id: the objects that exist
	dangling      map[string]bool     // ids of deleted objects that fields still refer to
	changedIDs    map[string]bool     // ids that may have to be added to ids, or removed from it
	deleted       map[string]bool     // ids of objects that the step deletes
	external      map[string]bool     // ids of environment objects that the step's lines create or delete
	logged        map[string]fieldsOf // by id: the fields that the lines of the step have
	previous      map[string]fieldsOf // by id: the objects of the step's lines, before the step
	stale         map[string]bool     // the ids whose record is out of date
	records       value.Value         // id, then field
	ids           *value.Set
	loggedChanged bool // logged has changed
	recorded      value.Value
	kept          value.Value
}

// fieldsOf has the values of fields, as JSON.
type fieldsOf map[string]string

type field struct {
	name  string
	empty value.Value // its value if no line has given it
	shape *shape
}

// newWorld returns the world of a stream before its first line.
func newWorld(p *program, f *file, shapes *shape) (*world, error) {
	w := &world{p: p, shapes: shapes, references: map[string]int{}, unreferenced: map[string]bool{}}
	for i, k := range f.objects {
		s := objectSet{kind: trace.ParseKind(k.name), name: k.name, required: f.required[k.name], present: slices.Contains(f.present, k.name), environment: slices.Contains(f.environment, k.name),
			current: map[string]fieldsOf{}, dangling: map[string]bool{}, changedIDs: map[string]bool{}, external: map[string]bool{}, deleted: map[string]bool{}, logged: map[string]fieldsOf{},
			stale: map[string]bool{}, previous: map[string]fieldsOf{}, records: value.Empty, ids: value.NoElements, recorded: value.Empty, kept: value.NoElements}
		as := shapes.field(objectsName).field(k.name)
		for j, d := range k.fields {
			v, err := p.run.Value(p.defaults[i][j], nil, value.False)
			if err != nil {
				return nil, err
			}
			s.fields = append(s.fields, field{d.name, v, as.field(d.name)})
		}
		w.kinds = append(w.kinds, s)
	}
	if err := w.refuse(nil); err != nil {
		return nil, err
	}
	err := w.renew()
	w.was = w.objects
	return w, err
}

// take applies an event. wrong is the reason why no module allows it.
func (w *world) take(ev *trace.Event) (wrong string) {
	s := w.objectsOf(ev)
	if s == nil {
		return ""
	}
	id := strings.Clone(ev.ID)
	is := s.current[id]
	name := strings.TrimSpace(s.name + " " + id)
	switch lacks := s.lacks(ev); {
	case lacks != "":
		wrong = name + ": " + lacks
	case s.external[id]:
	case ev.Op == trace.OpCreate && is != nil:
		wrong = name + ": create of what exists"
	case ev.Op == trace.OpUpdate && is == nil && !s.present:
		wrong = name + ": update of what does not exist"
	case ev.Op == trace.OpDelete && is == nil && !s.present:
		wrong = name + ": delete of what does not exist"
	case ev.Op == trace.OpDelete && s.present:
		wrong = name + ": delete of what always exists"
	}
	w.hasSnapshots = w.hasSnapshots || ev.Op == trace.OpSnapshot
	s.loggedChanged = true
	if s.logged[id] == nil {
		s.logged[id], s.previous[id] = fieldsOf{}, maps.Clone(is)
	}
	if ev.Op == trace.OpDelete {
		s.deleted[id] = true
	}
	w.apply(s, ev, id)
	return wrong
}

// objectsOf returns the objects of the event's kind; nil: the event changes nothing.
func (w *world) objectsOf(ev *trace.Event) *objectSet {
	i := slices.IndexFunc(w.kinds, func(s objectSet) bool { return s.kind == ev.Kind })
	if i < 0 || ev.Op == trace.OpReject {
		return nil
	}
	return &w.kinds[i]
}

// lacks is the reason why a create or snapshot does not give the whole object.
func (s *objectSet) lacks(ev *trace.Event) string {
	if len(s.required) == 0 || ev.Op != trace.OpCreate && ev.Op != trace.OpSnapshot {
		return ""
	}
	object := ev.Object()
	for _, field := range s.required {
		if !member(object, field).Exists() {
			return fmt.Sprintf("%s without the field %s, which required names", ev.Op, field)
		}
	}
	return ""
}

// apply applies the event to the object.
func (w *world) apply(s *objectSet, ev *trace.Event, id string) {
	s.changedIDs[id], s.stale[id] = true, true
	is := s.current[id]
	if is != nil && ev.Op != trace.OpUpdate {
		for _, raw := range is {
			w.countReferences(raw, -1)
		}
		is = nil
		delete(s.current, id)
	}
	if ev.Op == trace.OpDelete {
		return
	}
	if is == nil {
		is = fieldsOf{}
		s.current[id] = is
	}
	object := ev.Object()
	for _, f := range s.fields {
		got := member(object, f.name)
		if !got.Exists() {
			continue
		}
		w.countReferences(is[f.name], -1)
		is[f.name] = given(is[f.name], got)
		w.countReferences(is[f.name], +1)
		if of := s.logged[id]; of != nil {
			of[f.name] = is[f.name]
		}
	}
}

// recreates reports whether the step deletes the object of that id and creates it again.
// If objects of several kinds have the id, this must apply to each that the step changes.
func (w *world) recreates(id string) (is bool) {
	for i := range w.kinds {
		s := &w.kinds[i]
		if _, given := s.logged[id]; !given {
			continue
		}
		if is = s.recreates(id); !is {
			return false
		}
	}
	return is
}

func (s *objectSet) recreates(id string) bool {
	return s.deleted[id] && s.previous[id] != nil && s.current[id] != nil
}

// countReferences counts the fields with a text as their value.
func (w *world) countReferences(raw string, by int) {
	v := gjson.Parse(raw)
	if v.Type != gjson.String {
		return
	}
	if w.references[v.Str] += by; w.references[v.Str] == 0 {
		delete(w.references, v.Str)
		w.unreferenced[v.Str] = true
	}
}

// moveEnvironment creates and deletes the environment objects of the step before the step
// itself. It reports whether there are any.
func (w *world) moveEnvironment(step *trace.Step) (moved bool) {
	for i := range step.Events {
		ev := &step.Events[i]
		s := w.objectsOf(ev)
		if s == nil || !s.environment {
			continue
		}
		id := strings.Clone(ev.ID)
		is := s.current[id] != nil
		switch {
		case ev.Op == trace.OpCreate && !is, ev.Op == trace.OpDelete && is:
			w.apply(s, ev, id)
		case ev.Op == trace.OpUpdate && !is && !w.hasSnapshots:
			s.current[id], s.changedIDs[id], s.stale[id] = fieldsOf{}, true, true
		default:
			continue
		}
		s.external[id], moved = true, true
	}
	return moved
}

// given returns a field to which a line gives a value. Within the value, null removes; the
// field itself then is null, and not as before its first line.
func given(was string, patch gjson.Result) string { return cmp.Or(merge(was, patch), "null") }

// merge is a JSON merge patch (RFC 7396); "" is null.
func merge(was string, patch gjson.Result) string {
	if patch.Type == gjson.Null {
		return ""
	}
	if !patch.IsObject() {
		return strings.Clone(patch.Raw)
	}
	members := map[string]json.RawMessage{}
	if old := gjson.Parse(was); old.IsObject() {
		old.ForEach(func(k, v gjson.Result) bool {
			members[k.Str] = json.RawMessage(v.Raw)
			return true
		})
	}
	patch.ForEach(func(k, v gjson.Result) bool {
		key := strings.Clone(k.Str)
		if merged := merge(string(members[key]), v); merged != "" {
			members[key] = json.RawMessage(merged)
		} else {
			delete(members, key)
		}
		return true
	})
	text, err := json.Marshal(members)
	if err != nil {
		return "{}" // it was read as JSON
	}
	return string(text)
}

// begin discards the fields of the last step's lines.
func (w *world) begin() {
	for i := range w.kinds {
		s := &w.kinds[i]
		for id := range w.unreferenced {
			if s.dangling[id] {
				s.changedIDs[id] = true
			}
		}
		if len(s.logged) > 0 {
			for id := range s.logged {
				s.changedIDs[id] = true
			}
			clear(s.logged)
			clear(s.previous)
			clear(s.external)
			clear(s.deleted)
			s.loggedChanged = true
		}
	}
	clear(w.unreferenced)
}

// without calls do in a world where the step has no lines of the object. It is as it was
// before, or is not there.
func (w *world) without(kind trace.Kind, id string, there bool, do func() error) error {
	s := &w.kinds[slices.IndexFunc(w.kinds, func(s objectSet) bool { return s.kind == kind })]
	was, is, given := w.was, s.current[id], s.logged[id]
	var before fieldsOf
	if there {
		before = s.previous[id]
	}
	swap := func(to, given fieldsOf) error {
		if s.current[id] = to; to == nil {
			delete(s.current, id)
		}
		if s.logged[id] = given; given == nil {
			delete(s.logged, id)
		}
		s.stale[id], s.loggedChanged = true, true
		return w.renew()
	}
	err := swap(before, nil)
	if err == nil {
		err = do()
	}
	if back := swap(is, given); err == nil {
		err = back
	}
	w.was = was
	return err
}

// renew computes the values that have changed since the last call.
func (w *world) renew() error {
	return guarded(func() {
		w.renewShown()
		w.was = w.objects
		var all, lines, kept []value.Value
		for i := range w.kinds {
			s := &w.kinds[i]
			if len(s.stale) > few && len(s.stale) > len(s.current)/few {
				w.recordAll(s)
			} else {
				for id := range s.stale {
					w.record(s, id)
				}
			}
			clear(s.stale)
			if s.loggedChanged {
				var ids []string
				var vals, stay []value.Value
				for _, id := range slices.Sorted(maps.Keys(s.logged)) {
					ids, vals = append(ids, id), append(vals, w.fields(s, s.logged[id], false))
					if (s.previous[id] != nil || s.present) && s.current[id] != nil && !s.deleted[id] {
						stay = append(stay, w.p.json.space.String(id))
					}
				}
				s.recorded, s.kept, s.loggedChanged = w.byID(ids, vals), value.NewSet(stay), false
			}
			all, lines, kept = append(all, s.records), append(lines, s.recorded), append(kept, s.kept)
		}
		w.objects, w.line, w.kept = w.byKind(all), w.byKind(lines), w.byKind(kept)
	})
}

// renewShown computes shown only. It reports whether it has changed.
func (w *world) renewShown() (changed bool) {
	for i := range w.kinds {
		s := &w.kinds[i]
		if len(s.changedIDs) == 0 {
			continue
		}
		var come, left []value.Value
		for _, id := range slices.Sorted(maps.Keys(s.changedIDs)) {
			is := s.current[id] != nil || s.logged[id] != nil
			if !is && w.references[id] > 0 {
				s.dangling[id], is = true, true
			} else {
				delete(s.dangling, id)
			}
			if key := w.p.json.space.String(id); is == (s.ids.Index(key) >= 0) {
				continue
			} else if is {
				come = append(come, key)
			} else {
				left = append(left, key)
			}
		}
		clear(s.changedIDs)
		if len(come)+len(left) > 0 {
			changed = true
			s.ids = value.Enumerate(value.Combine(value.Union, value.Combine(value.Difference, s.ids, value.NewSet(left)), value.NewSet(come)))
		}
	}
	if changed || w.shown == nil {
		ids := make([]value.Value, len(w.kinds))
		for i := range w.kinds {
			ids[i] = w.kinds[i].ids
		}
		w.shown = w.byKind(ids)
	}
	return changed
}

// few is the number of changes up to which each is made separately.
const few = 8

// recordAll computes the records of all objects that have changed.
func (w *world) recordAll(s *objectSet) {
	ids := slices.Sorted(maps.Keys(s.current))
	vals := make([]value.Value, len(ids))
	for i, id := range ids {
		if !s.stale[id] {
			vals[i] = value.Apply(s.records, w.p.json.space.String(id))
		} else {
			vals[i] = w.fields(s, s.current[id], true)
		}
	}
	s.records = w.byID(ids, vals)
}

// record adds the object of that id to the records, or removes it.
func (w *world) record(s *objectSet, id string) {
	key := value.Value(w.p.json.space.String(id))
	if is, there := s.current[id]; there {
		s.records = value.Extended(s.records, key, w.fields(s, is, true))
	} else {
		s.records = value.Restricted(s.records, key)
	}
}

// fields returns the record of an object: with all fields, or with those that lines have.
func (w *world) fields(s *objectSet, of fieldsOf, all bool) value.Value {
	var names []*value.Str
	var vals []value.Value
	for _, f := range s.fields {
		raw, given := of[f.name]
		if !given && !all {
			continue
		}
		v := f.empty
		if raw != "" {
			v = w.p.json.valueOf(raw, f.shape)
		}
		names, vals = append(names, w.p.json.space.String(f.name)), append(vals, v)
	}
	return w.recordOf(names, vals)
}

func (w *world) byKind(vals []value.Value) value.Value {
	var names []*value.Str
	for i := range w.kinds {
		names = append(names, w.p.json.space.String(w.kinds[i].name))
	}
	return w.recordOf(names, vals)
}

// byID returns a function of ids. Its domain is not shared, unlike that of a record.
func (w *world) byID(ids []string, vals []value.Value) value.Value {
	keys := make([]value.Value, len(ids))
	for i, id := range ids {
		keys[i] = w.p.json.space.String(id)
	}
	return function(keys, vals)
}

// recordOf returns a record with these fields.
func (w *world) recordOf(names []*value.Str, vals []value.Value) value.Value {
	dom, at := w.p.json.space.Fields(names)
	list := make([]value.Value, dom.Len())
	for i, v := range vals {
		list[at[i]] = v
	}
	return value.NewFcn(dom, list)
}

// object returns an object as in a snapshot line.
func (of fieldsOf) object() []byte {
	members := map[string]json.RawMessage{}
	for name, raw := range of {
		members[name] = json.RawMessage(raw)
	}
	text, err := json.Marshal(members)
	if err != nil {
		return []byte("{}")
	}
	return text
}

// constantsOf returns the constants of a stream as the text of its header.
func constantsOf(constants map[string]string) string {
	var list []string
	for _, name := range slices.Sorted(maps.Keys(constants)) {
		list = append(list, fmt.Sprintf("%q:%s", name, constants[name]))
	}
	return "{" + strings.Join(list, ",") + "}"
}
