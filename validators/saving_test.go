package validators

import (
	"slices"
	"strings"
	"testing"

	"tracecheck/trace"
)

// TestSaveInShares: a share notes one stream at least and, where it has no time,
// one at most; a stream that takes an event before its turn is noted as it was,
// and one that appears is no part of it.
func TestSaveInShares(t *testing.T) {
	s := newScript(t, Options{Shards: 1})
	names := strings.Split("abcdefgh", "")
	for i, name := range names {
		s.push(i+1, name+":u n b")
	}
	want := map[string]string{}
	s.Save(true, func(stream string, state []byte) { want[stream] = string(state) })
	s.push(10, "a:u n c", "b:u n c", "c:u n c", "d:u n c", "e:u n c")
	s.Save(true, func(stream string, state []byte) { want[stream] = string(state) })

	s.push(20, "a:u n d", "b:u n d", "c:u n d")
	changed := map[string]string{}
	now := s.BeginSave(false)
	if now.Share(0, func(stream string, state State) { changed[stream] = string(state.Bytes()) }) || len(changed) != 1 {
		t.Fatalf("the first share has noted %d streams, and reports that it is done", len(changed))
	}
	s.push(30, "c:u n e", "x:u n b", "h:u n e", "c:u n f")
	s.Lose("b", &trace.Error{Reason: "lost"})
	shares := 1
	for done := false; !done; shares++ {
		n := len(changed)
		if done = now.Share(0, func(stream string, state State) { changed[stream] = string(state.Bytes()) }); len(changed) > n+3 {
			t.Fatalf("a share has noted %d streams", len(changed)-n)
		}
	}
	if longest, together := now.Waits(); longest <= 0 || together < longest {
		t.Errorf("the events that came before the turn of their streams have waited for %s, %s in all", longest, together)
	}
	if _, known := changed["x"]; known || len(changed) != 3 {
		t.Errorf("%d streams are noted, want a, b and c", len(changed))
	}
	for _, name := range names {
		if was, now := want[name] == changed[name], slices.Contains([]string{"a", "b", "c"}, name); was && now {
			t.Errorf("stream %s is noted as it was before", name)
		}
	}
	again := map[string]string{}
	s.Save(false, func(stream string, state []byte) { again[stream] = string(state) })
	for _, name := range []string{"b", "c", "h", "x"} {
		if again[name] == "" || again[name] == changed[name] {
			t.Errorf("what came to stream %s in the meantime is not in the next checkpoint", name)
		}
	}
	if len(again) != 4 {
		t.Errorf("the next has %d streams, want b, c, h and x", len(again))
	}
}
