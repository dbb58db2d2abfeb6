package trace_test

import (
	"fmt"
	"testing"

	"tracecheck/trace"
)

// fieldCounted packs an array as its length in bytes. An object has no compact form.
var fieldCounted = trace.NewPacked("counted", func(to []byte, text string) []byte {
	if text[0] != '[' {
		return to
	}
	return fmt.Appendf(to, "<%d>", len(text))
})

var fieldOther, fieldTwo = trace.NewField("uncounted"), trace.NewPacked("counted2", func(to []byte, text string) []byte { return append(to, text...) })

// TestPacked: each way to read a line packs its values, and a copy has them, too.
func TestPacked(t *testing.T) {
	var room trace.Shapes
	for _, d := range []*trace.Decoder{{Shapes: &room}, {}} {
		var events []trace.Event
		for i, line := range []string{
			`{"kind":"meta","object":{"counted":[1,2],"uncounted":[1],"counted2":[3]}}`,
			`{"kind":"meta","object":{"counted":[1,2],"uncounted":[1],"counted2":[3]}}`, // by its shape
			`{"kind":"meta","object":{"counted":[1,2],"uncounted":[1],"counted2":[3],"x":1.5}}`,
			`{"kind":"meta","object":{"counted":{"a":1},"uncounted":[1],"counted2":[3]}}`,
			`{"kind":"meta","object":{"counted":5,"counted2":[3]}}`,
			`{"kind":"meta","object":{"counted":[0],"counted":[1,2],"counted2":[3]}}`,
			`{"kind":"meta"}`,
		} {
			var ev trace.Event
			if err := d.Decode([]byte(line), trace.Pos{Line: i + 1}, &ev); err != nil {
				t.Fatal(err)
			}
			events = append(events, ev, ev.Clone())
		}
		check := func(i int) {
			ev, want := &events[i], "<5>"
			if n := i / 2; n == 3 || n == 4 {
				want = ""
			}
			of := func(f trace.FieldName) string { return ev.Packed(ev.Fields.Get(f)) }
			if of(fieldCounted) != want || of(fieldOther) != "" || of(fieldTwo) != "[3]" {
				t.Errorf("%s: %q, %q, %q", ev.Raw, of(fieldCounted), of(fieldOther), of(fieldTwo))
			}
		}
		for i := range 12 {
			check(i)
		}
		d.Reset() // the next lines reuse the memory
		for range 12 {
			if err := d.Decode([]byte(`{"kind":"meta","object":{"counted":[1,2,3,4],"counted2":[5,6,7,8]}}`), trace.Pos{}, &trace.Event{}); err != nil {
				t.Fatal(err)
			}
		}
		for i := 1; i < 12; i += 2 { // the copies
			check(i)
		}
	}
}
