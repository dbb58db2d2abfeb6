package bind

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"tracecheck/tlaplus/value"
	"tracecheck/trace"
)

// world is the objects that the lines of a stream have shown, as JSON and as values.
type world struct {
	p      *program
	shapes *shape // of the fields
	kinds  []shelf

	objects value.Value // kind, then id, then field
	was     value.Value // the same, before the step
	shown   value.Value // kind, then the ids
	line    value.Value // as objects: what the lines of the step at hand give
	refused value.Value // as objects: what the line gives that is refused; empty: none is
	kept    value.Value // kind, then the ids of objects that these lines say to be there throughout

	batched bool // the steps are

	named map[string]int  // by text: how many fields of objects are it
	loose map[string]bool // texts that no field is any more
	snaps bool            // snapshots have shown the existing objects
}

// shelf is the objects of a kind.
type shelf struct {
	kind     trace.Kind
	name     string
	present  bool // each is there from the start
	outside  bool // they come and go without a step of the module
	fields   []field
	all      map[string]fieldsOf // by id: what lines have given
	gone     map[string]bool     // ids of deleted objects that fields of others have
	asked    map[string]bool     // ids that may have come to ids, or left it
	ended    map[string]bool     // ids of objects that lines of the step delete
	moved    map[string]bool     // ids of objects that come or go with the step, without being part of it
	given    map[string]fieldsOf // by id: what the lines of the step give
	former   map[string]fieldsOf // by id, as all: before the step, of what its lines are about
	stale    map[string]bool     // the ids whose record is out of date
	records  value.Value         // id, then field
	ids      *value.Set
	touched  bool // given has changed
	recorded value.Value
	kept     value.Value
}

// fieldsOf are values of fields, as JSON.
type fieldsOf map[string]string

type field struct {
	name  string
	empty value.Value // where no line has given it
	shape *shape
}

