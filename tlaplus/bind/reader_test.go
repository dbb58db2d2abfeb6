package bind

import (
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"tracecheck/tlaplus/value"
	"tracecheck/trace"
)

// FuzzReader: a line has the value that gjson leads to, also where the reader knows the
// fields of earlier lines.
func FuzzReader(f *testing.F) {
	for _, line := range []string{
		`{"event":"Add","args":["t1",-3,true,false,null],"n":0,"m":12345678,"big":4294967297,"far":1e2,"half":-2.5}`,
		` { "a" : { } , "b" : [ ] ,	"a" : [ 1 , [ 2 ] ] } `,
		`{"a":"x\"y\\","é\n":"é\ud83d\ude00","":{"":""}}`,
		`{"a":123456789,"b":1234567890,"c":-0,"d":00}`,
		`"\u0041"`, `[]`, `7`, `1e400`,
	} {
		f.Add(line)
	}
	space := value.NewSpace()
	r := &reader{space: space, null: space.Model(nullName)}
	f.Fuzz(func(t *testing.T, line string) {
		if trace.CheckJSON([]byte(line)) != "" {
			t.Skip()
		}
		var want value.Value
		if err := guarded(func() { want = valueOfJSON(r, gjson.Parse(line)) }); err != nil || trace.HalfPair(line) >= 0 {
			want = nil
		}
		for range 2 {
			got, reason := r.text(strings.Clone(line), nil)
			if (want == nil) != (got == nil) || want != nil && !value.Identical(got, want) {
				t.Fatalf("%s: %v (%s), want %v", line, got, reason, want)
			}
		}
	})
}

// valueOfJSON is the value that the reader makes without a shape.
func valueOfJSON(r *reader, j gjson.Result) value.Value {
	switch {
	case j.Type == gjson.True:
		return value.True
	case j.Type == gjson.False:
		return value.False
	case j.Type == gjson.String:
		return r.space.String(strings.Clone(j.Str))
	case j.Type == gjson.Number:
		return numberOf(j.Raw)
	case j.IsArray():
		var list []value.Value
		for _, e := range j.Array() {
			list = append(list, valueOfJSON(r, e))
		}
		return value.NewTuple(list...)
	case j.IsObject():
		var keys, vals []value.Value
		j.ForEach(func(k, v gjson.Result) bool {
			keys, vals = append(keys, r.space.String(strings.Clone(k.Str))), append(vals, valueOfJSON(r, v))
			return true
		})
		return function(keys, vals)
	}
	return r.null
}

// TestReaderFields: names of fields that are data take no space for good.
func TestReaderFields(t *testing.T) {
	space := value.NewSpace()
	space.Settle()
	r := &reader{space: space, null: space.Model(nullName)}
	for i := range 3 * mostLayouts {
		line := `{"` + strings.Repeat("x", i%97) + string(rune('a'+i%26)) + strings.Repeat("y", i%89) + `":1,"b":{"` + strings.Repeat("z", i%83) + `":2}}`
		if v, reason := r.text(line, nil); v == nil {
			t.Fatal(reason)
		}
		if len(r.first.next) > mostNext || r.places > mostLayouts+mostNext {
			t.Fatalf("after %d lines: %d layouts, %d of them first ones", i+1, r.places, len(r.first.next))
		}
	}
}
