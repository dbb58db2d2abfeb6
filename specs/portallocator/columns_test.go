package portallocator

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"tracecheck/trace"
)

// FuzzPorts: arrays that plainPorts reads, the second as the ports of the first, it reads as
// anyPorts.
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
		f.Add(arrays[0], arrays[1])
	}
	c := &defaultConstants
	f.Fuzz(func(t *testing.T, first, second string) {
		spec, ports := opened{text: first}, opened{text: second}
		for _, o := range []*opened{&spec, &ports} {
			array := o.text
			if array == "" || array[0] != '[' || array[len(array)-1] != ']' || !json.Valid([]byte(array)) {
				t.Skip()
			}
			want := c.anyPorts(trace.Value{Type: trace.Other, Str: array}, nil)
			if plain := o.plainPorts(c, &spec); plain && !slices.Equal(o.ports, want) {
				t.Errorf("%s after %s: %v, want %v", array, first, o.ports, want)
			} else if !plain {
				o.heads = nil // as State.read has it
			}
		}
	})
}

// TestPlainPorts: lines as they are recorded and generated are plain.
func TestPlainPorts(t *testing.T) {
	const array = `[{"name":"http","protocol":"tcp","mode":"ingress","published_port":0},{"mode":"host","name":"/80","protocol":"udp","published_port":30000}]`
	want := []port{{"http", 0, 0, ingress, false}, {"/80", 30000, 1, host, false}}
	spec, ports := opened{text: array}, opened{text: strings.Replace(array, `:0}`, `:30001}`, 1)}
	for _, o := range []*opened{&spec, &ports} {
		if plain := o.plainPorts(&defaultConstants, &spec); !plain || !slices.Equal(o.ports, want) {
			t.Errorf("%s: %v, %v", o.text, o.ports, plain)
		}
		want[0].published = 30001
	}
}

// TestList: a list has its ports, however long their names are.
func TestList(t *testing.T) {
	for _, n := range []int{0, 1, longName - 1, longName, longName + 1, 1 << 16} {
		want := []port{{strings.Repeat("n", n), maxPort, 2, host, false}, blank, {"last", dynamic, badProtocol, ingress, false}}
		if l := listOf(want); l.len() != len(want) || !slices.Equal(l.open(nil), want) {
			t.Errorf("a name of %d bytes: %d ports", n, l.len())
		}
	}
}
