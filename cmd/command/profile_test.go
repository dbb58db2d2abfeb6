package command

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"tracecheck/internal/console"
	"tracecheck/specs"
)

// BenchmarkProfile is what tracecheck.pgo is made of, by which the compiler knows
// what is hot (docs/performance.md states how). Modules that are read at run time are
// part of it where TRACECHECK_TLA names the folder of the TLA+ material. Its own times mean nothing:
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
	type workload struct {
		name     string
		generate []string
		validate []string
	}
	workloads := []workload{
		{name: "one stream", generate: []string{"--spec", "swarmkit", "--objects", "1000"}},
		{name: "many streams", generate: []string{"--spec", "swarmkit", "--streams", "100", "--objects", "20"}},
		{name: "batched", generate: []string{"--spec", "swarmkit", "--steps", "batched"}},
		{name: "workerimpl", generate: []string{"--spec", "workerimpl"}},
		{name: "portallocator", generate: []string{"--spec", "portallocator"}},
		{name: "updatecluster", generate: []string{"--spec", "updatecluster"}},
		{name: "kcpstorage", generate: []string{"--spec", "kcpstorage"}},
		{name: "a real swarm", validate: []string{"--profile", "moby", "../../testdata/traces/crash28.jsonl.gz"}},
	}
	if material := os.Getenv("TRACECHECK_TLA"); material != "" {
		raft := filepath.Join(material, "traces/etcd-raft")
		if err := errors.Join(os.CopyFS(dir, os.DirFS("../../examples/bind")), os.CopyFS(dir, os.DirFS(raft))); err != nil {
			b.Fatal(err)
		}
		workloads = append(workloads,
			workload{name: "a trace spec", validate: []string{"--module", filepath.Join(raft, "Traceetcdraft.tla"), filepath.Join(raft, "logs/first1000.ndjson")}},
			workload{name: "a bind file", validate: []string{"--bind", filepath.Join(dir, "etcd-raft.yaml"), filepath.Join(raft, "logs/example.ndjson")}})
	}
	for _, t := range workloads {
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
