package portallocator

import (
	"encoding/json"
	"slices"
	"testing"

	"tracecheck/trace"
)

// FuzzPorts: an array that plainPorts reads, it reads as anyPorts.
func FuzzPorts(f *testing.F) {
	for _, array := range []string{
		`[]`,
		`[{"name":"http","protocol":"tcp","mode":"ingress","published_port":0},{"mode":"host","name":"","protocol":"udp","published_port":65535}]`,
		`[{"name":"a","name":"b","protocol":"none","mode":"host","mode":"ingress","published_port":999999999}]`,
		`[{"published_port":1}]`,
		`[{"published_port":9999999999}]`, `[{"published_port":-1}]`, `[{"published_port":1.0}]`, `[{"published_port":1e1}]`, `[{"published_port":"1"}]`,
		`[{}]`, `[{"name":"a"},{}]`, `[1]`, `[[{"name":"a"}]]`, `[{"name":null}]`, `[{"name":"\""}]`, `[{"protocol":"\u0074cp"}]`,
		`[{"mode":"hosts"}]`, `[{"mode":"ingress" }]`, `[{"name":"a"} ,{"name":"b"}]`, `[ {"name":"a"}]`, `[{"other":1,"name":"a"}]`,
		`[{"published_port":12},{"published_port":34 }]`,
	} {
		f.Add(array)
	}
	c := &defaultConstants
	f.Fuzz(func(t *testing.T, array string) {
		if array == "" || array[0] != '[' || array[len(array)-1] != ']' || !json.Valid([]byte(array)) {
			t.Skip()
		}
		got, plain := c.plainPorts(array, nil)
		if want := c.anyPorts(trace.Value{Type: trace.Other, Str: array}, nil); plain && !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", array, got, want)
		}
	})
}

// TestPlainPorts: lines as they are recorded and generated are plain.
func TestPlainPorts(t *testing.T) {
	const array = `[{"name":"http","protocol":"tcp","mode":"ingress","published_port":0},{"mode":"host","name":"/80","protocol":"udp","published_port":30000}]`
	want := []port{{"http", 0, 0, ingress, false}, {"/80", 30000, 1, host, false}}
	if got, plain := defaultConstants.plainPorts(array, nil); !plain || !slices.Equal(got, want) {
		t.Errorf("%v, %v", got, plain)
	}
}
