package eval

import (
	"testing"

	"tracecheck/tlaplus/value"
)

// TestJSONOrder: names and strings are ordered as they appear in the text, which
// is what TLC does; it decides what CHOOSE finds and which values are compared.
func TestJSONOrder(t *testing.T) {
	for range 20 {
		r := &Run{Program: &Program{Space: value.NewSpace()}}
		v, err := r.FromJSON([]byte(`{"z": 1, "y": {"x": 2, "b": 3}, "w": "v", "a": ["c"]}`))
		if err != nil {
			t.Fatal(err)
		}
		if got, want := value.Show(v), `[z |-> 1, y |-> [x |-> 2, b |-> 3], w |-> "v", a |-> <<"c">>]`; got != want {
			t.Fatalf("got %s, want %s", got, want)
		}
	}
}
