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
	if !gjson.Valid(text) || !r.IsObject() && !r.IsArray() {
		return // it is enough not to panic
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
}

var eachTexts = []string{
	``, `[`, `{`, `[]`, `{}`, `[1`, `{"a"`, `{"a":`, `[1,`, `[ ]`, `{ }`, `12`, `1.5`,
	`[{"name":"a","published_port":0}, {"name":"b"} ]`, `{"a":1 , "b" : [2,{"c":null}], "a":{}}`,
	`["x",true,false,null,-3,[],{}]`, `[1,"\u0041",2]`, `{"a":1,"\u0062":2,"c":"d\n"}`, `[1,1.0,2.5,1e3,12345678901234567890,3]`,
	`["a",["b\"]"],"c"]`,
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
