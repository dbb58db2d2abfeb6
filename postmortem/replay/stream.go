package replay

import (
	"maps"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"tracecheck/internal/kinds"
	"tracecheck/trace"
	"tracecheck/validators"
)

// Stream is the state of one stream so far. The zero value has no objects.
type Stream struct {
	Name string
	// Initially is the initial object of a kind, as JSON, for an update of an object that
	// no line has shown. The kinds of format 1 have built-in ones.
	Initially map[trace.Kind]string

	Meta   string    // its meta line as it is written; "" is none
	Last   trace.Pos // its last event
	Time   string    // the latest event time so far
	HasSeq bool      // an event had a seq
	Seq    int64     // the last one; meaningful if HasSeq
	Steps  int       // number of steps

	Possible int // for variables of a module: the number of possible states, of which this is one

	objects   map[key]*Object
	places    map[string]*place  // of syncers, by id
	gone      map[string]*Object // removed nodes, with their last state
	begun     bool               // it has had an event
	snapshots bool               // it began with snapshots, so not in a spec's Init
	lost      bool               // after a gap, Init no longer applies

	logsQueued bool // a line has logged a request's queued
	allocation allocation
}

type key struct {
	kind      trace.Kind
	id        string
	namespace string // of a syncer: a part of its identity
}

// Object returns the object if it exists, else nil. Of several syncers with the id, it returns
// the latest one.
func (s *Stream) Object(kind trace.Kind, id string) *Object {
	k := key{kind: kind, id: id}
	if kind.IsSingleton() {
		k.id = ""
	}
	switch {
	case kind == kinds.Allocator:
		s.settle()
	case kind == kinds.Syncer && s.places[id] != nil:
		k.namespace = s.places[id].last
	}
	return s.objects[k]
}

// ObjectOf is Object for the event's object: its line may tell which of several syncers it is.
func (s *Stream) ObjectOf(ev *trace.Event) *Object {
	if ev.Kind != kinds.Syncer {
		return s.Object(ev.Kind, ev.ID)
	}
	return s.objects[s.keyOf(ev)]
}

// order is the order of kinds in a snapshot: referenced objects come first.
var order = func() (place [trace.MaxKinds]int) {
	for i, k := range [...]trace.Kind{
		kinds.Node, kinds.Service, kinds.Task, kinds.Container, kinds.Endpoint, kinds.Allocator, kinds.Cluster, kinds.Request, kinds.Namespace, kinds.PVC, kinds.Syncer,
	} {
		place[k] = i
	}
	return place
}()

// Kinds returns all kinds in the order of reports: those of format 1 come first.
func Kinds() (list []trace.Kind) {
	list = []trace.Kind{
		kinds.Service, kinds.Task, kinds.Node, kinds.Container, kinds.Endpoint, kinds.Allocator, kinds.Request, kinds.Cluster, kinds.Namespace, kinds.PVC, kinds.Syncer,
	}
	for k := range trace.Kind(trace.MaxKinds) {
		if k.String() != "" && !slices.Contains(list, k) {
			list = append(list, k)
		}
	}
	return list
}

// Objects lists the live objects, by kind and id.
func (s *Stream) Objects() []*Object {
	s.settle()
	list := make([]*Object, 0, len(s.objects))
	for _, o := range s.objects {
		list = append(list, o)
	}
	slices.SortFunc(list, compare)
	return list
}

// Apply applies one event, in order, and keeps no reference to its bytes. It does not judge:
// an update of a missing object creates it, and a create of an existing one replaces it. If a
// line leaves out a field that a spec infers, Apply infers it, too.
func (s *Stream) Apply(ev *trace.Event) {
	s.note(ev)
	s.allocation.fixed = s.allocation.fixed && ev.Op == trace.OpSnapshot
	switch ev.Op {
	case trace.OpSnapshot:
		s.snapshots = s.snapshots || !s.begun
		s.put(ev, nil)
	case trace.OpCreate:
		s.put(ev, nil)
	case trace.OpUpdate:
		s.put(ev, s.objects[s.keyOf(ev)])
	case trace.OpDelete:
		s.drop(s.keyOf(ev))
	}
	s.begun = s.begun || ev.Kind != trace.KindMeta
}

func (s *Stream) drop(k key) {
	if o := s.objects[k]; o != nil && k.kind == kinds.Node {
		if s.gone == nil {
			s.gone = map[string]*Object{}
		}
		o.Fields = merge(o.Fields, gjson.Parse(`{"state":"down"}`))
		s.gone[o.ID] = o
	}
	s.forget(k)
	if h := s.places[k.id]; k.kind == kinds.Syncer && h != nil && s.objects[k] != nil {
		h.count--
	}
	delete(s.objects, k)
}

// forget removes the effects of an object that is deleted or shown again.
func (s *Stream) forget(k key) {
	if o := s.objects[k]; o != nil && k.kind == kinds.Endpoint {
		s.allocation.move(o.Get("ports"), "")
	}
}

