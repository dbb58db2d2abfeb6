package object

import (
	"bytes"
	"encoding/json"
	"reflect"
	"testing"

	"github.com/moby/swarmkit/v2/api"

	"tracecheck/ingest/swarm/swarmtest"
	"tracecheck/ingest/swarm/wire"
	"tracecheck/trace"
)

// FuzzObjects: whatever a manager states of an object, its line is an event or is
// refused, and what changed leads from one to the other.
func FuzzObjects(f *testing.F) {
	add := func(kind byte, before, after interface{ Marshal() ([]byte, error) }) {
		a, err := before.Marshal()
		if err != nil {
			f.Fatal(err)
		}
		b, err := after.Marshal()
		if err != nil {
			f.Fatal(err)
		}
		f.Add(kind, a, b)
	}
	labelled := swarmtest.Node("n", api.NodeStatus_DOWN)
	labelled.Spec.Annotations.Labels = map[string]string{"zone": "a", "\xff": "b"}
	ports := swarmtest.Service("s", 3)
	ports.Endpoint = &api.Endpoint{Ports: []*api.PortConfig{{Name: "dns", TargetPort: 53, PublishedPort: 5353}}}
	ports.Spec.Task.Placement = &api.Placement{Constraints: []string{"node.labels.z==1"}}
	add(0, swarmtest.Node("n", api.NodeStatus_READY), labelled)
	add(1, swarmtest.Service("s", 1<<63), ports)
	add(2, swarmtest.Task("t", "s", 1, api.TaskStateNew), swarmtest.Task("t\xff", "", 0, api.TaskState(-7)))
	f.Fuzz(func(t *testing.T, kind byte, before, after []byte) {
		was, is := fieldsOf(kind, before), fieldsOf(kind, after)
		for _, fields := range append(was, is...) {
			var e Encoder
			var b bytes.Buffer
			err := e.Encode(&b, map[string]any{"kind": "task", "op": "create", "id": "x", "object": fields})
			if _, refused := err.(*trace.Error); err != nil && !refused || !json.Valid(b.Bytes()) {
				t.Errorf("%+v: %v, as %q", fields, err, &b)
			}
		}
		for i := range min(len(was), len(is)) {
			from, to, patch := decoded(t, was[i]), decoded(t, is[i]), decoded(t, is[i].Since(was[i]))
			if from == nil || to == nil || patch == nil {
				continue
			}
			if merge(from, patch); !reflect.DeepEqual(from, to) {
				t.Errorf("%+v and what changed is %v, want %+v", was[i], from, is[i])
			}
		}
	})
}

// fieldsOf are an object's fields and, of a service, its endpoint's.
func fieldsOf(kind byte, data []byte) []Fields {
	switch kind % 3 {
	case 0:
		var n wire.Node
		if wire.Decode(data, &n) == nil {
			return []Fields{Node(&n)}
		}
	case 1:
		var s wire.Service
		if wire.Decode(data, &s) == nil {
			return []Fields{Service(&s), Endpoint(&s)}
		}
	default:
		var o wire.Task
		if wire.Decode(data, &o) == nil {
			return []Fields{Task(&o, Jobs{o.ServiceID: o.Slot%2 == 0})}
		}
	}
	return nil
}

// decoded is what a reader has of the fields, nil where names are no text: two
// keys of a map may then be one.
func decoded(t *testing.T, f Fields) (m map[string]any) {
	t.Helper()
	text, err := json.Marshal(f)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(text, []byte(`\ufffd`)) {
		return nil
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&m); err != nil {
		t.Fatal(err)
	}
	return m
}

// merge is RFC 7396.
func merge(into, patch map[string]any) {
	for key, value := range patch {
		deeper, is := value.(map[string]any)
		was, had := into[key].(map[string]any)
		switch {
		case value == nil:
			delete(into, key)
		case is && had:
			merge(was, deeper)
		default:
			into[key] = value
		}
	}
}
