package validators

import (
	"encoding/json"
	"reflect"
	"testing"

	"tracecheck/trace"
	"tracecheck/trace/codec"
)

// TestFindingBothWays: what is found late is found in full.
func TestFindingBothWays(t *testing.T) {
	for _, want := range []Finding{
		{},
		{
			Kind: OfTransition, Rule: "Next", Pos: trace.Pos{File: "a", Line: 3}, Message: "no action",
			Nearest: []Near{
				{Action: "A", Actor: "x", Failed: []string{"f", "g"}, Values: []string{"", "v"}, Held: []string{"h"}},
				{Action: "B", Failed: []string{}, Held: []string{"f"}},
			},
			Changes:  []Change{{Kind: "task", ID: "t1", After: json.RawMessage(`{}`)}, {Kind: "task", ID: "t2", Before: json.RawMessage(`{"a":1}`)}},
			Sequence: []string{"A(t1)", "A(t1)"},
			First:    trace.Pos{File: "a", Line: 2}, Last: trace.Pos{File: "b", Line: 1},
		},
	} {
		w := codec.Writer(nil)
		want.Code(w)
		r := codec.Reader(w.Data())
		var got Finding
		if got.Code(r); r.Close() != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%+v became %+v: %v", want, got, r.Err())
		}
	}
}
