package anonymize

import (
	"testing"

	"tracecheck/internal/kinds"
	"tracecheck/trace"
)

var (
	kindVolume = trace.NewKind("volume")
	_          = trace.NewField("phase")
	_          = trace.NewField("bound_to")
	_          = trace.NewField("size")
)

// Of a kind that format 1 does not have, an enumeration keeps its values, and each id
// becomes the same other one, whatever refers to it.
func TestColumns(t *testing.T) {
	a, err := New(Options{Columns: []Column{
		{Kind: kindVolume, Field: "phase", Values: []string{"free", "bound"}},
		{Kind: kindVolume, Field: "bound_to"}, {Kind: kindVolume, Field: "size"},
		{Kind: kinds.Node, Field: "secret"}, // which keeps to what is known of nodes
	}})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range [][2]string{
		{`{"kind":"volume","op":"create","id":"alice","object":{"phase":"free","size":7,"note":"mine"}}`,
			`{"kind":"volume","op":"create","id":"object1","object":{"phase":"free","size":7}}`},
		{`{"kind":"volume","op":"update","id":"bob","object":{"phase":"lost","bound_to":"alice"}}`,
			`{"kind":"volume","op":"update","id":"object2","object":{"phase":"word1","bound_to":"object1"}}`},
		{`{"kind":"node","op":"update","id":"alice","object":{"secret":"s","state":"up"}}`,
			`{"kind":"node","op":"update","id":"node1","object":{"state":"up"}}`},
	} {
		var d trace.Decoder
		var ev trace.Event
		if err := d.Decode([]byte(c[0]), trace.Pos{}, &ev); err != nil {
			t.Fatal(err)
		}
		if got, err := a.Append(nil, &ev); err != nil || string(got) != c[1] {
			t.Errorf("%s became %s (%v), want %s", c[0], got, err, c[1])
		}
	}
}
