package eval

import (
	"slices"
	"testing"

	"tracecheck/tlaplus/value"
)

// TestOrderOfStrings: strings are in the order of the text, which CHOOSE depends on,
// each time that it is read.
func TestOrderOfStrings(t *testing.T) {
	for range 20 {
		p, err := Load("testdata/memory/Memory.tla", nil, Options{})
		if err != nil {
			t.Fatal(err)
		}
		var names []value.Value
		for _, name := range []string{"to", "term", "val", "from", "c", "a", "b"} {
			names = append(names, p.Space.String(name))
		}
		var got []string
		for _, v := range value.NewSet(names).Elems {
			got = append(got, v.(*value.Str).Text)
		}
		if want := []string{"a", "b", "c", "term", "val", "from", "to"}; !slices.Equal(got, want) {
			t.Fatalf("the strings are in the order %v, want %v", got, want)
		}
	}
}
