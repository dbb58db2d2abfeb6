package anonymize_test

import (
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"tracecheck/postmortem/anonymize"
	"tracecheck/trace"
)

// Different strings of a log stay different, and the same ones the same. So do those that are joined
// of others at a separator. The strings of the vocabulary stay.
func TestVocabularyKeepsEqualities(t *testing.T) {
	known := []string{"ask", "name2", "a-b", "> tok", "", "tcp", "2026-11-20T10:00:00+01:00"}
	a, err := anonymize.New(anonymize.Options{Vocabulary: known})
	if err != nil {
		t.Fatal(err)
	}
	renamed := func(text string) string {
		out, err := a.Append(nil, &trace.Event{Kind: trace.KindLine, Raw: strconv.Quote(text)})
		if err != nil {
			t.Fatal(err)
		}
		text, err = strconv.Unquote(string(out))
		if err != nil {
			t.Fatalf("%s: %v", out, err)
		}
		return text
	}
	for _, text := range known {
		if got := renamed(text); got != text {
			t.Errorf("%q of the vocabulary is %q", text, got)
		}
	}
	parts := []string{"ask", "name2", "name1", "name3", "a", "b", "tok", "x", "ä", "7", "42", "tcp", "x_7"}
	rng := rand.New(rand.NewPCG(20, 3))
	random := func() string {
		text := parts[rng.IntN(len(parts))]
		for range rng.IntN(3) {
			text += []string{"-", "/", " ", "."}[rng.IntN(4)] + parts[rng.IntN(len(parts))]
		}
		return text
	}
	old := map[string]string{}
	for range 20_000 {
		text := random()
		name := renamed(text)
		if was, seen := old[name]; seen && was != text {
			t.Fatalf("%q and %q are both %q", was, text, name)
		}
		old[name] = text
		if again := renamed(text); again != name {
			t.Fatalf("%q is %q, and then %q", text, name, again)
		}
	}
	for _, text := range []string{"anna", "bert"} {
		if got, want := renamed("> "+text), "> "+renamed(text); got != want || strings.Contains(got, text) {
			t.Errorf("%q is %q, want %q", "> "+text, got, want)
		}
	}
}