// newWorld is that of a stream which has shown nothing.
func newWorld(p *program, f *file, shapes *shape) (*world, error) {
	w := &world{p: p, shapes: shapes, named: map[string]int{}, loose: map[string]bool{}}
	for i, k := range f.objects {
		s := shelf{kind: trace.ParseKind(k.name), name: k.name, present: slices.Contains(f.present, k.name), outside: slices.Contains(f.outside, k.name),
			all: map[string]fieldsOf{}, gone: map[string]bool{}, asked: map[string]bool{}, moved: map[string]bool{}, ended: map[string]bool{}, given: map[string]fieldsOf{},
			stale: map[string]bool{}, former: map[string]fieldsOf{}, records: value.Empty, ids: value.NoElements, recorded: value.Empty, kept: value.NoElements}
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

// take applies an event. wrong is why it cannot be a step of any module.
func (w *world) take(ev *trace.Event) (wrong string) {
	s := w.shelf(ev)
	if s == nil {
		return ""
	}
	id := strings.Clone(ev.ID)
	is := s.all[id]
	name := strings.TrimSpace(s.name + " " + id)
	switch {
	case s.moved[id]:
	case ev.Op == trace.OpCreate && is != nil:
		wrong = name + ": create of what exists"
	case ev.Op == trace.OpUpdate && is == nil && !s.present:
		wrong = name + ": update of what does not exist"
	case ev.Op == trace.OpDelete && is == nil && !s.present:
		wrong = name + ": delete of what does not exist"
	case ev.Op == trace.OpDelete && s.present:
		wrong = name + ": delete of what is always there"
	}
	w.snaps = w.snaps || ev.Op == trace.OpSnapshot
	s.touched = true
	if s.given[id] == nil {
		s.given[id], s.former[id] = fieldsOf{}, maps.Clone(is)
	}
	if ev.Op == trace.OpDelete {
		s.ended[id] = true
	}
	w.apply(s, ev, id)
	return wrong
}

// shelf is that of the event's kind; nil: the event changes nothing.
func (w *world) shelf(ev *trace.Event) *shelf {
	i := slices.IndexFunc(w.kinds, func(s shelf) bool { return s.kind == ev.Kind })
	if i < 0 || ev.Op == trace.OpReject {
		return nil
	}
	return &w.kinds[i]
}

// apply applies the event to the object.
func (w *world) apply(s *shelf, ev *trace.Event, id string) {
	s.asked[id], s.stale[id] = true, true
	is := s.all[id]
	if is != nil && ev.Op != trace.OpUpdate {
		for _, raw := range is {
			w.name(raw, -1)
		}
		is = nil
		delete(s.all, id)
	}
	if ev.Op == trace.OpDelete {
		return
	}
	if is == nil {
		is = fieldsOf{}
		s.all[id] = is
	}
	object := ev.Object()
	for _, f := range s.fields {
		got := member(object, f.name)
		if !got.Exists() {
			continue
		}
		w.name(is[f.name], -1)
		if merged := merge(is[f.name], got); merged != "" {
			is[f.name] = merged
		} else {
			delete(is, f.name)
		}
		w.name(is[f.name], +1)
		if given := s.given[id]; given != nil {
			given[f.name] = is[f.name]
		}
	}
}

// recreates reports whether the lines of the step delete the object of that id and create
// it. Where objects of several kinds have the id, they do so with all that they are about.
func (w *world) recreates(id string) (is bool) {
	for i := range w.kinds {
		s := &w.kinds[i]
		if _, given := s.given[id]; !given {
			continue
		}
		if is = s.ended[id] && s.former[id] != nil && s.all[id] != nil; !is {
			return false
		}
	}
	return is
}

// name counts the fields that are a text.
func (w *world) name(raw string, by int) {
	v := gjson.Parse(raw)
	if v.Type != gjson.String {
		return
	}
	if w.named[v.Str] += by; w.named[v.Str] == 0 {
		delete(w.named, v.Str)
		w.loose[v.Str] = true
	}
}

// arrange has the objects that come and go without a step of the module be there, or
// not, before the step. It reports whether there are some.
func (w *world) arrange(step *trace.Step) (moved bool) {
	for i := range step.Events {
		ev := &step.Events[i]
		s := w.shelf(ev)
		if s == nil || !s.outside {
			continue
		}
		id := strings.Clone(ev.ID)
		is := s.all[id] != nil
		switch {
		case ev.Op == trace.OpCreate && !is, ev.Op == trace.OpDelete && is:
			w.apply(s, ev, id)
		case ev.Op == trace.OpUpdate && !is && !w.snaps:
			s.all[id], s.asked[id], s.stale[id] = fieldsOf{}, true, true
		default:
			continue
		}
		s.moved[id], moved = true, true
	}
	return moved
}

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

// begin forgets what the lines of the last step gave.
func (w *world) begin() {
	for i := range w.kinds {
		s := &w.kinds[i]
		for id := range w.loose {
			if s.gone[id] {
				s.asked[id] = true
			}
		}
		if len(s.given) > 0 {
			for id := range s.given {
				s.asked[id] = true
			}
			clear(s.given)
			clear(s.former)
			clear(s.moved)
			clear(s.ended)
			s.touched = true
		}
	}
	clear(w.loose)
}

// without does something in a world where the step has left an object as it was, and
// its lines say nothing of it.
func (w *world) without(kind trace.Kind, id string, do func() error) error {
	s := &w.kinds[slices.IndexFunc(w.kinds, func(s shelf) bool { return s.kind == kind })]
	was, is, given := w.was, s.all[id], s.given[id]
	swap := func(to, given fieldsOf) error {
		if s.all[id] = to; to == nil {
			delete(s.all, id)
		}
		if s.given[id] = given; given == nil {
			delete(s.given, id)
		}
		s.stale[id], s.touched = true, true
		return w.renew()
	}
	err := swap(s.former[id], nil)
	if err == nil {
		err = do()
	}
	if back := swap(is, given); err == nil {
		err = back
	}
	w.was = was
	return err
}

// renew makes the values that have changed since it was last called.
func (w *world) renew() error {
	return guarded(func() {
		w.renewShown()
		w.was = w.objects
		var all, lines, kept []value.Value
		for i := range w.kinds {
			s := &w.kinds[i]
			if len(s.stale) > few && len(s.stale) > len(s.all)/few {
				w.recordAll(s)
			} else {
				for id := range s.stale {
					w.record(s, id)
				}
			}
			clear(s.stale)
			if s.touched {
				var ids []string
				var vals, stay []value.Value
				for _, id := range slices.Sorted(maps.Keys(s.given)) {
					ids, vals = append(ids, id), append(vals, w.fields(s, s.given[id], false))
					if (s.former[id] != nil || s.present) && s.all[id] != nil && !s.ended[id] {
						stay = append(stay, w.p.json.space.String(id))
					}
				}
				s.recorded, s.kept, s.touched = w.byID(ids, vals), value.NewSet(stay), false
			}
			all, lines, kept = append(all, s.records), append(lines, s.recorded), append(kept, s.kept)
		}
		w.objects, w.line, w.kept = w.byKind(all), w.byKind(lines), w.byKind(kept)
	})
}

// renewShown makes shown alone. It reports whether it has changed.
func (w *world) renewShown() (changed bool) {
	for i := range w.kinds {
		s := &w.kinds[i]
		if len(s.asked) == 0 {
			continue
		}
		var come, left []value.Value
		for _, id := range slices.Sorted(maps.Keys(s.asked)) {
			is := s.all[id] != nil || s.given[id] != nil
			if !is && w.named[id] > 0 {
				s.gone[id], is = true, true
			} else {
				delete(s.gone, id)
			}
			if key := w.p.json.space.String(id); is == (s.ids.Index(key) >= 0) {
				continue
			} else if is {
				come = append(come, key)
			} else {
				left = append(left, key)
			}
		}
		clear(s.asked)
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

// few is how many changes are made one by one.
const few = 8

// recordAll makes the records of all objects, as far as they have changed.
func (w *world) recordAll(s *shelf) {
	ids := slices.Sorted(maps.Keys(s.all))
	vals := make([]value.Value, len(ids))
	for i, id := range ids {
		if !s.stale[id] {
			vals[i] = value.Apply(s.records, w.p.json.space.String(id))
		} else {
			vals[i] = w.fields(s, s.all[id], true)
		}
	}
	s.records = w.byID(ids, vals)
}

// record puts the object of that id among the records, or takes it out.
func (w *world) record(s *shelf, id string) {
	key := value.Value(w.p.json.space.String(id))
	if is, there := s.all[id]; there {
		s.records = value.Extended(s.records, key, w.fields(s, is, true))
	} else {
		s.records = value.Restricted(s.records, key)
	}
}

// fields is the record of an object: with all fields, or with those that are given.
func (w *world) fields(s *shelf, of fieldsOf, all bool) value.Value {
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

// byID is a function of ids. Its domain is not kept, as that of a record is.
func (w *world) byID(ids []string, vals []value.Value) value.Value {
	keys := make([]value.Value, len(ids))
	for i, id := range ids {
		keys[i] = w.p.json.space.String(id)
	}
	return function(keys, vals)
}

// recordOf is a record with these fields.
func (w *world) recordOf(names []*value.Str, vals []value.Value) value.Value {
	dom, at := w.p.json.space.Fields(names)
	list := make([]value.Value, len(dom.Elems))
	for i, v := range vals {
		list[at[i]] = v
	}
	return value.NewFcn(dom, list)
}

// object is an object as a snapshot line shows it.
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

// constantsOf are the constants of a stream as the text of its header.
func constantsOf(constants map[string]string) string {
	var list []string
	for _, name := range slices.Sorted(maps.Keys(constants)) {
		list = append(list, fmt.Sprintf("%q:%s", name, constants[name]))
	}
	return "{" + strings.Join(list, ",") + "}"
}
