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

// Stream is what one stream has shown so far. Its zero value has shown nothing.
type Stream struct {
	Name string
	// Initially is the object that no line has shown, as JSON: an update of such a one
	// begins with it. Of the kinds of format 1 more is known.
	Initially map[trace.Kind]string

	Meta   string    // its meta line as it is written; "" is none
	Last   trace.Pos // its last event
	Time   string    // the last event's time, where it has one, else that of the last that had
	HasSeq bool      // some event had a seq
	Seq    int64     // the last one; meaningful if HasSeq
	Steps  int       // how many there were

	Possible int // of a module's variables: in how many states the stream can be, of which this is one

	objects   map[key]*Object
	places    map[string]*place  // of syncers, by id
	gone      map[string]*Object // nodes that were there, as they were last
	snapshots bool               // it has had some: it does not begin in a spec's Init
	lost      bool               // nothing of Init is known any more

	logsQueued bool // some line has given a request's queued
	allocation allocation
}

type key struct {
	kind      trace.Kind
	id        string
	namespace string // of a syncer, which is known by it, too
}

// Object returns the object if it exists, else nil; of several syncers of the id
// the one that came last.
func (s *Stream) Object(kind trace.Kind, id string) *Object {
	k := key{kind: kind, id: id}
	switch {
	case kind == kinds.Allocator:
		s.settle()
	case kind == kinds.Syncer && s.places[id] != nil:
		k.namespace = s.places[id].last
	}
	return s.objects[k]
}

// order is that of kinds in a snapshot: what others refer to comes first.
var order = func() (place [trace.MaxKinds]int) {
	for i, k := range [...]trace.Kind{
		kinds.Node, kinds.Service, kinds.Task, kinds.Container, kinds.Endpoint, kinds.Allocator, kinds.Cluster, kinds.Request, kinds.Namespace, kinds.PVC, kinds.Syncer,
	} {
		place[k] = i
	}
	return place
}()

// Kinds are all kinds in the order of reports: those of format 1 first.
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

// Apply takes one event, in order, and keeps nothing of its bytes. It asks for
// no more than the event says: an update of an object that does not exist
// creates it, and a create of one that exists replaces it. Fields that a spec infers where a line
// leaves them out are what follows from the event.
func (s *Stream) Apply(ev *trace.Event) {
	s.note(ev)
	s.allocation.fixed = s.allocation.fixed && ev.Op == trace.OpSnapshot
	switch ev.Op {
	case trace.OpSnapshot:
		s.snapshots = true
		s.put(ev, nil)
	case trace.OpCreate:
		s.put(ev, nil)
	case trace.OpUpdate:
		s.put(ev, s.objects[s.keyOf(ev)])
	case trace.OpDelete:
		s.drop(s.keyOf(ev))
	}
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

// forget takes back what the object has, which goes or is shown again.
func (s *Stream) forget(k key) {
	if o := s.objects[k]; o != nil && k.kind == kinds.Endpoint {
		s.allocation.move(o.Get("ports"), "")
	}
}

// departed lists the nodes that are gone, but that some object still names.
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

// note remembers how far the stream has come.
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
		o = &Object{Kind: ev.Kind, ID: strings.Clone(ev.ID), Made: s.Last}
		initial, known := initially[ev.Kind]
		always := alwaysThere[ev.Kind]
		if !known {
			initial, always = s.Initially[ev.Kind]
		}
		if ev.Op == trace.OpUpdate && !s.lost && (!s.snapshots || always) {
			o.Fields = merge(nil, gjson.Parse(initial))
		}
		if s.objects == nil {
			s.objects = map[key]*Object{}
		}
		k := s.keyOf(ev)
		k.id, k.namespace = o.ID, strings.Clone(k.namespace)
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

// merge applies the event to the object, and infers what the stream no longer
// says of itself since.
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

// submit follows UpdateCluster's last_submitted, where a line has logged it: it
// is the largest rank so far.
func (s *Stream) submit(rank string) {
	const last = "last_submitted"
	if c := s.objects[key{kind: kinds.Cluster}]; c != nil && c.Get(last) != "" && gjson.Parse(rank).Int() > gjson.Parse(c.Get(last)).Int() {
		c.set(last, rank)
	}
}

// initially creates what exists in Init, in a stream without snapshots, before any
// line shows it: "" has no field.
var initially = map[trace.Kind]string{
	kinds.Node: `{"state":"up"}`, kinds.Request: `{"status":"waiting"}`, kinds.Cluster: `{"complete":true}`,
	kinds.Service: "", kinds.Task: "", kinds.Container: "", kinds.Endpoint: "", kinds.Allocator: "", kinds.Namespace: "", kinds.PVC: "", kinds.Syncer: "",
}

// alwaysThere are the kinds of which that is so in a stream with snapshots, too.
var alwaysThere = map[trace.Kind]bool{kinds.Request: true, kinds.Cluster: true}

// Lost forgets all objects, as after a gap.
func (s *Stream) Lost(*trace.Error) {
	s.objects, s.places, s.gone, s.lost, s.allocation = nil, nil, nil, true, allocation{}
}

// Initially is what is known of objects of the specs' kinds before a line shows them.
func Initially(all []*validators.Spec) map[trace.Kind]string {
	known := map[trace.Kind]string{}
	for _, spec := range all {
		maps.Copy(known, spec.Initially())
	}
	return known
}
