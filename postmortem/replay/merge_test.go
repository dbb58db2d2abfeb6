package replay

import (
	"encoding/json"
	"reflect"
	"testing"
	"unicode/utf8"

	"github.com/tidwall/gjson"
)

// The examples of RFC 7396, appendix A, whose patch and target are objects, and
// what its text states of the rest.
func TestMerge(t *testing.T) {
	for _, c := range []struct{ old, patch, want string }{
		{`{"a":"b"}`, `{"a":"c"}`, `{"a":"c"}`},
		{`{"a":"b"}`, `{"b":"c"}`, `{"a":"b","b":"c"}`},
		{`{"a":"b"}`, `{"a":null}`, `{}`},
		{`{"a":"b","b":"c"}`, `{"a":null}`, `{"b":"c"}`},
		{`{"a":["b"]}`, `{"a":"c"}`, `{"a":"c"}`},
		{`{"a":"c"}`, `{"a":["b"]}`, `{"a":["b"]}`},
		{`{"a":{"b":"c"}}`, `{"a":{"b":"d","c":null}}`, `{"a":{"b":"d"}}`},
		{`{"a":[{"b":"c"}]}`, `{"a":[1]}`, `{"a":[1]}`},
		{`{}`, `{"a":{"bb":{"ccc":null}}}`, `{"a":{"bb":{}}}`},
		{`{"a":1}`, `{"a":{"b":[null,{"c":null}]}}`, `{"a":{"b":[null,{"c":null}]}}`},
		{`{"z":1,"a":2}`, `{"b":{"x":1e400},"z":3,"q\"\\":"\u00e9"}`, `{"z":3,"a":2,"b":{"x":1e400},"q\"\\":"\u00e9"}`},
		{`{}`, `{"a":1,"a":2,"b":{"c":1,"c":null}}`, `{"a":2,"b":{}}`}, // the last counts
		{`{"a":{"x":1}}`, `{"a":{"y":1},"a":{"z":2}}`, `{"a":{"x":1,"z":2}}`},
	} {
		o := Object{Fields: merge(merge(nil, gjson.Parse(c.old)), gjson.Parse(c.patch))}
		if got := string(o.JSON()); got != c.want {
			t.Errorf("%s with the patch %s is %s, want %s", c.old, c.patch, got, c.want)
		}
	}
}

// merge agrees with the RFC's own pseudocode, written out over decoded values.
func FuzzMerge(f *testing.F) {
	f.Add(`{"a":{"b":1},"c":[{"d":null}]}`, `{"a":{"b":null,"e":{"f":null}},"c":null,"g":"<&>"}`)
	f.Fuzz(func(t *testing.T, old, patch string) {
		if !utf8.ValidString(old + patch) { // no line of a trace
			t.Skip()
		}
		var target, change map[string]any
		if json.Unmarshal([]byte(old), &target) != nil || json.Unmarshal([]byte(patch), &change) != nil {
			t.Skip()
		}
		o := Object{Fields: merge(merge(nil, gjson.Parse(old)), gjson.Parse(patch))}
		var got any
		if err := json.Unmarshal(o.JSON(), &got); err != nil {
			t.Fatalf("%s is no JSON: %v", o.JSON(), err)
		}
		if want := mergePatch(mergePatch(nil, target), change); !reflect.DeepEqual(got, want) {
			t.Errorf("%s with the patch %s is %s, want %v", old, patch, o.JSON(), want)
		}
	})
}

// mergePatch is MergePatch(Target, Patch) of RFC 7396, section 2.
func mergePatch(target, patch any) any {
	object, ok := patch.(map[string]any)
	if !ok {
		return patch
	}
	result := map[string]any{}
	if old, ok := target.(map[string]any); ok {
		for name, value := range old {
			result[name] = value
		}
	}
	for name, value := range object {
		if value == nil {
			delete(result, name)
		} else {
			result[name] = mergePatch(result[name], value)
		}
	}
	return result
}

// Values that differ only in the order of keys, the spacing or the spelling of strings are equal.
func TestDifferences(t *testing.T) {
	for _, c := range []struct {
		old, now string
		differs  bool
	}{
		{`["tcp/80", "tcp/81"]`, `["tcp/80","tcp/81"]`, false},
		{`["tcp/80","tcp/81"]`, `["tcp/81","tcp/80"]`, true},
		{`[{"name":"a","port":1}]`, `[{"port": 1, "name": "\u0061"}]`, false},
		{`[{"name":"a","port":1}]`, `[{"name":"a"}]`, true},
		{`"a"`, `"\u0061"`, false},
		{`9007199254740992`, `9007199254740993`, true},
		{`1`, `"1"`, true},
		{`1`, ``, true},
	} {
		before, after := Object{Fields: []Field{{"f", c.old}}}, Object{}
		if c.now != "" {
			after.Fields = []Field{{"f", c.now}}
		}
		if got := len(before.Differences(&after)) > 0; got != c.differs {
			t.Errorf("%s and %s differ: %v", c.old, c.now, got)
		}
	}
}
