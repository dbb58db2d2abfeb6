package replay_test

import (
	"bytes"
	"strings"
	"testing"

	"tracecheck/postmortem/replay"
)

// What is written of requests states of queued what their stream has said, by the
// format's rule: it goes on the same way.
func TestQueued(t *testing.T) {
	const logs = `a:1 {"kind":"request","op":"snapshot","id":"q","object":{"status":"processing","queued":false}}` + "\n"
	const q = `{"kind":"request","op":"snapshot","id":"q","object":{"status":"processing","queued":false}}` + "\n"
	for _, c := range []struct{ what, lines, want string }{
		{
			"nothing logs it", `
a:2 {"kind":"request","op":"create","id":"a","object":{"status":"submitted"}}
a:3 {"kind":"request","op":"update","id":"a","object":{"status":"valid","queued":null}}
a:4 {"kind":"request","op":"update","id":"b","object":{"rank":1}}`,
			`{"kind":"request","op":"snapshot","id":"a","object":{"status":"valid"}}
{"kind":"request","op":"snapshot","id":"b","object":{"status":"waiting","rank":1}}
`,
		},
		{
			"an update without it leaves it unchanged", logs + `
a:2 {"kind":"request","op":"snapshot","id":"a","object":{"status":"valid","queued":true}}
a:3 {"kind":"request","op":"update","id":"a","object":{"status":"processing"}}
a:4 {"kind":"request","op":"update","id":"q","object":{"rank":1}}`,
			`{"kind":"request","op":"snapshot","id":"a","object":{"status":"processing","queued":true}}
{"kind":"request","op":"snapshot","id":"q","object":{"status":"processing","queued":false,"rank":1}}
`,
		},
		{
			"null is false", logs + `
a:2 {"kind":"request","op":"snapshot","id":"a","object":{"status":"valid","queued":null}}
a:3 {"kind":"request","op":"create","id":"b","object":{"status":"submitted","queued":null}}
a:4 {"kind":"request","op":"update","id":"q","object":{"queued":null}}`,
			`{"kind":"request","op":"snapshot","id":"a","object":{"status":"valid","queued":false}}
{"kind":"request","op":"snapshot","id":"b","object":{"status":"submitted","queued":false}}
` + q,
		},
		{
			"a create without it is false, and stays so", logs + `
a:2 {"kind":"request","op":"create","id":"a","object":{"status":"submitted"}}
a:3 {"kind":"request","op":"update","id":"a","object":{"status":"valid"}}`,
			`{"kind":"request","op":"snapshot","id":"a","object":{"status":"valid","queued":false}}
` + q,
		},
		{
			"a snapshot without it leaves it open", logs + `
a:2 {"kind":"request","op":"snapshot","id":"a","object":{"status":"valid","queued":false}}
a:3 {"kind":"request","op":"update","id":"a","object":{"rank":1}}
a:4 {"kind":"request","op":"snapshot","id":"a","object":{"status":"valid"}}
a:5 {"kind":"request","op":"update","id":"a","object":{"rank":1}}`,
			`{"kind":"request","op":"snapshot","id":"a","object":{"status":"valid","rank":1}}
` + q,
		},
		{
			"but for one that is not valid, and so not in the queue", logs + `
a:2 {"kind":"request","op":"snapshot","id":"a","object":{"status":"submitted"}}
a:3 {"kind":"request","op":"update","id":"a","object":{"status":"valid"}}`,
			`{"kind":"request","op":"snapshot","id":"a","object":{"status":"valid","queued":false}}
` + q,
		},
		{
			"what is open when the stream comes to log it stays open", `
a:2 {"kind":"request","op":"update","id":"a","object":{"status":"valid"}}
a:3 {"kind":"request","op":"update","id":"b","object":{"status":"submitted"}}
a:4 {"kind":"request","op":"update","id":"q","object":{"queued":false}}
a:5 {"kind":"request","op":"update","id":"a","object":{"rank":1}}
a:6 {"kind":"request","op":"update","id":"b","object":{"status":"valid"}}
a:7 {"kind":"request","op":"update","id":"c","object":{"status":"valid"}}`,
			`{"kind":"request","op":"snapshot","id":"a","object":{"status":"valid","rank":1}}
{"kind":"request","op":"snapshot","id":"b","object":{"status":"valid","queued":false}}
{"kind":"request","op":"snapshot","id":"c","object":{"status":"valid","queued":false}}
{"kind":"request","op":"snapshot","id":"q","object":{"status":"waiting","queued":false}}
`,
		},
		{
			"that the stream logs it is said where every request is open", logs + `
a:2 {"kind":"request","op":"snapshot","id":"a","object":{"status":"valid"}}
a:3 {"kind":"request","op":"snapshot","id":"q","object":{"status":"valid"}}`,
			`{"kind":"request","op":"snapshot","id":"a","object":{"status":"valid","queued":false}}
{"kind":"request","op":"snapshot","id":"a","object":{"status":"valid"}}
{"kind":"request","op":"snapshot","id":"q","object":{"status":"valid"}}
`,
		},
	} {
		r := replay.New(replay.Options{})
		if err := r.Push(events(t, strings.ReplaceAll(c.lines, "\n\n", "\n"))); err != nil {
			t.Fatal(err)
		}
		if err := r.Finish(); err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if err := replay.Write(&out, r.Streams(), nil); err != nil {
			t.Fatal(err)
		}
		if out.String() != c.want {
			t.Errorf("%s: got\n%swant\n%s", c.what, out.String(), c.want)
		}
	}
}
