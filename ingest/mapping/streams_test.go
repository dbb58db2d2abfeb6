package mapping

import (
	"fmt"
	"testing"

	"tracecheck/trace"
)

// A line that cannot be mapped states which streams it may be of, if it can.
func TestStreams(t *testing.T) {
	rules := parse(t, `
rules:
  - name: two
    when: {two: true}
    kind: node
    op: create
    id: "{id}"
    events:
      - stream: "{a}"
      - stream: {path: b, optional: true}
      - stream: "{a}"
  - name: none
    when: {none: true}
    kind: node
    op: create
    id: "{id}"
  - name: raw
    stream: {path: a}
    kind: node
    op: create
    id: "{id}"
`)
	for _, c := range []struct{ line, want string }{
		{`{"two":true,"a":"x","b":"y"}`, `["x" "y"] true`},
		{`{"two":true,"a":"x"}`, `["x" ""] true`},
		{`{"two":true,"b":"x"}`, `[] false`}, // the first is not there
		{`{"none":true,"a":"x"}`, `[""] true`},
		{`{"a":"x\ny"}`, `["x\ny"] true`},
		{`{"a":7}`, `[] false`},
		{`{"a":"x"`, `[] false`},
	} {
		d := rules.Decoder()
		if _, err := d.Decode(nil, []byte(c.line), trace.Pos{}); err == nil {
			t.Errorf("%s is mapped", c.line)
		}
		streams, known := d.Streams([]byte(c.line))
		if got := fmt.Sprintf("%q %v", streams, known); got != c.want {
			t.Errorf("%s: got %s, want %s", c.line, got, c.want)
		}
	}
}
