package trace

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
)

// checkShapes decodes lines with shapes, and compares each event with that of a Decoder
// without shapes. It returns how many lines had the shape of an earlier one.
func checkShapes(t *testing.T, d *Decoder, lines ...string) (shaped int) {
	t.Helper()
	for i, line := range lines {
		pos := Pos{"f", i + 1}
		var got, want Event
		if d.shaped(&Event{Raw: line}) {
			shaped++
		}
		gotErr := d.Decode([]byte(line), pos, &got)
		wantErr := new(Decoder).Decode([]byte(line), pos, &want)
		if !reflect.DeepEqual(gotErr, wantErr) {
			t.Fatalf("%q after %q: got error %v, want %v", line, lines[:i], gotErr, wantErr)
		}
		if gotErr == nil && !reflect.DeepEqual(got, want) {
			t.Errorf("%q after %q:\ngot  %+v\nwant %+v", line, lines[:i], got, want)
		}
	}
	return shaped
}

// similar are pairs of lines with one shape.
var similar = [][2]string{
	{`{"kind":"task","op":"create","id":"t1","object":{"service":"web","slot":1,"node":"","state":"new"}}`,
		`{"kind":"task","op":"create","id":"t22","object":{"service":"","slot":12345678901,"node":null,"state":[1]}}`},
	{`{"stream":"prod-eu","seq":1042,"time":"2026-11-20T10:00:00.123Z","tx":"4711","kind":"task","op":"update","id":"t1","actor":"allocator","action":"AllocateTask","object":{"state":"pending"}}`,
		`{"stream":"","seq":-7,"time":"2026-11-20T10:00:59.5Z","tx":4711,"kind":"task","op":"update","id":"a longer id","actor":"allocator","action":"AllocateTask","object":{"state":"x"}}`},
	{`{"time":"2026-11-20T10:00:00Z","kind":"node","op":"delete","id":"n"}`, `{"time":"2026-11-20T11:00:00.123456789+01:00","kind":"node","op":"delete","id":"m"}`},
	{`{"seq":1,"kind":"node","op":"update","id":"n","host":{"a":[1]},"object":{"labels":{"a":["b",{"c":null}]},"state":"up"}}`,
		`{"seq":2,"kind":"node","op":"update","id":"m","host":null,"object":{"labels":true,"state":{}}}`},
	{` { "kind" : "service" , "op" : "delete" , "id" : "s" } `, ` { "kind" : "service" , "op" : "delete" , "id" : "t" } `},
	{`{"kind":"service","op":"create","id":"s","object":{},"seq":1}`, `{"kind":"service","op":"create","id":"s","object":{},"seq":2}`},
	{`{"seq":1,"kind":"endpoint","op":"create","id":"e","object":{"spec":[{"name":"a","published_port":0},{"name":"b","published_port":1}],"ports":[]}}`,
		`{"seq":2,"kind":"endpoint","op":"create","id":"f","object":{"spec":[{"name":"c","published_port": 0},{"port":"b"},{}],"ports":[{"name":1,"x":2}]}}`},
	{`{"kind":"meta","object":{"format":1}}`, `{"kind":"meta","object":{"format":2}}`},
}

func TestShapes(t *testing.T) {
	var all []string
	for _, p := range similar {
		if n := checkShapes(t, &Decoder{Shapes: &Shapes{}}, p[0], p[1], p[0]); n != 2 {
			t.Errorf("%s: %d of 2 lines had its shape", p[0], n)
		}
		all = append(all, p[0], p[1])
	}
	if n := checkShapes(t, &Decoder{Shapes: &Shapes{}}, append(all, all...)...); n != len(all)+len(similar) {
		t.Errorf("%d of %d lines had an earlier shape", n, len(all)+len(similar))
	}
}

// Each line after the first is one change away from its shape.
func TestOtherShapes(t *testing.T) {
	first := `{"stream":"s","seq":1,"time":"2026-11-20T10:00:00.5Z","tx":1,"kind":"task","op":"update","id":"t1","more":1,"object":{"state":"a","x":1}}`
	for _, change := range [][2]string{
		{`"s"`, `"\u0041"`}, {`"s"`, "\"\xff\""}, {`"s"`, `1`}, {`"s"`, `"é"`}, {`:1`, `:01`}, {`:1`, `:1.5`}, {`:1`, `:`}, {`:1`, `:"1"`}, {`:1`, `:nul`}, {`:1`, `:null`},
		{`00.5Z`, `61.5Z`}, {`00.5Z`, `00.Z`}, {`00.5Z`, `00.5`}, {`00.5Z`, `0`}, {`.5Z"`, `.5Z`}, {`"2026-11-20T10:00:00.5Z"`, `1`}, {`2026-11-20T10:00`, strings.Repeat("\x00", 16)},
		{`"tx":1`, `"tx":true`}, {`"tx":1`, `"tx":[]`}, {`"t1"`, `""`}, {`"t1"`, `1`}, {`"more":1`, `"more":{"a":}`}, {`"more":1`, `"op":"create"`}, {`"a"`, `"a`}, {`"a"`, `["é"]`}, {`"a"`, "[\"\xff\"]"},
		{`"x":1`, `"state":1`}, {`"x":1`, `"x":1,"x":2`}, {`}}`, `}`}, {`}}`, `}}}`}, {`}}`, `}} x`}, {`}}`, `}`}, {first, ``}, {first, `{`},
	} {
		changed := strings.Replace(first, change[0], change[1], 1)
		d := Decoder{Shapes: &Shapes{}}
		checkShapes(t, &d, first, changed, first)
		checkShapes(t, &Decoder{Shapes: d.Shapes}, changed) // it has read no time yet
		checkShapes(t, &Decoder{Shapes: &Shapes{}}, changed, first)
	}
	object := `{"kind":"namespace","op":"update","id":"n","object":{"clusters":{"a":1,"b":2}}}`
	checkShapes(t, &Decoder{Shapes: &Shapes{}}, object, strings.Replace(object, `"b"`, `"a"`, 1))
}

// Shapes are bounded, however many shapes the lines have.
func TestShapesAreBounded(t *testing.T) {
	d := Decoder{Shapes: &Shapes{}}
	var lines []string
	for i := range 3000 {
		lines = append(lines, fmt.Sprintf(`{"kind":"node","op":"delete","k%d":1,"id":"n","k%d":2,"actor":"a%d"}`, i%40, i%7, i))
	}
	checkShapes(t, &d, append(lines, `{"kind":"node","op":"delete","id":"n","actor":"`+strings.Repeat("a", 2*mostText)+`"}`)...)
	pieces, text := 0, 0
	var count func(p *piece)
	count = func(p *piece) {
		if len(p.next) > mostNext {
			t.Errorf("%d pieces follow %q", len(p.next), p.text)
		}
		for _, q := range p.next {
			pieces, text = pieces+1, max(text, len(q.text))
			count(q)
		}
	}
	count(&d.Shapes.start)
	if pieces != mostPieces || text > mostText || d.Shapes.lines != mostLines || d.Shapes.misses <= mostMisses {
		t.Errorf("%d lines made %d pieces, of at most %d bytes; misses: %d", d.Shapes.lines, pieces, text, d.Shapes.misses)
	}
}

func FuzzShapes(f *testing.F) {
	for _, p := range similar {
		f.Add(p[0], p[1], p[0])
	}
	f.Fuzz(func(t *testing.T, a, b, c string) {
		checkShapes(t, &Decoder{Shapes: &Shapes{}}, a, b, c, a, b, c)
	})
}
