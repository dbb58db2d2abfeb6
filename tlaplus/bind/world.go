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
}

// shelf is the objects of a kind.
type shelf struct {
	kind     trace.Kind
	name     string
	present  bool // each is there from the start
	fields   []field
	all      map[string]fieldsOf // by id: what lines have given
	seen     map[string]bool     // the ids that the stream has shown
	given    map[string]fieldsOf // by id: what the lines of the step give
	former   map[string]fieldsOf // by id, as all: before the step, of what its lines are about
	stale    map[string]bool     // the ids whose record is to be made anew
	records  value.Value         // id, then field
	ids      value.Value
	growing  bool // seen has more than ids
	touched  bool // given has changed
	recorded value.Value
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
	w := &world{p: p, shapes: shapes}
	for i, k := range f.objects {
		s := shelf{kind: trace.ParseKind(k.name), name: k.name, present: slices.Contains(f.present, k.name),
			all: map[string]fieldsOf{}, seen: map[string]bool{}, given: map[string]fieldsOf{}, stale: map[string]bool{}, former: map[string]fieldsOf{},
			records: value.Empty, ids: value.NoElements, recorded: value.Empty}
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
	return w, w.renew()
}

// take applies an event. wrong says why it cannot be a step of any module.
func (w *world) take(ev *trace.Event) (wrong string) {
	i := slices.IndexFunc(w.kinds, func(s shelf) bool { return s.kind == ev.Kind })
	if i < 0 || ev.Op == trace.OpReject {
		return ""
	}
	s := &w.kinds[i]
	id := strings.Clone(ev.ID)
	is := s.all[id]
	name := strings.TrimSpace(s.name + " " + id)
	switch {
	case ev.Op == trace.OpCreate && is != nil:
		wrong = name + ": create of what exists"
	case ev.Op == trace.OpUpdate && is == nil && !s.present:
		wrong = name + ": update of what does not exist"
	case ev.Op == trace.OpDelete && is == nil && !s.present:
		wrong = name + ": delete of what does not exist"
	case ev.Op == trace.OpDelete && s.present:
		wrong = name + ": delete of what is always there"
	}
	if !s.seen[id] {
		s.seen[id], s.growing = true, true
	}
	s.stale[id], s.touched = true, true
	if s.given[id] == nil {
		s.given[id], s.former[id] = fieldsOf{}, maps.Clone(is)
	}
	if ev.Op == trace.OpDelete {
		delete(s.all, id)
		return wrong
	}
	if is == nil || ev.Op == trace.OpCreate || ev.Op == trace.OpSnapshot {
		is = fieldsOf{}
		s.all[id] = is
	}
	object := ev.Object()
	for _, f := range s.fields {
		got := member(object, f.name)
		if !got.Exists() {
			continue
		}
		if merged := merge(is[f.name], got); merged != "" {
			is[f.name] = merged
		} else {
			delete(is, f.name)
		}
		s.given[id][f.name] = is[f.name]
	}
	return wrong
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
		if s := &w.kinds[i]; len(s.given) > 0 {
			clear(s.given)
			clear(s.former)
			s.touched = true
		}
	}
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
		var all, lines []value.Value
		for i := range w.kinds {
			s := &w.kinds[i]
			for id := range s.stale {
				w.record(s, id)
			}
			clear(s.stale)
			if s.touched {
				var ids []string
				var vals []value.Value
				for _, id := range slices.Sorted(maps.Keys(s.given)) {
					ids, vals = append(ids, id), append(vals, w.fields(s, s.given[id], false))
				}
				s.recorded, s.touched = w.byID(ids, vals), false
			}
			all, lines = append(all, s.records), append(lines, s.recorded)
		}
		w.objects, w.line = w.byKind(all), w.byKind(lines)
	})
}

// renewShown makes shown alone. It reports whether there are new ids.
func (w *world) renewShown() (grew bool) {
	var ids []value.Value
	for i := range w.kinds {
		s := &w.kinds[i]
		if s.growing {
			var list []value.Value
			for _, id := range slices.Sorted(maps.Keys(s.seen)) {
				list = append(list, w.p.json.space.String(id))
			}
			s.ids, s.growing, grew = value.NewSet(list), false, true
		}
		ids = append(ids, s.ids)
	}
	if grew || w.shown == nil {
		w.shown = w.byKind(ids)
	}
	return grew
}

// record puts the object of that id among the records, or takes it out.
func (w *world) record(s *shelf, id string) {
	key := value.Value(w.p.json.space.String(id))
	is, there := s.all[id]
	dom := value.Enumerate(value.Domain(s.records))
	at := dom.Index(key)
	switch {
	case there && at >= 0:
		s.records = value.With(s.records, key, func(value.Value) value.Value { return w.fields(s, is, true) })
	case there:
		s.records = extended(s.records, dom, key, w.fields(s, is, true))
	case at >= 0:
		s.records = restricted(s.records, dom, at)
	}
}

// extended is the function with one more argument.
func extended(f value.Value, dom *value.Set, key, v value.Value) value.Value {
	all := value.NewSet(append(slices.Clone(dom.Elems), key))
	vals := make([]value.Value, len(all.Elems))
	for i, k := range all.Elems {
		if vals[i] = v; dom.Index(k) >= 0 {
			vals[i] = value.Apply(f, k)
		}
	}
	return value.NewFcn(all, vals)
}

// restricted is the function without the argument at that place of its domain.
func restricted(f value.Value, dom *value.Set, at int) value.Value {
	keys := slices.Delete(slices.Clone(dom.Elems), at, at+1)
	var vals []value.Value
	for _, k := range keys {
		vals = append(vals, value.Apply(f, k))
	}
	return value.NewFcn(value.NewSet(keys), vals)
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
			v = w.p.json.value(gjson.Parse(raw), f.shape)
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
