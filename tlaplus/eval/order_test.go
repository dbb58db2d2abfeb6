package eval

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"tracecheck/tlaplus/value"
)

// TestOrderOfStrings: strings are in the order of the text, which CHOOSE depends on,
// each time that it is read.
func TestOrderOfStrings(t *testing.T) {
	for range 20 {
		p, err := Load("testdata/memory/Memory.tla", nil, Options{})
		if err != nil {
			t.Fatal(err)
		}
		var names []value.Value
		for _, name := range []string{"to", "term", "val", "from", "c", "a", "b"} {
			names = append(names, p.Space.String(name))
		}
		var got []string
		for _, v := range value.NewSet(names).Each() {
			got = append(got, v.(*value.Str).Text)
		}
		if want := []string{"a", "b", "c", "term", "val", "from", "to"}; !slices.Equal(got, want) {
			t.Fatalf("the strings are in the order %v, want %v", got, want)
		}
	}
}

// TestOrderOfEnvironment: the environment's values come in the order of its names, each
// time.
func TestOrderOfEnvironment(t *testing.T) {
	file := filepath.Join(t.TempDir(), "E.tla")
	text := "---- MODULE E ----\nEXTENDS IOUtils\nResult == {IOEnv.a, IOEnv.b, IOEnv.c, IOEnv.d, IOEnv.e}\n====\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for range 20 {
		p, err := Load(file, nil, Options{Env: map[string]string{"e": "1", "a": "5", "d": "2", "b": "4", "c": "3"}})
		if err != nil {
			t.Fatal(err)
		}
		if got, want := resultOf(p, p.NewRun(), "Result"), `{"5", "4", "3", "2", "1"}`; got != want {
			t.Fatalf("got %s, want %s", got, want)
		}
	}
}
