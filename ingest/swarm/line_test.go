package swarm

import "testing"

func TestMetaLine(t *testing.T) {
	t.Parallel()
	want := `{"stream":"prod","kind":"meta","object":{"constants":{"max_terminated":2},"format":1,"profile":"moby","spec":["swarmkit","portallocator"],"steps":"batched"}}` + "\n"
	if got := string(metaLine("prod", 2)); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
