package foreign

import (
	"strings"
	"testing"
	"unicode/utf16"

	"tracecheck/trace"
)

// reasonOf is what a Reader would say of a file that begins with the text.
func reasonOf(in Input) (string, bool) {
	line, _, _ := strings.Cut(string(in.Text), "\n")
	var ev trace.Event
	reason := trace.CheckJSON([]byte(line))
	if err, ok := new(trace.Decoder).Decode([]byte(line), trace.Pos{}, &ev).(*trace.Error); ok && !in.Mapped {
		reason = err.Reason
	}
	return Reason(in, reason)
}

func utf16Text(text string, big bool) string {
	var out []byte
	for _, u := range utf16.Encode([]rune(text)) {
		if big {
			out = append(out, byte(u>>8), byte(u))
		} else {
			out = append(out, byte(u), byte(u>>8))
		}
	}
	return string(out)
}

const event = `{"kind":"node","op":"snapshot","id":"n1","object":{"state":"up"}}`

// What users try, and what they are shown the way with.
func TestReason(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"UTF-16 of Windows", "\xff\xfe" + utf16Text(event+"\r\n", false), "the file is UTF-16, and a trace is UTF-8. Convert it with `iconv -f UTF-16 -t UTF-8 dir/a.json > dir/a-lines.jsonl`"},
		{"UTF-16, big-endian", "\xfe\xff" + utf16Text(event, true), "iconv -f UTF-16 "},
		{"UTF-16 without a mark", utf16Text(event, false), "iconv -f UTF-16LE "},
		{"UTF-16, big-endian, without a mark", utf16Text(event, true), "iconv -f UTF-16BE "},
		{"UTF-32", "\xff\xfe\x00\x00{\x00\x00\x00", "iconv -f UTF-32 "},
		{"Latin-1", `{"kind":"node","op":"snapshot","id":"caf` + "\xe9" + `","object":{}}`, `byte 41 is 0xe9, in "id". The file may be in ISO 8859-1. Convert it with ` + "`iconv -f ISO-8859-1 "},
		{"pcap", "\xd4\xc3\xb2\xa1\x02\x00\x04\x00", "the file is binary: it is a capture of network packets (pcap)"},
		{"program", "\x7fELF\x02\x01\x01\x00", "the file is binary: it is a program (ELF)"},
		{"xz", "\xfd7zXZ\x00\x00", "the file is binary: it is xz data. Convert it with `xz -dc "},
		{"gzip twice", "\x1f\x8b\x08\x00", "`gzip -dc "},
		{"zip", "PK\x03\x04\x14\x00", "`unzip -p "},
		{"tar", "a.jsonl" + strings.Repeat("\x00", 250) + "ustar\x00", "a tar archive. Convert it with `tar -xOf "},
		{"checkpoints", strings.Repeat("\x00", 16) + "\xed\xda\x0c\xed", "`tracecheck checkpoint show`"},
		{"another binary", "\x01\x02\x00\x03\x07\x07\x07\x07", "the file is binary, and not a log"},
		{"protobuf", "\x12\x05hello\x1a\x05world\x20\x01\n", "the file is binary, and not a log"},
		{"array", "[" + event + "]\n", "the line is a JSON array, and a trace has one event a line. Convert it with `jq -c '.[]' dir/a.json > dir/a-lines.jsonl`"},
		{"pretty array", "[\n  {\n    \"kind\": \"node\"\n  }\n]\n", "the line is part of pretty-printed JSON, and a trace has one event a line. Convert it with `jq -c '.[]' "},
		{"array, an element a line", "[" + event + ",\n" + event + "]\n", "the line is part of pretty-printed JSON, and a trace has one event a line. Convert it with `jq -c '.[]' "},
		{"pretty", "{\n  \"kind\": \"node\",\n", "`jq -c '.' "},
		{"pretty, nested first", "{\"kind\": \"node\",\n \"op\": \"create\"}\n", "`jq -c '.' "},
		{"kubectl get -o json", "{\n    \"apiVersion\": \"v1\",\n    \"items\": [\n", "`jq -c '.items[]' "},
		{"pretty OTLP", "{\n  \"resourceSpans\": [\n", "`jq -c '.resourceSpans[].scopeSpans[].spans[]' "},
		{"a comma after", event + ",\n", "`sed 's/,$//' "},
		{"several a line", event + event + "\n", "`jq -c . "},
		{"carriage returns", event + "\r" + event + "\r", "`tr '\\r' '\\n' < dir/a.json > "},
		{"record separators", "\x1e" + event + "\n", "`tr -d '\\036' < "},
		{"Python", "{'kind': 'node'}\n", "json.dumps"},
		{"text before", "web-1  | " + event + "\n", "`sed 's/^[^{]*//' "},
		{"JSON log", `{"level":"info","ts":1,"msg":"up"}` + "\n", `the line has no "kind". The line is JSON, but not an event of a trace: it has "level", "ts", "msg". Rules turn it into a trace (` + "`tracecheck help map`). Begin with `tracecheck map rules.yaml dir/a.json`, and then judge it with `--map rules.yaml`"},
		{"many members", `{"a":1,"b":1,"c":1,"d":1,"e":1,"f":1}` + "\n", `it has "a", "b", "c", "d", "e". Rules`},
		{"docker events", `{"Type":"container","Action":"create","Actor":{"ID":"4f"},"time":1}` + "\n", "an event of `docker events`, not an event of a trace. tracecheck has built-in rules for it: begin with `tracecheck map docker-events dir/a.json`, and then judge it with `--map docker-events`"},
		{"docker's log", `{"log":"up\n","stream":"stdout","time":"2026-11-20T10:00:00Z"}` + "\n", "an entry of Docker's json-file log"},
		{"journald", `{"__REALTIME_TIMESTAMP":"1","MESSAGE":"x"}` + "\n", "an entry of journald (journalctl -o json)"},
		{"audit", `{"kind":"Event","apiVersion":"audit.k8s.io/v1","auditID":"1","stage":"ResponseComplete"}` + "\n", "a Kubernetes audit event"},
		{"watch", `{"type":"ADDED","object":{"kind":"Pod","apiVersion":"v1","metadata":{}}}` + "\n", "an event of a Kubernetes watch"},
		{"OTLP", `{"resourceSpans":[{"scopeSpans":[]}]}` + "\n", "the line is OTLP with traces, with several records a line. Convert it with `jq -c '.resourceSpans[].scopeSpans[].spans[]' dir/a.json > dir/a-lines.jsonl`. Rules turn it into a trace (`tracecheck help map`). Begin with `tracecheck map rules.yaml dir/a-lines.jsonl`"},
		{"OTLP logs", `{"resourceLogs":[]}` + "\n", "`jq -c '.resourceLogs[].scopeLogs[].logRecords[]' "},
		{"an event as Go writes it", `{"Kind":"node","Op":"snapshot","ID":"n1"}` + "\n", `the line has no "kind": is it in "Kind"? It is named "kind"`},
		{"an event's id misnamed", `{"kind":"node","op":"snapshot","ID":"n1"}` + "\n", `the node line has no "id": is it in "ID"? It is named "id"`},
		{"an event's id empty", `{"kind":"node","op":"snapshot","id":""}` + "\n", `the node line has no "id": it is ""`},
		{"an event's op null", `{"kind":"node","op":null,"id":"n1"}` + "\n", `the node line has no "op": snapshot, create, update, delete or reject: it is null`},
		{"an event's kind misnamed", `{"type":"node","op":"snapshot","id":"n1"}` + "\n", `the line has no "kind": is it in "type"? It is named "kind"`},
		{"logfmt", "time=\"2026-11-20T10:00:00Z\" level=info msg=up\n", "the line is logfmt, not JSON. Rules with `lines: logfmt` turn it into a trace (`tracecheck help map`). Begin with `tracecheck map rules.yaml dir/a.json`"},
		{"klog", "I1120 10:00:00.123456       1 a.go:12] \"Starting\" x=1\n", "the line is in klog's format, not JSON. Rules with `lines: klog`"},
		{"CSV", "time,kind,id\n1,task,t1\n", "the file is CSV, not JSON. Rules with `lines: {csv: [time, kind, id]}`"},
		{"CSV's header", "time,kind,id\n1,task,t1\n", "Its header is a line, too: let the first rule be `{when: {time: time}, ignore: true}`"},
		{"CSV with semicolons", "\"time\";kind\n1;task\n", "`lines: {csv: [time, kind], separator: \";\"}`"},
		{"TSV", "time\tkind\tid\n1\ttask\tt\n", "separator: \"\\t\"}`"},
		{"syslog", "Nov 20 10:00:00 m1 dockerd[812]: up\n", "the line is syslog, not JSON. Rules with `lines: {matches: "},
		{"syslog, RFC 5424", "<165>1 2026-11-20T10:00:00Z host app - ID47 - hello\n", "the line is syslog"},
		{"module", "------ MODULE Spec ------\n", "the file is a TLA+ module, not a trace: to judge a log by it, run `tracecheck validate --module dir/a.json LOG`"},
		{"cfg", "SPECIFICATION Spec\n", "`tracecheck validate --module MODULE.tla --config dir/a.json LOG`"},
		{"rules", "meta:\n  spec: [swarmkit]\nrules:\n  - {}\n", "the file has rules, and is not a trace: give it with --map"},
		{"YAML", "apiVersion: v1\nkind: List\n", "the file is YAML, not a trace"},
		{"XML", "<?xml version=\"1.0\"?>\n", "the file is XML, not a trace"},
		{"web page", "<!DOCTYPE html>\n", "the file is a web page"},
		{"Git LFS", "version https://git-lfs.github.com/spec/v1\noid sha256:1\n", "`git lfs pull`"},
		{"any text", "10.0.0.1 - - [20/Nov/2026] \"GET /\"\n", `the line is not JSON: "10.0.0.1 - - [20/Nov/2026] \"GET /\"". A trace is JSON Lines. Rules with ` + "`lines: {matches: EXPRESSION}`"},
	} {
		got, ok := reasonOf(Input{Text: []byte(c.text), File: "dir/a.json", First: true})
		if !ok || !strings.Contains(got, c.want) {
			t.Errorf("%s: got %s (%v), want %s", c.name, got, ok, c.want)
		}
	}
}

