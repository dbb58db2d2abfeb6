package mapping

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/tidwall/gjson"
)

// What a line of each format states, as JSON.
func TestFormats(t *testing.T) {
	for _, c := range []struct{ lines, line, want string }{
		{"json", `{"a":1}`, `{"a":1}`},
		{"logfmt", `level=info msg="API listen on \"x\"" n=7`, `{"level":"info","msg":"API listen on \"x\"","n":"7"}`},
		{"logfmt", ` node.id=abc  up empty= last`, `{"node.id":"abc","up":"true","empty":"","last":"true"}`},
		{"logfmt", `a="no end b=1`, `{"a":"\"no","end":"true","b":"1"}`},
		{"logfmt", `a=b=c é=ü`, `{"a":"b=c","é":"ü"}`},
		{"logfmt", "\tat main.go:12", `{"line":"\tat main.go:12"}`},
		{"klog", `I1120 10:00:00.123456       1 controller.go:128] "Starting controller" controller="namespace" n=2`,
			`{"severity":"I","time":"1120 10:00:00.123456","thread":"1","source":"controller.go:128","msg":"Starting controller","controller":"namespace","n":"2"}`},
		{"klog", `E1120 10:00:01.1 77 reconcile.go:7] failed to sync x=1: "not found"`,
			`{"severity":"E","time":"1120 10:00:01.1","thread":"77","source":"reconcile.go:7","msg":"failed to sync x=1: \"not found\""}`},
		{"klog", `goroutine 1 [running]:`, `{"line":"goroutine 1 [running]:"}`},
		{"{csv: [a, b, c]}", `1,,x y`, `{"a":"1","b":"","c":"x y"}`},
		{"{csv: [a, b, c]}", `"1,2","say ""hi""",`, `{"a":"1,2","b":"say \"hi\"","c":""}`},
		{"{csv: [a, b], separator: \"\\t\"}", "1\t2,3", `{"a":"1","b":"2,3"}`},
		{"{csv: [a]}", `"x"`, `{"a":"x"}`},
		{"{matches: '^(?P<host>\\S+) (?P<user>\\S+)?(.*)$'}", `h u rest`, `{"host":"h","user":"u"}`},
		{"{matches: '^(?P<host>\\S+) (?P<user>u\\S+)?(.*)$'}", `h rest`, `{"host":"h"}`},
		{"{matches: '^(?P<host>\\S+)!'}", `h rest`, `{"line":"h rest"}`},
	} {
		d := parse(t, "lines: "+c.lines+good).Decoder()
		json, reason := d.read([]byte(c.line))
		if reason != "" || string(json) != c.want {
			t.Errorf("%s: %s: got %s (%s), want %s", c.lines, c.line, json, reason, c.want)
		}
	}
}

// Lines that cannot be read.
func TestFormatFaults(t *testing.T) {
	for _, c := range []struct{ lines, line, want string }{
		{"json", `a=b`, "a.log:7: the line is not JSON"},
		{"logfmt", "a=\xff", "a.log:7: the line is not valid UTF-8: byte 3 is 0xff"},
		{"{csv: [a, b]}", `1`, "a.log:7: the line has 1 column, and the rules name 2"},
		{"{csv: [a, b]}", `1,2,3`, "a.log:7: the line has 3 columns, and the rules name 2"},
		{"{csv: [a, b]}", `1,"2`, "a.log:7: the quotation in column 2 does not end on this line"},
	} {
		_, _, err := mapped(t, parse(t, "lines: "+c.lines+good), c.line)
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: %s: got %v, want %s", c.lines, c.line, err, c.want)
		}
		if streams, known := parse(t, "lines: "+c.lines+good).Decoder().Streams([]byte(c.line)); known {
			t.Errorf("%s: %s: streams %v", c.lines, c.line, streams)
		}
	}
}

// Rules make events of such lines as they do of JSON.
func TestFormatsBecomeEvents(t *testing.T) {
	rules := parse(t, `
lines: klog
rules:
  - when: {msg: node is down}
    kind: node
    op: update
    id: "{node}"
    time: {path: time, layout: "0102 15:04:05.000000"}
    object: {state: down}
`)
	got, rule, err := mapped(t, rules, `W1120 10:00:00.123456  1 node.go:1] "node is down" node="n1"`)
	want := `{"time":"0000-11-20T10:00:00.123456Z","kind":"node","op":"update","id":"n1","object":{"state":"down"}}`
	if got != want || rule != 0 || err != nil {
		t.Errorf("got %s, rule %d, error %v; want %s", got, rule, err, want)
	}
	if near := rules.Decoder().Nearest([]byte(`I1120 10:00:00.1 1 a.go:1] "node is up"`)); !strings.Contains(near, `which is "node is up"`) {
		t.Errorf("nearest: %s", near)
	}
}

// Whatever the line: a reason, or one JSON object on one line.
func FuzzFormats(f *testing.F) {
	formats := []string{"logfmt", "klog", "{csv: [a, b]}", "{matches: '(?P<a>.+)=(?P<b>.*)'}"}
	for _, line := range []string{`a="b" c`, `a="\xff"`, `I1120 10:00:00.1 1 a.go:1] "m" k="v"`, `"a,""b",c`, "\xff", `a="\ud800"`, "a=\x00"} {
		for i := range formats {
			f.Add(i, []byte(line))
		}
	}
	f.Fuzz(func(t *testing.T, i int, line []byte) {
		if i < 0 || i >= len(formats) || strings.ContainsAny(string(line), "\n") {
			return
		}
		json, reason := parse(t, "lines: "+formats[i]+good).Decoder().read(line)
		switch {
		case reason != "":
		case !utf8.Valid(json) || !gjson.ValidBytes(json) || json[0] != '{' || strings.ContainsAny(string(json), "\n"):
			t.Errorf("%s: %q becomes %q", formats[i], line, json)
		}
	})
}
