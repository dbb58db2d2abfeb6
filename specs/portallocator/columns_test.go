package portallocator

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"tracecheck/trace"
	"tracecheck/validators"
)

// FuzzPorts: arrays that plainPorts reads, it reads as anyPorts. So it is where they are packed.
func FuzzPorts(f *testing.F) {
	for _, arrays := range [][2]string{
		{`[]`, `[]`},
		{`[{"name":"http","protocol":"tcp","mode":"ingress","published_port":0},{"mode":"host","name":"","protocol":"udp","published_port":65535}]`,
			`[{"name":"http","protocol":"tcp","mode":"ingress","published_port":30000},{"mode":"host","name":"","protocol":"udp","published_port":65535}]`},
		{`[{"name":"a","name":"b","protocol":"none","mode":"host","mode":"ingress","published_port":999999999}]`, `[]`},
		{`[{"published_port":1}]`, `[{"published_port":2,"published_port":3}]`},
		{`[{"published_port":1,"mode":"host"}]`, `[{"published_port":1,"mode":"ingress"}]`},
		{`[{"published_port":1,"published_port":2}]`, `[{"published_port":1,"published_port":3}]`},
		{`[{"published_port":99999999}]`, `[{"published_port":9999999999}]`},
		{`[{"published_port":1}]`, `[{"published_port":-1}]`}, {`[{"published_port":1}]`, `[{"published_port":1.0}]`},
		{`[{"published_port":1}]`, `[{"published_port":1e1}]`}, {`[{"published_port":1}]`, `[{"published_port":"1"}]`},
		{`[{}]`, `[{"name":"a"},{}]`}, {`[1]`, `[[{"name":"a"}]]`}, {`[{"name":null}]`, `[{"name":"\""}]`}, {`[{"protocol":"\u0074cp"}]`, `[{}]`},
		{`[{"mode":"hosts"}]`, `[{"mode":"ingress" }]`}, {`[{"name":"a"} ,{"name":"b"}]`, `[ {"name":"a"}]`}, {`[{"other":1,"name":"a"}]`, `[]`},
		{`[{"name":"of eight","published_port":12}]`, `[{"published_port":12},{"published_port":34 }]`},
	} {
		f.Add(arrays[0])
		f.Add(arrays[1])
	}
	c := &defaultConstants
	f.Fuzz(func(t *testing.T, array string) {
		if array == "" || array[0] != '[' || array[len(array)-1] != ']' || !json.Valid([]byte(array)) {
			t.Skip()
		}
		want := c.anyPorts(trace.Value{Type: trace.Other, Str: array}, nil)
		if got, plain := c.plainPorts(nil, array); plain && !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", array, got, want)
		}
		if packed := list(packText(nil, array)); packed != "" && packed != listOf(want) {
			t.Errorf("%s: packed as %v, want %v", array, packed.open(nil), want)
		}
	})
}

// TestPlainPorts: lines as they are recorded and generated are plain.
func TestPlainPorts(t *testing.T) {
	const array = `[{"name":"http","protocol":"tcp","mode":"ingress","published_port":0},{"mode":"host","name":"/80","protocol":"udp","published_port":30000}]`
	want := []port{{"http", 0, 0, marked{mode: ingress}}, {"/80", 30000, 1, marked{mode: host}}}
	for _, text := range []string{array, strings.Replace(array, `:0}`, `:30001}`, 1)} {
		if got, plain := defaultConstants.plainPorts(nil, text); !plain || !slices.Equal(got, want) {
			t.Errorf("%s: %v, %v", text, got, plain)
		}
		if packed := list(packText(nil, text)); packed != listOf(want) {
			t.Errorf("%s: packed as %v", text, packed.open(nil))
		}
		want[0].published = 30001
	}
}

// TestPackedLines: a step is judged by what the decoder packs, unless the protocols are not those
// that it knows; so is a copy of a line, and a refusal.
func TestPackedLines(t *testing.T) {
	refuse := strings.NewReplacer("update", "reject", "web", "other").Replace(update(80, 80))
	for protocols, packed := range map[string]bool{"": true, `["udp","tcp"]`: false, `["tcp","udp","sctp"]`: true} {
		config := validators.Config{}
		if protocols != "" {
			config.Constants = map[string]string{"protocols": protocols}
		}
		m := newTestMachine(t, config)
		for _, line := range []string{create, update(0, 30000), update(80, 80), refuse, remove} {
			ev := decode(t, line)
			own := ev.Clone()
			for _, v := range []trace.Value{ev.Fields.Get(fieldSpec), ev.Fields.Get(fieldPorts)} {
				if l := list(ev.Packed(v)); l != list(own.Packed(v)) || l != list(packText(nil, v.Str)) {
					t.Errorf("%s: packed as %v", line, l.open(nil))
				}
			}
			take(t, m, &trace.Step{Events: []trace.Event{own}})
		}
		if m.s.usual != packed {
			t.Errorf("protocols %s: packed %v", protocols, m.s.usual)
		}
	}
}

// TestList: a list has its ports, however long their names are.
func TestList(t *testing.T) {
	for _, n := range []int{0, 1, longName - 1, longName, longName + 1, 1 << 16} {
		want := []port{{strings.Repeat("n", n), maxPort, 2, marked{mode: host}}, blank, {"last", dynamic, badProtocol, marked{mode: ingress}}}
		if l := listOf(want); l.len() != len(want) || !slices.Equal(l.open(nil), want) {
			t.Errorf("a name of %d bytes: %d ports", n, l.len())
		}
	}
}