// A file that should be another one is named. Nothing is said of what may be damaged.
func TestName(t *testing.T) {
	for text, want := range map[string]string{
		event + "\n" + event:                            "a trace",
		`{"level":"info"}` + "\nx":                      "JSON",
		`{"resourceLogs":[]}`:                           "OTLP with logs",
		"# checkpoints\r\nkafka: localhost:9092\n":      "text",
		"\x1f\x8b\x08\x00":                              "gzip data",
		"SQLite format 3\x00":                           "an SQLite database",
		strings.Repeat("\x00", 16) + "\xed\xda\x0c\xed": "",
		strings.Repeat("\x00", 100):                     "",
		strings.Repeat("\xff", 100):                     "",
		"text\n\x00\x00":                                "",
		"":                                              "",
	} {
		if got := Name([]byte(text)); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}

// A trace that is only damaged is not taken for something else.
func TestNothingForeign(t *testing.T) {
	for _, text := range []string{
		`{"kind":"task","op":"upd`, "{", "[", `{"kind":"task","op":"update",` + "\n" + event, `{"kind":"task",` + "\n",
		`{"kind":"node","op":"snapshot"}` + "\n", `{"kind":"node","id":"n1"}` + "\n", `{"kind":"task","op":"moved","id":"t"}` + "\n", "\xff\xff garbage\n", "\x01\n",
		`7` + "\n", `"text"` + "\n", "{}\n", "no event\n",
	} {
		if got, ok := reasonOf(Input{Text: []byte(text), File: "a.jsonl"}); ok {
			t.Errorf("%q: %s", text, got)
		}
	}
}

// Where rules read the lines, they are what is put right.
func TestMapped(t *testing.T) {
	for text, want := range map[string]string{
		"a=b c=d\n":               "the line is logfmt, not JSON. Say `lines: logfmt` in the rules",
		"a,b,c\n1,2,3\n":          "Say `lines: {csv: [a, b, c]}` in the rules",
		"{\n  \"a\": 1\n}\n":      "Convert it with `jq -c '.' a.log > a-lines.jsonl`",
		"\xff\xfea\x00\n\x00":     "Convert it with `iconv -f UTF-16 ",
		"gibberish\n":             "",
		`{"level":"info"}` + "\n": "",
		"[1]\n":                   "",
	} {
		got, ok := reasonOf(Input{Text: []byte(text), File: "a.log", Mapped: true, First: true})
		if ok != (want != "") || !strings.Contains(got, want) {
			t.Errorf("%q: got %s, want %s", text, got, want)
		}
	}
	const rule = `rule "a" (r.yaml:3): "x,y,z" is not there`
	if got, ok := Reason(Input{Text: []byte("x,y,z\n"), File: "a.log", Mapped: true, First: true}, rule); ok {
		t.Errorf("in place of a rule's reason: %s", got)
	}
}

// What is compressed is decompressed first.
func TestCompressed(t *testing.T) {
	for file, want := range map[string]string{
		"dir/a.json.gz":  "`gzip -dc dir/a.json.gz | jq -c '.[]' > dir/a-lines.jsonl`",
		"dir/a.json.zst": "`zstd -dc dir/a.json.zst | jq -c '.[]' > dir/a-lines.jsonl`",
	} {
		if got, _ := reasonOf(Input{Text: []byte("[" + event + "]\n"), File: file}); !strings.HasSuffix(got, want) {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	if got, _ := reasonOf(Input{Text: []byte("\x1f\x8b\x08\x00"), File: "a.gz"}); !strings.HasSuffix(got, "`gzip -dc a.gz > a-lines.jsonl`") {
		t.Errorf("within compressed data: %s", got)
	}
}

// Standard input has no name that a command could have.
func TestStandardInput(t *testing.T) {
	got, _ := reasonOf(Input{Text: []byte("[" + event + "]\n"), File: "-"})
	if want := "Pipe it through `jq -c '.[]'` first"; !strings.HasSuffix(got, want) {
		t.Errorf("got %s, want %s", got, want)
	}
}

// Names are quoted as shells want them.
func TestNames(t *testing.T) {
	got, _ := reasonOf(Input{Text: []byte("[1]\n"), File: "it's my.json"})
	if want := `jq -c '.[]' 'it'\''s my.json' > 'it'\''s my-lines.jsonl'`; !strings.Contains(got, want) {
		t.Errorf("got %s, want %s", got, want)
	}
}

// A line that is too long.
func TestLong(t *testing.T) {
	for text, want := range map[string]string{
		"[" + event: "jq -c '.[]'", "\x1f\x8b\x08": "gzip -dc", event: "too long",
	} {
		if got, _ := Long(Input{Text: []byte(text), File: "a.json"}, "too long"); !strings.Contains(got, want) {
			t.Errorf("%q: got %s, want %s", text, got, want)
		}
	}
}

// Whatever the text, there is an answer; without one the reason stays.
func FuzzReason(f *testing.F) {
	for _, text := range []string{"", "\n", "\n{", "[", "{\"a\":1},", "a,b\n1,2", "I1120 10:00:00.1 1 a] ", "\x00a", "-: ", "\x1f", event + "}{"} {
		f.Add([]byte(text), true, false)
	}
	f.Fuzz(func(t *testing.T, text []byte, first, mapped bool) {
		in := Input{Text: text, File: "a", First: first, Mapped: mapped}
		if got, ok := Reason(in, "why"); got == "" || !ok && got != "why" {
			t.Errorf("%q: %q, %v", text, got, ok)
		}
		Long(in, "why")
	})
}
