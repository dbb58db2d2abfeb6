package shrink_test

import (
	"bytes"
	"testing"

	"tracecheck/postmortem/shrink"
	"tracecheck/specs"
	"tracecheck/trace"
	"tracecheck/validators"
	"tracecheck/validators/validatorstest"
)

// Whatever is broken in whatever trace, it is shown, or said not to show again.
func FuzzOf(f *testing.F) {
	f.Add([]byte(`{"kind":"task","op":"update","id":"t","object":{"state":"running"}}`))
	f.Add([]byte("{\"kind\":\"node\",\"op\":\"snapshot\",\"id\":\"n\",\"object\":{\"state\":\"up\"}}\n{\"tx\":1,\"kind\":\"service\",\"op\":\"create\",\"id\":\"s\",\"object\":{\"replicas\":2}}\n{\"tx\":1,\"kind\":\"service\",\"op\":\"delete\",\"id\":\"s\"}"))
	f.Add([]byte(`{"kind":"request","op":"update","id":"r","action":"Submit","object":{"status":"valid","rank":7}}`))
	f.Add([]byte("{\"kind\":\"pvc\",\"op\":\"create\",\"id\":\"p\",\"object\":{\"clusters\":{\"c\":\"Sync\",\"d\":\"Sync\"}}}\n{\"kind\":\"allocator\",\"op\":\"create\",\"object\":{\"allocated\":[1]}}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		var lines []string
		for line := range bytes.SplitSeq(data, []byte{'\n'}) {
			var d trace.Decoder
			var ev trace.Event
			if d.Decode(bytes.Clone(line), trace.Pos{}, &ev) == nil {
				lines = append(lines, string(line))
			}
		}
		source := validatorstest.Source(t, lines)
		opts := validators.Options{Budget: 1000}
		found := judge(t, source, opts).Violations
		opts.Specs = specs.All()
		for i := range found[:min(len(found), 2)] {
			for _, slice := range []bool{true, false} {
				result, err := shrink.Of(t.Context(), source, &found[i], shrink.Options{Judge: opts, Slice: slice})
				if err == nil && same(&found[i], judge(t, validatorstest.Source(t, result.Lines), keepOf(opts)).Violations) == nil {
					t.Errorf("%q shows something else", result.Lines)
				}
			}
		}
	})
}
