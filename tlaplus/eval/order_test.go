package eval

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"tracecheck/tlaplus/value"
)

// TestOrderOfStrings: strings are in the order of the text, which CHOOSE depends on, each
// time that it is read. The order is TLC's.
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
		if want := []string{"term", "val", "from", "to", "c", "a", "b"}; !slices.Equal(got, want) {
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
		p, err := Load(file, nil, Options{Env: map[string]string{"e": "v1", "a": "v5", "d": "v2", "b": "v4", "c": "v3"}})
		if err != nil {
			t.Fatal(err)
		}
		if got, want := resultOf(p, p.NewRun(), "Result"), `{"v5", "v4", "v3", "v2", "v1"}`; got != want {
			t.Fatalf("got %s, want %s", got, want)
		}
	}
}
