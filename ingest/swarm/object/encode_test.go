package object

import (
	"bytes"
	"testing"

	"github.com/moby/swarmkit/v2/api"

	"tracecheck/ingest/swarm/swarmtest"
	"tracecheck/ingest/swarm/wire"
)

// A name that is not text makes a line that is refused; other texts may be none,
// and the character U+FFFD itself is one like any other.
func TestEncode(t *testing.T) {
	task := func(change func(*api.Task)) Fields {
		one := swarmtest.Task("t", "s", 1, api.TaskStateNew)
		change(one)
		return Task(swarmtest.Sent(t, one).(*wire.Task), nil)
	}
	var e Encoder
	port := []*wire.PortConfig{{Name: "a\xff"}}
	for _, c := range []struct {
		id     string
		fields Fields
		what   string // "" is no error
		has    string
	}{
		{"t\uFFFD", task(func(t *api.Task) {}), "", "\"id\":\"t\uFFFD\""},
		{`t\ufffd`, task(func(t *api.Task) {}), "", `"id":"t\\ufffd"`},
		{"t", task(func(t *api.Task) { t.Status.Err = "<\xff>" }), "", `"err":"<\udfff>"`},
		{"t\xff", task(func(t *api.Task) {}), "id is not valid UTF-8", `"id":"t\udfff"`},
		{"t", task(func(t *api.Task) { t.NodeID = "n\xed\xa0\x80" }), "object.node is not valid UTF-8", `"node":"n\udfff\udfff\udfff"`},
		{"t", task(func(t *api.Task) { t.ServiceID = `\` + "\xff" }), "object.service is not valid UTF-8", `"service":"\\\udfff"`},
		{"s", Endpoint(&wire.Service{Endpoint: &wire.Endpoint{Ports: port}}), "object.ports is not valid UTF-8", `"name":"a\udfff/0"`},
		{"", task(func(t *api.Task) {}), `the task line has no "id"`, `"id":""`},
		{"n", Node(&wire.Node{Spec: wire.NodeSpec{Annotations: wire.Annotations{Labels: map[string]string{"\xff": "x"}}}}), "", `"labels":{"\udfff":"x"}`},
	} {
		b := bytes.NewBufferString("before\n")
		err := e.Encode(b, map[string]any{"kind": "task", "op": "create", "id": c.id, "object": c.fields})
		if c.what == "" && err != nil || c.what != "" && (err == nil || err.Error() != c.what) {
			t.Errorf("%q: got error %v, want %q", c.id, err, c.what)
		}
		if !bytes.Contains(b.Bytes(), []byte(c.has)) || !bytes.HasPrefix(b.Bytes(), []byte("before\n{")) || !bytes.HasSuffix(b.Bytes(), []byte("}\n")) {
			t.Errorf("%q: got %q, want one with %s", c.id, b, c.has)
		}
	}
}
