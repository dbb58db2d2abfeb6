package anonymize_test

import (
	"bytes"
	"testing"

	"tracecheck/postmortem/anonymize"
	"tracecheck/trace"
)

// Whatever a line is, its other names make a line of the same kind, again and
// again the same.
func FuzzAppend(f *testing.F) {
	f.Add([]byte(`{"kind":"task","op":"update","id":"t","tx":"a","object":{"state":{"x":[1]},"node":"n"}}`))
	f.Add([]byte(`{"kind":"meta","object":{"spec":["swarmkit"],"constants":{"clusters":["c"],"protocols":"tcp"}}}`))
	f.Add([]byte(`{"kind":"endpoint","op":"reject","id":"e","object":{"spec":[{"name":"x"},5],"ports":null}}`))
	f.Add([]byte(`{"kind":"service","op":"create","id":"s","time":"2026-11-20T10:00:00+01:00","object":{"constraints":["node.labels.a==b","x"]}}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		var d trace.Decoder
		var ev, again trace.Event
		if d.Decode(line, trace.Pos{}, &ev) != nil {
			return
		}
		a, err := anonymize.New(anonymize.Options{})
		if err != nil {
			t.Fatal(err)
		}
		once, err := a.Append(nil, &ev)
		if err != nil {
			return // a time that UTC has not
		}
		twice, err := a.Append(nil, &ev)
		if err != nil || !bytes.Equal(once, twice) && !ev.HasSeq { // a seq that comes again is skipped
			t.Errorf("%s, and then %s %v", once, twice, err)
		}
		if err := d.Decode(once, trace.Pos{}, &again); err != nil {
			t.Fatalf("%s becomes %s: %v", line, once, err)
		}
		if again.Kind != ev.Kind || again.Op != ev.Op || again.Seq != ev.Seq || again.Nanos != ev.Nanos {
			t.Errorf("%s becomes %s", line, once)
		}
		// A field that this kind has not is left out, once.
		for _, f := range again.Fields {
			if ev.Fields.Get(f.Name).Type == trace.Absent {
				t.Errorf("%s becomes %s, which has the field %s", line, once, f.Name)
			}
		}
		third, err := a.Append(nil, &again)
		if err != nil {
			t.Fatalf("%s becomes %s: %v", line, once, err)
		}
		var last trace.Event
		if err := d.Decode(third, trace.Pos{}, &last); err != nil || len(last.Fields) != len(again.Fields) {
			t.Errorf("%s becomes %s: %v", once, third, err)
		}
	})
}
