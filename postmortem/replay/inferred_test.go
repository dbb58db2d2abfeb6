package replay_test

import (
	"slices"
	"strings"
	"testing"

	"tracecheck/internal/kinds"
	"tracecheck/postmortem/replay"
	"tracecheck/trace"
)

const (
	a80 = `{"name":"a","protocol":"tcp","mode":"ingress","published_port":80}`
	a81 = `{"name":"a","protocol":"udp","mode":"ingress","published_port":81}`
	h82 = `{"name":"a","protocol":"tcp","mode":"host","published_port":82}`
)

// What a line logged of allocated follows the endpoints from there on.
func TestAllocated(t *testing.T) {
	for _, c := range []struct{ what, lines, want string }{
		{"an endpoint comes", `
a:1 {"kind":"allocator","op":"create","object":{"allocated":["tcp/9","tcp/5"]}}
a:2 {"kind":"endpoint","op":"create","id":"e","object":{"ports":[` + a80 + `,` + h82 + `,` + a81 + `]}}`,
			`["tcp/9","tcp/5","tcp/80","udp/81"]`},
		{"changes", `
a:1 {"kind":"endpoint","op":"create","id":"e","object":{"ports":[` + a80 + `]}}
a:2 {"kind":"allocator","op":"update","object":{"allocated":["tcp/9","tcp/80"]}}
a:3 {"kind":"endpoint","op":"update","id":"e","object":{"ports":[` + a81 + `]}}`,
			`["tcp/9","udp/81"]`},
		{"keeps its ports", `
a:1 {"kind":"endpoint","op":"create","id":"e","object":{"ports":[` + a80 + `]}}
a:2 {"kind":"allocator","op":"update","object":{"allocated":["tcp/80"]}}
a:3 {"kind":"endpoint","op":"update","id":"e","object":{"spec":[]}}`,
			`["tcp/80"]`},
		{"goes", `
a:1 {"kind":"endpoint","op":"create","id":"e","object":{"ports":[` + a80 + `]}}
a:2 {"kind":"allocator","op":"update","object":{"allocated":["tcp/9","tcp/80"]}}
a:3 {"kind":"endpoint","op":"delete","id":"e"}`,
			`["tcp/9"]`},
		{"hands its port over, in either order of the step's lines", `
a:1 {"kind":"endpoint","op":"create","id":"e","object":{"ports":[` + a80 + `]}}
a:2 {"kind":"allocator","op":"update","object":{"allocated":["tcp/80"]}}
a:3 {"tx":1,"kind":"endpoint","op":"create","id":"f","object":{"ports":[` + a80 + `]}}
a:4 {"tx":1,"kind":"endpoint","op":"delete","id":"e"}`,
			`["tcp/80"]`},
		{"a snapshot of an endpoint shows it again", `
a:1 {"kind":"endpoint","op":"snapshot","id":"e","object":{"ports":[` + a80 + `]}}
a:2 {"kind":"allocator","op":"snapshot","object":{"allocated":["tcp/80"]}}
a:3 {"kind":"endpoint","op":"create","id":"f","object":{"ports":[]}}
a:4 {"kind":"endpoint","op":"snapshot","id":"e","object":{"ports":[` + a81 + `]}}`,
			`["udp/81"]`},
		{"but what its own run of snapshots logs stays", `
a:1 {"kind":"allocator","op":"snapshot","object":{"allocated":["tcp/9"]}}
a:2 {"kind":"endpoint","op":"snapshot","id":"e","object":{"ports":[` + a80 + `]}}`,
			`["tcp/9"]`},
		{"what is no set of addresses follows nothing", `
a:1 {"kind":"allocator","op":"create","object":{"allocated":["tcp/9",7]}}
a:2 {"kind":"endpoint","op":"create","id":"e","object":{"ports":[` + a80 + `]}}`,
			`["tcp/9",7]`},
		{"nothing is logged", `
a:1 {"kind":"allocator","op":"create","object":{}}
a:2 {"kind":"endpoint","op":"create","id":"e","object":{"ports":[` + a80 + `]}}`,
			``},
		{"all is lost", `
a:1 {"seq":1,"kind":"endpoint","op":"snapshot","id":"e","object":{"ports":[` + a80 + `]}}
a:2 {"seq":2,"kind":"allocator","op":"snapshot","object":{"allocated":["tcp/80"]}}
a:3 {"seq":4,"kind":"endpoint","op":"update","id":"e","object":{"ports":[` + a81 + `]}}
a:4 {"seq":5,"kind":"allocator","op":"snapshot","object":{"allocated":["tcp/9"]}}
a:5 {"seq":6,"kind":"endpoint","op":"create","id":"f","object":{"ports":[` + a80 + `]}}
a:6 {"seq":7,"kind":"endpoint","op":"delete","id":"f"}`,
			`["tcp/9"]`},
	} {
		s := ended(t, c.lines)
		if got := s.Object(kinds.Allocator, "").Get("allocated"); got != c.want {
			t.Errorf("%s: allocated is %s, want %s", c.what, got, c.want)
		}
	}
}

