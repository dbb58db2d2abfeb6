package command

import (
	"io"
	"path/filepath"
	"testing"

	"tracecheck/internal/console"
	"tracecheck/specs"
)

// BenchmarkProfile is what tracecheck.pgo is made of, by which the compiler knows
// what is hot (docs/performance.md says how). Its own times mean nothing:
// cmd/bench measures.
func BenchmarkProfile(b *testing.B) {
	dir := b.TempDir()
	tool := func(args ...string) {
		status := run(b.Context(), console.Environment{
			Specs: specs.All(), Args: append([]string{"tracecheck"}, args...), Stdout: io.Discard, Stderr: io.Discard,
			Getenv: func(string) string { return "" },
		})
		if status != 0 {
			b.Fatalf("%q: exit status %d", args, status)
		}
	}
	for _, t := range []struct {
		name     string
		generate []string
		validate []string
	}{
		{name: "one stream", generate: []string{"--spec", "swarmkit", "--objects", "1000"}},
		{name: "many streams", generate: []string{"--spec", "swarmkit", "--streams", "100", "--objects", "20"}},
		{name: "batched", generate: []string{"--spec", "swarmkit", "--steps", "batched"}},
		{name: "workerimpl", generate: []string{"--spec", "workerimpl"}},
		{name: "portallocator", generate: []string{"--spec", "portallocator"}},
		{name: "updatecluster", generate: []string{"--spec", "updatecluster"}},
		{name: "kcpstorage", generate: []string{"--spec", "kcpstorage"}},
		{name: "a real swarm", validate: []string{"--profile", "moby", "../../testdata/traces/crash28.jsonl.gz"}},
	} {
		args := append([]string{"validate", "--quiet"}, t.validate...)
		if t.generate != nil {
			path := filepath.Join(dir, t.name+".jsonl")
			tool(append([]string{"generate", "--events", "100000", "-o", path}, t.generate...)...)
			args = append(args, path)
		}
		b.Run(t.name, func(b *testing.B) {
			for b.Loop() {
				tool(args...)
			}
		})
	}
}
