package trace

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func mustDecode(t testing.TB, line string) Event {
	t.Helper()
	var d Decoder
	var ev Event
	if err := d.Decode([]byte(line), Pos{"f", 1}, &ev); err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	return ev
}

func TestDecodeEnvelope(t *testing.T) {
	ev := mustDecode(t, `{"stream":"prod-eu","seq":1042,"time":"2026-11-20T10:00:00.123Z","tx":"4711","kind":"task","op":"update","id":"t1","actor":"allocator","action":"AllocateTask","object":{"state":"pending"}}`)
	if ev.Stream != "prod-eu" || !ev.HasSeq || ev.Seq != 1042 || ev.Time != "2026-11-20T10:00:00.123Z" ||
		ev.Tx.String() != "4711" || ev.Kind != kindTask || ev.Op != OpUpdate || ev.ID != "t1" ||
		ev.Actor != "allocator" || ev.Action != "AllocateTask" {
		t.Errorf("got %+v", ev)
	}
	if v := ev.Fields.Get(fieldState); v != (Value{Type: String, Str: "pending"}) {
		t.Errorf("state: got %+v", v)
	}
	if v := ev.Fields.Get(fieldNode); v.Type != Absent {
		t.Errorf("node was left out: got %+v", v)
	}
}

func TestDecodeUnusual(t *testing.T) {
	for _, c := range []struct {
		name, line string
		field      FieldName
		want       Value
	}{
		{"escapes in a value", `{"kind":"task","op":"update","id":"t","object":{"node":"a\u0062\/\"c"}}`, fieldNode, Value{Type: String, Str: `ab/"c`}},
		{"escapes in a key", `{"kind":"task","op":"update","id":"t","object":{"st\u0061te":"new"}}`, fieldState, Value{Type: String, Str: "new"}},
		{"null", `{"kind":"task","op":"update","id":"t","object":{"node":null}}`, fieldNode, Value{Type: Null}},
		{"an integer written as a float", `{"kind":"task","op":"update","id":"t","object":{"slot":2.0}}`, fieldSlot, Value{Type: Int, Int: 2}},
		{"an integer written with an exponent", `{"kind":"task","op":"update","id":"t","object":{"slot":1e2}}`, fieldSlot, Value{Type: Int, Int: 100}},
		{"no integer", `{"kind":"task","op":"update","id":"t","object":{"slot":1.5}}`, fieldSlot, Value{Type: Other, Str: "1.5"}},
		{"an integer beyond 64 bits", `{"kind":"task","op":"update","id":"t","object":{"slot":9223372036854775808}}`, fieldSlot, Value{Type: Other, Str: "9223372036854775808"}},
		{"an object", `{"kind":"pvc","op":"update","id":"p","object":{"clusters":{"c":null}}}`, fieldClusters, Value{Type: Other, Str: `{"c":null}`}},
		{"a key twice", `{"kind":"task","op":"update","id":"t","object":{"slot":1,"slot":2}}`, fieldSlot, Value{Type: Int, Int: 2}},
		{"an object twice", `{"kind":"task","op":"update","id":"t","object":{"slot":1},"object":{"slot":3}}`, fieldSlot, Value{Type: Int, Int: 3}},
		{"an unknown field first", `{"kind":"task","op":"update","id":"t","object":{"x":{"slot":9},"slot":4}}`, fieldSlot, Value{Type: Int, Int: 4}},
		{"false", `{"kind":"service","op":"update","id":"s","object":{"remove":false}}`, fieldRemove, Value{Type: Bool}},
	} {
		ev := mustDecode(t, c.line)
		if got := ev.Fields.Get(c.field); got != c.want {
			t.Errorf("%s: got %+v, want %+v", c.name, got, c.want)
		}
	}
}

