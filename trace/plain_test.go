package trace

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// plainly is what plain reads of the line, nil where it leaves it to gjson.
func plainly(line string) *Event {
	if !utf8.ValidString(line) {
		return nil
	}
	var d Decoder
	ev := &Event{Pos: Pos{"f", 1}, Raw: line}
	e := envelope{ev: ev}
	if !d.plain(line, &e) || e.check() != "" {
		return nil
	}
	ev.Print = e.print()
	if ev.Fields = e.fields; len(e.fields) == 0 {
		ev.Fields = nil
	}
	return ev
}

// checkPlain compares what plain reads with what gjson does.
func checkPlain(t *testing.T, line string) (accepted bool) {
	t.Helper()
	got := plainly(line)
	if got == nil {
		return false
	}
	want := &Event{Pos: Pos{"f", 1}, Raw: line}
	e := envelope{ev: want}
	if err := e.read([]byte(line)); err != nil {
		t.Fatalf("%q: read in the plain way, but %v", line, err)
	}
	want.Print = e.print()
	if want.Fields = e.fields; len(e.fields) == 0 {
		want.Fields = nil
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%q:\ngot  %+v\nwant %+v", line, got, want)
	}
	return true
}

// What plain is for: it must not leave these to gjson.
var plainLines = []string{
	`{"kind":"task","op":"create","id":"t1","object":{"service":"web","slot":1,"node":"","state":"new","desired_state":"running"}}`,
	`{"stream":"prod-eu","seq":1042,"time":"2026-11-20T10:00:00.123Z","tx":"4711","kind":"task","op":"update","id":"t1","actor":"allocator","action":"AllocateTask","object":{"state":"pending"}}`,
	`{"kind": "node", "op": "update", "id": "n", "tx": -3, "object": {"labels": {"a": ["b", {"c": null}]}, "state": "up"}}`,
	` {"kind":"service","op":"delete","id":"é 世界"	} `,
	`{"kind":"service","op":"create","id":"s","object":{},"object":{"replicas":null,"remove":true,"replicas":2,"x":false}}`,
	`{"kind":"endpoint","op":"create","id":"e","object":{"spec":[ {"name":"a" , "published_port":0},[],{} ],"ports":[1,-2 ,true,false,null,"x"]}}`,
	`{"kind":"meta","object":{"slot":` + nested(MaxDepth-2) + `}}`,
	`{"kind":"meta"}`,
}

// nested is a value of so many arrays, one in another.
func nested(depth int) string {
	return strings.Repeat("[", depth) + strings.Repeat("]", depth)
}

func TestPlainReadsAsGjson(t *testing.T) {
	for _, line := range plainLines {
		if !checkPlain(t, line) {
			t.Errorf("%s: left to gjson", line)
		}
	}
}

// Each line is one change away from a plain one.
func TestPlainLeavesTheRest(t *testing.T) {
	for _, value := range []string{
		`"a\u0062"`, `1.0`, `1e2`, `1234567890123456789`, `01`, `-`, `nul`, `tru`, `fals`, `[1`, `{"a":}`, `[01]`, `"` + "\x01" + `"`, `"x`, ``, `+1`, `--1`,
		`[1,]`, `[,1]`, `[1 2]`, `[1}`, `{"a":1]`, `{"a"}`, `{1:1}`, `{"a":1,}`, `{"a":1 "b":2}`, `[1.5]`, `["
"]`, `[`, `{`, `{"a"`, `{"a":`, `[[]`,
		nested(MaxDepth - 1), strings.Replace(nested(MaxDepth-1), "[]", "[1]", 1),
	} {
		for _, line := range []string{`{"kind":"meta","object":{"slot":` + value + `}}`, `{"kind":"meta","other":` + value + `}`} {
			if plainly(line) != nil {
				t.Errorf("%s: not left to gjson", line)
			}
		}
	}
	for _, line := range []string{``, ` `, `1`, `{}`, `{"kind":"meta"`, `{"kind":"meta",}`, `{,"kind":"meta"}`, `{"kind" "meta"}`, `{"kind":"meta"}x`,
		`{"kind":"meta","object":1}`, `{"kind":"meta","object":{,}}`, `{"kind":"meta","object":{"a":1,}}`, `{"kind":"meta","object":{"a" 1}}`, `{"kind":"meta","object":{"a":1`,
		`{"kind":"meta" "op":"x"}`, `{"kind":1}`, `{"kind":"meta","time":"yesterday"}`, `{"kind":"meta","seq":"1"}`, `{"kind":"meta","tx":true}`, `{"kind":"meta","id":null}`, `{kind:"meta"}`} {
		if plainly(line) != nil {
			t.Errorf("%s: not left to gjson", line)
		}
	}
}

func FuzzPlain(f *testing.F) {
	for _, line := range plainLines {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		if !strings.Contains(line, "\n") {
			checkPlain(t, line)
		}
	})
}

// A clock that has read other times reads each as the library does, but for a comma.
func TestClock(t *testing.T) {
	var c clock
	texts := []string{"", "2026-11-20T10:00:00Z", "2026-11-20T10:00:00.5Z", "2026-11-20T10:00:59.123456789Z", "2026-11-20T10:00:60Z", "2026-11-20T10:00:5Z",
		"2026-11-20T10:00:00.1234567891Z", "2026-11-20T10:00:00.Z", "2026-11-20T10:00:00", "2026-11-20T10:00:00+01:00", "2026-11-20T10:00:00.25-08:30", "2026-11-20T10:00:0xZ",
		"2026-11-20T10:00:00.1x3Z", "2026-11-20T10:01:00Z", "2026-02-30T10:00:00Z", "1969-12-31T23:59:59.999Z", "1700-01-01T00:00:30Z", "9999-12-31T23:59:59Z", "0001-01-01T00:00:00Z",
		"2026-11-20T10:00:00,5Z", "2026-11-20t10:00:00z"}
	for _, before := range texts {
		for _, text := range texts {
			var ignored, got int64
			c.read(before, &ignored)
			ok := c.read(text, &got)
			want, err := time.Parse(time.RFC3339, text)
			if ok != (err == nil && !strings.Contains(text, ",")) || ok && got != nanos64(want) {
				t.Errorf("%q after %q: got %d, %t; want %d, %v", text, before, got, ok, nanos64(want), err)
			}
		}
	}
}

func BenchmarkDecode(b *testing.B) {
	lines := make([][]byte, 64)
	for i := range lines {
		lines[i] = fmt.Appendf(nil, `{"stream":"prod-eu","seq":%d,"time":"2026-11-20T10:00:00.123Z","tx":%d,"kind":"task","op":"update","id":"task-%d","object":{"state":"pending"}}`, i, i, i)
	}
	for name, decode := range map[string]func(*Decoder, []byte, *Event) error{
		"plain": func(d *Decoder, line []byte, ev *Event) error { return d.Decode(line, Pos{}, ev) },
		"gjson": func(d *Decoder, line []byte, ev *Event) error {
			*ev = Event{Raw: string(line)}
			e := envelope{ev: ev, fields: d.arena[:0]}
			return e.read(line)
		},
	} {
		b.Run(name, func(b *testing.B) {
			d := Decoder{arena: make([]Field, 0, 64)}
			var ev Event
			for i := 0; b.Loop(); i++ {
				d.Reset()
				if err := decode(&d, lines[i%64], &ev); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