// departed lists the removed nodes that an object still names.
func (s *Stream) departed() []*Object {
	var list []*Object
	named := map[string]bool{}
	for _, o := range s.objects {
		id := gjson.Parse(o.Get("node")).Str
		if node := s.gone[id]; node != nil && !named[id] {
			named[id] = true
			list = append(list, node)
		}
	}
	slices.SortFunc(list, compare)
	return list
}

// note records the stream's position.
func (s *Stream) note(ev *trace.Event) {
	if ev.Pos.File != s.Last.File {
		s.Last.File = strings.Clone(ev.Pos.File)
	}
	s.Last.Line = ev.Pos.Line
	if ev.HasSeq {
		s.HasSeq, s.Seq = true, ev.Seq
	}
	if ev.Time != "" {
		s.Time = strings.Clone(ev.Time)
	}
}

func (s *Stream) put(ev *trace.Event, o *Object) {
	if o == nil {
		k := s.keyOf(ev)
		k.id, k.namespace = strings.Clone(k.id), strings.Clone(k.namespace)
		o = &Object{Kind: ev.Kind, ID: k.id, Made: s.Last}
		if ev.Op == trace.OpUpdate {
			o.init = s.initial(ev.Kind)
			o.Fields = merge(nil, gjson.Parse(o.init))
		}
		if s.objects == nil {
			s.objects = map[key]*Object{}
		}
		s.forget(k)
		s.enter(k)
		s.objects[k] = o
		if o.Kind == kinds.Node {
			delete(s.gone, o.ID)
		}
	}
	o.Last, o.Time = s.Last, ""
	if ev.Time != "" {
		o.Time = s.Time
	}
	s.merge(o, ev)
}

// initial is what is known of an object of the kind that no line has shown, as JSON, "" if
// nothing is.
func (s *Stream) initial(kind trace.Kind) string {
	initial, known := initially[kind]
	always := alwaysThere[kind]
	if !known {
		initial, always = s.Initially[kind]
	}
	if s.lost || s.snapshots && !always {
		return ""
	}
	return initial
}

// Initial returns what Init has of the event's object, as JSON, else nil. No line before has
// shown the object. A node that a line creates did not exist.
func (s *Stream) Initial(ev *trace.Event) []byte {
	initial := s.initial(ev.Kind)
	if ev.Kind == kinds.Syncer && !s.lost { // put takes the order of its fields from the line
		initial = `{"pvc_state":"nil"}`
	}
	if initial == "" || ev.Op != trace.OpUpdate && (ev.Op != trace.OpCreate || !alwaysThere[ev.Kind]) {
		return nil
	}
	return []byte(initial)
}

// merge applies the event to the object, and infers the fields that lines may leave out.
func (s *Stream) merge(o *Object, ev *trace.Event) {
	status, rank, ports := o.status(), o.Get("rank"), o.Get("ports")
	o.Fields = merge(o.Fields, ev.Object())
	switch ev.Kind {
	case kinds.Request:
		s.settleQueued(o, ev, status)
		if ev.Op != trace.OpSnapshot && o.Get("rank") != rank {
			s.submit(o.Get("rank"))
		}
	case kinds.Endpoint:
		s.allocation.move(ports, o.Get("ports"))
	case kinds.Allocator:
		s.logAllocated(o, ev)
	}
}

// Infers reports whether Apply infers a field from objects of the kind, or sets one in them.
func Infers(kind trace.Kind) bool {
	return kind == kinds.Request || kind == kinds.Cluster || kind == kinds.Endpoint || kind == kinds.Allocator
}

// submit updates UpdateCluster's last_submitted, once a line has logged it. It is the largest
// rank so far.
func (s *Stream) submit(rank string) {
	const last = "last_submitted"
	if c := s.objects[key{kind: kinds.Cluster}]; c != nil && c.Get(last) != "" && gjson.Parse(rank).Int() > gjson.Parse(c.Get(last)).Int() {
		c.set(last, rank)
	}
}

// initially has the objects that exist in Init, in a stream without snapshots. "" means an
// object without fields.
var initially = map[trace.Kind]string{
	kinds.Node: `{"state":"up"}`, kinds.Request: `{"status":"waiting"}`, kinds.Cluster: `{"complete":true}`,
	kinds.Namespace: `{"clusters":{}}`, kinds.PVC: `{"clusters":{}}`,
	kinds.Service: "", kinds.Task: "", kinds.Container: "", kinds.Endpoint: "", kinds.Allocator: "", kinds.Syncer: "",
}

// alwaysThere are the kinds for which this also holds in a stream with snapshots.
var alwaysThere = map[trace.Kind]bool{
	kinds.Request: true, kinds.Cluster: true, kinds.Namespace: true, kinds.PVC: true, kinds.Syncer: true,
}

// Lost forgets all objects, as after a gap.
func (s *Stream) Lost(*trace.Error) {
	s.objects, s.places, s.gone, s.lost, s.allocation = nil, nil, nil, true, allocation{}
}

// Initially returns the initial objects of the specs' kinds, as JSON.
func Initially(all []*validators.Spec) map[trace.Kind]string {
	known := map[trace.Kind]string{}
	for _, spec := range all {
		maps.Copy(known, spec.Initially())
	}
	return known
}
