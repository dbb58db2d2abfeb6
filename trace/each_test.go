package trace

import (
	"slices"
	"testing"

	"github.com/tidwall/gjson"
)

// member is what Each yields.
type member struct {
	key string
	Value
}

// checkEach compares what Each yields with what gjson does, if the text is JSON.
func checkEach(t *testing.T, text string) {
	t.Helper()
	v := Value{Type: Other, Str: text}
	var got, want []member
	for key, value := range v.Each {
		got = append(got, member{key, value})
	}
	r := gjson.Parse(text)
	if !gjson.Valid(text) || !isText(text) || // gjson takes different keys for one, and Decode refuses them
		!r.IsObject() && !r.IsArray() || !v.begins('{') && !v.begins('[') {
		v.Rows(func(int, string, Value) {})
		return // it is enough not to panic; and no value begins with a space
	}
	r.ForEach(func(key, value gjson.Result) bool {
		want = append(want, member{key.Str, valueOf(&value)})
		return true
	})
	if !slices.Equal(got, want) {
		t.Errorf("%q:\ngot  %+v\nwant %+v", text, got, want)
	}
	for range v.Each { // one may stop
		break
	}
	checkRows(t, v)
}

// row is what Rows yields.
type row struct {
	number int
	member
}

func checkRows(t *testing.T, v Value) {
	t.Helper()
	var got, want []row
	v.Rows(func(number int, key string, value Value) {
		got = append(got, row{number, member{key, value}})
	})
	if gjson.Parse(v.Str).IsArray() {
		for i, element := range gjson.Parse(v.Str).Array() {
			n := len(want)
			if element.IsObject() {
				element.ForEach(func(key, value gjson.Result) bool {
					want = append(want, row{i, member{key.Str, valueOf(&value)}})
					return true
				})
			}
			if n == len(want) {
				want = append(want, row{number: i})
			}
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q: rows\ngot  %+v\nwant %+v", v.Str, got, want)
	}
}

var eachTexts = []string{
	``, `[`, `{`, `[]`, `{}`, `[1`, `{"a"`, `{"a":`, `[1,`, `[ ]`, `{ }`, `12`, `1.5`,
	`[{"name":"a","published_port":0}, {"name":"b"} ]`, `{"a":1 , "b" : [2,{"c":null}], "a":{}}`,
	`["x",true,false,null,-3,[],{}]`, `[1,"\u0041",2]`, `{"a":1,"\u0062":2,"c":"d\n"}`, `[1,1.0,2.5,1e3,12345678901234567890,3]`,
	`["a",["b\"]"],"c"]`,
	`[{"a":1},{},[{"a":2}],3,{"a":4,"b":{"c":5}}]`, `[{"a":1},{"b":2,"\u0063":3,"d":4},{},{"e":5}]`, `[1.5,{"a":1.5},{"":null}]`,
}

func TestEachReadsAsGjson(t *testing.T) {
	for _, text := range eachTexts {
		checkEach(t, text)
	}
	var got []member
	for key, value := range (Value{Type: Other, Str: `{"c1":"Sync","c2":null,"c3":"\u0041"}`}).Each {
		got = append(got, member{key, value})
	}
	want := []member{{"c1", Value{Type: String, Str: "Sync"}}, {"c2", Value{Type: Null}}, {"c3", Value{Type: String, Str: "A"}}}
	if !slices.Equal(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	for range (Value{Type: String, Str: "[1]"}).Each {
		t.Error("a string has elements")
	}
}

func FuzzEach(f *testing.F) {
	for _, text := range eachTexts {
		f.Add(text)
	}
	f.Fuzz(checkEach)
}