func TestDecodeRefuses(t *testing.T) {
	deep := strings.Repeat("[", MaxDepth+1) + strings.Repeat("]", MaxDepth+1)
	for _, c := range []struct{ line, reason string }{
		{`{"kind":"task"`, "not JSON"},
		{`{"kind":"task"} x`, "not JSON"},
		{`[]`, "an event is a JSON object"},
		{`{}`, `no "kind"`},
		{`{"kind":"tusk","op":"update","id":"t"}`, `unknown kind "tusk"`},
		{`{"kind":"line","op":"update","id":"t"}`, `unknown kind "line"`}, // the kinds of a bind file's logs
		{`{"kind":"variable","op":"update","id":"t"}`, `unknown kind "variable"`},
		{`{"kind":7,"op":"update","id":"t"}`, "kind must be a string"},
		{`{"kind":"task","id":"t"}`, `no "op"`},
		{`{"kind":"task","op":"upsert","id":"t"}`, `unknown op "upsert"`},
		{`{"kind":"task","op":"update"}`, `no "id"`},
		{`{"kind":"task","op":"update","id":7}`, "id must be a string"},
		{`{"kind":"task","op":"update","id":"t","seq":1.5}`, "seq must be an integer"},
		{`{"kind":"task","op":"update","id":"t","seq":"1"}`, "seq must be an integer"},
		{`{"kind":"task","op":"update","id":"t","tx":[]}`, "tx must be a string or an integer"},
		{`{"kind":"task","op":"update","id":"t","time":"yesterday"}`, "RFC 3339"},
		{`{"kind":"task","op":"update","id":"t","time":""}`, "RFC 3339"},
		{`{"kind":"task","op":"update","id":"t","time":"2026-11-20T1:00:00Z"}`, "RFC 3339"},
		{`{"kind":"task","op":"update","id":"t","time":"2026-11-20T10:00:00,5Z"}`, "RFC 3339"},
		{`{"kind":"task","op":"update","id":"t","time":"2026-11-20T10:00:00+24:00"}`, "RFC 3339"},
		{`{"kind":"task","op":"update","id":"t","time":"2026-11-20T10:00:00.5+23:60"}`, "RFC 3339"},
		{`{"kind":"task","op":"update","id":"t","object":[]}`, `"object" must be a JSON object`},
		{`{"kind":"task","op":"update","id":"t","x":` + deep + `}`, "nest deeper"},
		{"{\"kind\":\"task\",\"op\":\"update\",\"id\":\"\xff\"}", "not valid UTF-8"},
		{`{"kind":"` + strings.Repeat("x", 5000) + `","op":"update","id":"t"}`, "unknown kind"},
	} {
		var d Decoder
		var ev Event
		err := d.Decode([]byte(c.line), Pos{"f", 7}, &ev)
		if err == nil || !strings.Contains(err.Error(), c.reason) || !strings.HasPrefix(err.Error(), "f:7: ") {
			t.Errorf("%.100s: got error %v, want one with %q", c.line, err, c.reason)
		}
		if err != nil && len(err.Error()) > 300 {
			t.Errorf("%.100s: an error of %d bytes", c.line, len(err.Error()))
		}
	}
	mustDecode(t, `{"kind":"cluster","op":"update","object":{}}`) // a singleton needs no id
	mustDecode(t, `{"kind":"meta"}`)
	mustDecode(t, `{"kind":"task","op":"update","id":"t","actor":null,"tx":null,"seq":null,"time":null,"stream":null}`)
}

func TestTxNames(t *testing.T) {
	tx := func(v string) Tx { return mustDecode(t, `{"kind":"task","op":"update","id":"t","tx":`+v+`}`).Tx }
	if tx("12") != tx("12.0") {
		t.Error("12 and 12.0 are one number and so one transaction")
	}
	if tx("12") == tx(`"12"`) {
		t.Error(`12 and "12" are two transactions`)
	}
	if tx("null").IsSet() || !tx(`""`).IsSet() {
		t.Error("null is no transaction, and the empty string is one")
	}
}

func TestDecodeDoesNotAllocate(t *testing.T) {
	line := []byte(`{"stream":"prod-eu","seq":1042,"time":"2026-11-20T10:00:00.123Z","tx":4711,"kind":"task","op":"update","id":"t1","object":{"state":"pending","message":"pending task scheduling","desired_state":"running"}}`)
	var d Decoder
	var ev Event
	if n := testing.AllocsPerRun(1000, func() {
		d.Reset()
		if err := d.Decode(line, Pos{"f", 1}, &ev); err != nil {
			t.Fatal(err)
		}
	}); n > 0 {
		t.Errorf("%v allocations per line, want none", n)
	}
}