// A copy of a stream goes on by itself.
func TestAllocatedOfClone(t *testing.T) {
	s := ended(t, `
a:1 {"kind":"endpoint","op":"create","id":"e","object":{"ports":[`+a80+`]}}
a:2 {"kind":"allocator","op":"update","object":{"allocated":["tcp/80"]}}`)
	c := s.Clone()
	for _, ev := range events(t, `
a:3 {"kind":"endpoint","op":"delete","id":"e"}`) {
		c.Apply(&ev)
	}
	for _, ev := range events(t, `
a:3 {"kind":"endpoint","op":"create","id":"f","object":{"ports":[`+a81+`]}}`) {
		s.Apply(&ev)
	}
	var got []string
	for _, d := range replay.Diff(s, c) {
		if d.Object().Kind == kinds.Allocator {
			got = append(got, d.Before.Get("allocated"), d.After.Get("allocated"))
		}
	}
	if want := []string{`["tcp/80","udp/81"]`, `[]`}; !slices.Equal(got, want) {
		t.Errorf("the stream and the copy have %q, want %q", got, want)
	}
}

// What a line logged of last_submitted follows the ranks from there on.
func TestLastSubmitted(t *testing.T) {
	const cluster = `
a:1 {"kind":"cluster","op":"create","object":{"complete":true,"last_submitted":3}}
`
	for _, c := range []struct{ what, lines, want string }{
		{"a request is created with a rank", cluster + `a:2 {"kind":"request","op":"create","id":"r","object":{"status":"submitted","rank":4}}`, "4"},
		{"gets one", cluster + `a:2 {"kind":"request","op":"update","id":"r","object":{"status":"submitted","rank":5}}`, "5"},
		{"has a smaller one", cluster + `a:2 {"kind":"request","op":"update","id":"r","object":{"status":"submitted","rank":2}}`, "3"},
		{"is shown with one", cluster + `a:2 {"kind":"request","op":"snapshot","id":"r","object":{"status":"submitted","rank":4}}`, "3"},
		{"none is logged", `
a:1 {"kind":"cluster","op":"create","object":{"complete":true}}
a:2 {"kind":"request","op":"create","id":"r","object":{"status":"submitted","rank":4}}`, ""},
	} {
		if got := ended(t, c.lines).Object(kinds.Cluster, "").Get("last_submitted"); got != c.want {
			t.Errorf("%s: last_submitted is %s, want %s", c.what, got, c.want)
		}
	}
}

// ended is the one stream of a trace, at its end.
func ended(t *testing.T, lines string) *replay.Stream {
	t.Helper()
	r := replay.New(replay.Options{OnGap: trace.ResyncOnGap})
	if err := r.Push(events(t, strings.TrimSpace(lines))); err != nil {
		t.Fatal(err)
	}
	if err := r.Finish(); err != nil {
		t.Fatal(err)
	}
	return r.Streams()[0]
}

// A syncer is known by its cluster and its namespace.
func TestSyncers(t *testing.T) {
	got, err := replayed(t, `
a:1 {"kind":"syncer","op":"update","id":"c","object":{"namespace":"n1","pvc_state":"Empty"}}
a:2 {"kind":"syncer","op":"update","id":"c","object":{"pvc_state":"Sync"}}
a:3 {"kind":"syncer","op":"update","id":"c","object":{"namespace":"n2","pvc_state":"Empty"}}
a:4 {"kind":"syncer","op":"update","id":"c","object":{"namespace":"n1","pvc_state":"nil"}}
`, "", replay.Options{})
	if want := `@a:4: c{"namespace":"n1","pvc_state":"nil"} c{"namespace":"n2","pvc_state":"Empty"}`; err != nil || got != want {
		t.Errorf("got %s, %v, want %s", got, err, want)
	}
}

// What Init has was there before its first line, an update; a creation makes it.
func TestDiffOfInit(t *testing.T) {
	s := ended(t, `
a:1 {"kind":"request","op":"update","id":"r","object":{"status":"submitted","rank":1}}
a:2 {"kind":"request","op":"update","id":"same","object":{"status":"waiting"}}
a:3 {"kind":"node","op":"create","id":"n","object":{"state":"up"}}`)
	var got []string
	for _, d := range replay.Diff(nil, s) {
		before := "nothing"
		if d.Before != nil {
			before = string(d.Before.JSON())
		}
		got = append(got, d.Object().ID+" "+before)
	}
	if want := []string{"n nothing", `r {"status":"waiting"}`}; !slices.Equal(got, want) {
		t.Errorf("the differences are %q, want %q", got, want)
	}
}

// The id of a singleton has no meaning: its lines are about one object, whatever they name.
func TestSingletonsIgnoreIDs(t *testing.T) {
	s := ended(t, `
a:1 {"kind":"cluster","op":"create","id":"c","object":{"complete":true,"last_submitted":0}}
a:2 {"kind":"request","op":"update","id":"r","object":{"rank":1}}
a:3 {"kind":"cluster","op":"update","id":"d","object":{"complete":false}}
a:4 {"kind":"allocator","op":"create","id":"a","object":{"allocated":["tcp/80"]}}
a:5 {"kind":"allocator","op":"delete","id":"b"}`)
	for _, id := range []string{"", "c", "d"} {
		if o := s.Object(kinds.Cluster, id); o == nil || string(o.JSON()) != `{"complete":false,"last_submitted":1}` {
			t.Errorf("cluster %q is %+v", id, o)
		}
	}
	if o := s.Object(kinds.Allocator, ""); o != nil {
		t.Errorf("the allocator is still there: %+v", o)
	}
}
