package export_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"tracecheck/tlaplus/export"
	"tracecheck/trace"
	"tracecheck/validators"
	"tracecheck/validators/validatorstest"
)

// Whatever a document says, it is refused or makes lines that decode; and what
// they are can be written again.
func FuzzLines(f *testing.F) {
	for _, doc := range []string{
		`{"vars":["ns","pvc","pvc_state"],"states":[{"ns":{"#map":[["c1","nil"]]},"pvc":{"c1":"nil"},"pvc_state":{"c1":"Sync"}},{"ns":{"c1":"Sync"},"pvc":{"c1":1},"pvc_state":{"#map":[]}}]}`,
		`{"#meta":{"instance":"n1"},"states":[{"tasks":{"#set":[{"id":"t","service":"s","status":{"state":"new"},"desired_state":"running","node":"unassigned","slot":"global"}]},"nodes":{"n1":"up","n2":"down"},"containers":{"#map":[[{"#tup":["s",{"#bigint":"1"},"t"]},"running"]]},"services":{"s":{"replicas":1,"remove":false}}}]}`,
		`{"states":[{"allocated":{"#set":[{"#tup":["tcp",80]}]},"endpoints":{"e":{"spec":[{"mode":"host","name":"x","protocol":"tcp","published_port":"dynamic"}],"ports":{"#map":[[1,{}]]}}}},{"allocated":{"#set":[]},"endpoints":[]}]}`,
		`{"states":[{"queue":{"#set":["r"]},"confOK":true,"lastSubmitted":{"#bigint":"1"},"clusterState":{"req":"NULL","complete":true},"reqState":{"r":{"status":"valid","rank":1}}},{"queue":[],"reqState":{},"clusterState":{}}]}`,
		ports(`{"#map":[["a",P],["a",P]]}`), ports(`{"a\ud800":P,"b\udc00":P}`), ports(`{"#map":[[{"#tup":[1,"x"]},P],[{"#tup":[1,"x"]},P]]}`),
		`{"states":[]}`, `{"states":[{}]}`, `[`, ``, `{"states":[{"ns":{"#set":[1]},"pvc":2,"pvc_state":true}]}`,
	} {
		f.Add([]byte(doc))
	}
	f.Fuzz(func(t *testing.T, doc []byte) {
		var lines []string
		err := export.Lines(bytes.NewReader(doc), func(_ int, line []byte) error {
			var d trace.Decoder
			var ev trace.Event
			if err := d.Decode(bytes.Clone(line), trace.Pos{}, &ev); err != nil && bytes.Contains(line, []byte(`"id"`)) {
				t.Errorf("%s: %v", line, err)
			} else if err == nil {
				lines = append(lines, string(line))
			}
			return nil
		})
		if err != nil || len(lines) == 0 {
			return
		}
		if strings.Contains(strings.Join(lines, ""), "\uFFFD") && !bytes.ContainsRune(doc, '\uFFFD') && !bytes.Contains(bytes.ToLower(doc), []byte(`\ufffd`)) {
			t.Errorf("%q: what is no text has become U+FFFD in %q", doc, lines)
		}
		if key, is := repeats(doc); is {
			t.Errorf("%q: %s is there twice, and it was read as %q", doc, key, lines)
		}
		b, err := export.Export(t.Context(), validatorstest.Source(t, lines), export.Options{})
		if err != nil {
			return
		}
		var out bytes.Buffer
		if err := b.WriteITF(&out); err != nil {
			t.Error(err)
		}
		if err := b.WriteModule(&out, &out, "T"); err != nil && err != export.ErrBatched {
			t.Error(err)
		}
	})
}

// repeats finds a name or a key of a function that a state has twice, reading
// token by token: what decodes objects as maps takes one of the two.
func repeats(doc []byte) (key string, is bool) {
	d := json.NewDecoder(bytes.NewReader(doc))
	d.UseNumber()
	note := func(seen map[string]bool, name string) {
		if seen[name] && !is {
			key, is = name, true
		}
		seen[name] = true
	}
	var value func(depth int, counts bool) string
	value = func(depth int, counts bool) string {
		token, err := d.Token()
		if err != nil {
			return ""
		}
		seen := map[string]bool{}
		text := fmt.Sprintf("%T %v", token, token)
		switch token {
		case json.Delim('{'):
			for d.More() {
				name, _ := d.Token()
				if counts && depth > 1 {
					note(seen, name.(string))
				}
				text += fmt.Sprintf("%q:", name)
				if name == "#map" && counts && depth > 1 {
					text += pairs(d, func() string { return value(depth+2, true) }, func(key string) { note(seen, "key "+key) })
				} else {
					text += value(depth+1, counts && name != "#meta" && (depth > 0 || name == "states"))
				}
			}
			d.Token()
		case json.Delim('['):
			for d.More() {
				text += value(depth+1, counts) + ","
			}
			d.Token()
		}
		return text
	}
	value(0, true)
	return key, is
}

// pairs reads what a #map has, and notes the first of each pair.
func pairs(d *json.Decoder, value func() string, note func(key string)) (text string) {
	if token, _ := d.Token(); token != json.Delim('[') {
		return fmt.Sprint(token) // Lines refuses it
	}
	for d.More() {
		if token, _ := d.Token(); token != json.Delim('[') {
			return text
		}
		for first := true; d.More(); first = false {
			one := value()
			if text += one + ","; first {
				note(one)
			}
		}
		d.Token()
	}
	d.Token()
	return text
}

// However any trace of the cases is cut short, its export does not panic, and
// says what it refuses.
func FuzzExport(f *testing.F) {
	f.Add([]byte(`{"kind":"task","op":"update","id":"t","object":{"slot":"global"}}`))
	f.Add([]byte(`{"kind":"container","op":"create","id":"t","object":{"node":"n1"}}`))
	f.Add([]byte(`{"kind":"request","op":"delete","id":"r"}`))
	f.Add([]byte("{\"kind\":\"allocator\",\"op\":\"create\",\"object\":{\"allocated\":[\"tcp\",5]}}\n{\"kind\":\"endpoint\",\"op\":\"create\",\"id\":\"e\",\"object\":{\"spec\":1,\"ports\":[{}]}}"))
	f.Add([]byte(`{"kind":"syncer","op":"create","id":"c","object":{"namespace":"n"}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var lines []string
		for line := range bytes.SplitSeq(data, []byte{'\n'}) {
			var d trace.Decoder
			var ev trace.Event
			if d.Decode(bytes.Clone(line), trace.Pos{}, &ev) == nil {
				lines = append(lines, string(line))
			}
		}
		b, err := export.Export(t.Context(), validatorstest.Source(t, lines), export.Options{})
		if err != nil {
			return
		}
		var out bytes.Buffer
		if err := b.WriteITF(&out); err != nil {
			t.Error(err)
		}
		if err := b.WriteModule(&bytes.Buffer{}, &bytes.Buffer{}, "T"); err != nil && err != export.ErrBatched {
			t.Error(err)
		}
		judgeITF(t, out.Bytes(), validators.Options{KeepGoing: true})
	})
}