func TestCloneOwnsItsBytes(t *testing.T) {
	line := []byte(`{"kind":"task","op":"update","id":"t1","tx":"a","stream":"s","time":"2026-11-20T10:00:00Z","actor":"agent","action":"A\u0041","object":{"state":"pending","slot":2,"node":""}}`)
	var d Decoder
	var ev Event
	if err := d.Decode(line, Pos{"f", 1}, &ev); err != nil {
		t.Fatal(err)
	}
	c, want := ev.Clone(), mustDecode(t, string(line))
	for i := range line {
		line[i] = 'x'
	}
	if want.Action != "AA" || !reflect.DeepEqual(c, want) {
		t.Errorf("got  %+v\nwant %+v", c, want)
	}
}

// FuzzDecode compares with encoding/json, and what is text with isText: both that
// library and gjson read every half of a surrogate pair as U+FFFD.
func FuzzDecode(f *testing.F) {
	for _, line := range []string{
		`{"kind":"task","op":"create","id":"t1","object":{"service":"web","slot":1,"node":"","state":"new","desired_state":"running"}}`,
		`{"seq":1e3,"tx":1.0,"kind":"service","op":"update","id":"\ud83d\ude00","object":{"replicas":"global","remove":true,"replicas":-0}}`,
		`{"kind":"node","op":"delete","id":"n","time":"2026-11-20T10:00:00Z","stream":"\u0000"}`,
		`{"kind":"request","op":"snapshot","id":"r","object":{"rank":null,"queued":false,"status":["x",{"y":1}]}}`,
		`{"kind":"node","op":"update","id":"a\ud800","object":{"x":"\udc00"}}`, `{"kind":"meta","object":{"constants":{"clusters":["a\ud801"]}}}`,
		`{"kind":"pvc","op":"update","id":"p","object":{"clusters":{"a":"nil","\u0061":"Sync"}}}`,
	} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		var d Decoder
		var ev Event
		err := d.Decode([]byte(line), Pos{}, &ev)
		want, wantErr := reference(line)
		if (err == nil) != (wantErr == nil) {
			t.Fatalf("%q: got error %v, encoding/json gives %v", line, err, wantErr)
		}
		if err != nil {
			return
		}
		got := map[string]string{
			"stream": ev.Stream, "kind": ev.Kind.String(), "op": ev.Op.String(), "id": ev.ID, "time": ev.Time,
			"actor": ev.Actor, "action": ev.Action,
		}
		if ev.HasSeq {
			got["seq"] = fmt.Sprint(ev.Seq)
		}
		for _, f := range ev.Fields {
			got["."+f.Name.String()] = fmt.Sprintf("%d %s %d", f.Type, f.Str, f.Int)
			if f.Type == Other {
				got["."+f.Name.String()] = "other"
			}
		}
		for k, v := range want {
			if k == "op" && ev.Kind == KindMeta {
				continue
			}
			if got[k] != v {
				t.Errorf("%q: %s: got %q, want %q", line, k, got[k], v)
			}
		}
		for k := range got {
			if _, ok := want[k]; !ok && got[k] != "" {
				t.Errorf("%q: %s: got %q, want none", line, k, got[k])
			}
		}
	})
}

// reference decodes by the standard library alone.
func reference(line string) (map[string]string, error) {
	bad := fmt.Errorf("refused")
	if !utf8.ValidString(line) || !json.Valid([]byte(line)) || nesting(line) > MaxDepth {
		return nil, bad
	}
	m, ok := membersOf([]byte(line), func(name string) bool {
		return slices.Contains([]string{"stream", "kind", "op", "id", "tx", "time", "actor", "action", "seq"}, name)
	})
	if !ok {
		return nil, bad
	}
	got := map[string]string{}
	for _, name := range []string{"stream", "kind", "op", "id", "time", "actor", "action"} {
		var s *string
		if raw, ok := m[name]; ok && json.Unmarshal(raw, &s) != nil {
			return nil, bad
		}
		if s != nil {
			got[name] = *s
		}
	}
	if raw, ok := m["kind"]; !ok || string(raw) == "null" || ParseKind(got["kind"]) == KindNone {
		return nil, bad
	}
	if s := got["time"]; s != "" {
		if _, ok := parseTime(s); !ok {
			return nil, bad
		}
	}
	if raw, ok := m["seq"]; ok && string(raw) != "null" {
		n, ok := wholeNumber(raw)
		if !ok {
			return nil, bad
		}
		got["seq"] = fmt.Sprint(n)
	}
	if raw, ok := m["tx"]; ok && string(raw) != "null" && raw[0] != '"' {
		if _, ok := wholeNumber(raw); !ok {
			return nil, bad
		}
	}
	if !isText(string(m["object"])) && got["kind"] == "meta" {
		return nil, bad
	}
	var fields map[string]json.RawMessage
	if raw, ok := m["object"]; ok && string(raw) != "null" {
		if fields, ok = membersOf(raw, func(name string) bool { return fieldByName(name) != noField }); !ok {
			return nil, bad
		}
	}
	if raw := fields["clusters"]; len(raw) > 0 && raw[0] == '{' && (got["kind"] == "namespace" || got["kind"] == "pvc") {
		var keys map[string]json.RawMessage
		if json.Unmarshal(raw, &keys); len(keys) != count(raw) {
			return nil, bad
		}
	}
	if got["kind"] != "meta" {
		if parseOp(got["op"]) == OpNone {
			return nil, bad
		}
		if got["id"] == "" && !ParseKind(got["kind"]).IsSingleton() {
			return nil, bad
		}
	}
	for name, raw := range fields {
		if fieldByName(name) == noField {
			continue
		}
		var s string
		n, isInt := wholeNumber(raw)
		switch {
		case string(raw) == "null":
			got["."+name] = fmt.Sprintf("%d  0", Null)
		case string(raw) == "true" || string(raw) == "false":
			got["."+name] = fmt.Sprintf("%d  %d", Bool, len("false")-len(raw))
		case json.Unmarshal(raw, &s) == nil:
			got["."+name] = fmt.Sprintf("%d %s 0", String, s)
		case isInt:
			got["."+name] = fmt.Sprintf("%d  %d", Int, n)
		default:
			got["."+name] = "other"
		}
	}
	return got, nil
}

// membersOf are an object's, of repeated ones the last; false if it is none, or
// a name in it is not text: a key, or what a member has that has names.
func membersOf(object []byte, hasNames func(string) bool) (map[string]json.RawMessage, bool) {
	var all map[string]json.RawMessage
	if json.Unmarshal(object, &all) != nil || all == nil {
		return nil, false
	}
	d := json.NewDecoder(bytes.NewReader(object))
	d.Token()
	for d.More() {
		from := d.InputOffset()
		key, _ := d.Token()
		if !isText(string(object[from:d.InputOffset()])) {
			return nil, false
		}
		var value json.RawMessage
		if d.Decode(&value); hasNames(key.(string)) && !isText(string(value)) {
			return nil, false
		}
	}
	return all, true
}

// count returns how many members the object has, each as often as it is there.
func count(object []byte) (n int) {
	d := json.NewDecoder(bytes.NewReader(object))
	for d.Token(); d.More(); n++ {
		var value json.RawMessage
		d.Token()
		d.Decode(&value)
	}
	return n
}

// wholeNumber is the integer that the JSON number means; one not written
// as an integer counts up to 2^53.
func wholeNumber(raw json.RawMessage) (int64, bool) {
	var n json.Number
	if raw[0] == '"' || json.Unmarshal(raw, &n) != nil {
		return 0, false
	}
	if i, err := n.Int64(); err == nil {
		return i, true
	}
	f, err := n.Float64()
	if err != nil || math.Abs(f) >= 1<<53 || !strings.ContainsAny(string(n), ".eE") {
		return 0, false
	}
	i, acc := big.NewFloat(f).Int64()
	return i, acc == big.Exact
}

func nesting(line string) int {
	depth, most, inString := 0, 0, false
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case inString && c == '\\':
			i++
		case c == '"':
			inString = !inString
		case !inString && (c == '{' || c == '['):
			depth++
			most = max(most, depth)
		case !inString && (c == '}' || c == ']'):
			depth--
		}
	}
	return most
}
