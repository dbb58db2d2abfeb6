package command

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// A file that is far too large for what it is to be is refused by its size, and
// is not read.
func TestTooLargeFiles(t *testing.T) {
	const size = 200 << 20
	dir := t.TempDir()
	large := filepath.Join(dir, "large")
	f, err := os.Create(large)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Truncate(size); err != nil {
		t.Fatal(err)
	}
	f.Close()
	follow := []string{"monitor", "--dry-run", "--no-checkpoint", "--follow", filepath.Join(dir, "log")}
	ofKafka := []string{"monitor", "--dry-run", "--no-checkpoint", "--kafka", "127.0.0.1:1", "--topic", "t"}
	with := func(base []string, more ...string) []string { return append(base[:len(base):len(base)], more...) }
	for _, args := range [][]string{
		{"validate", "--map", large, "testdata/traces/skip.jsonl"},
		{"map", "--check", large},
		{"coverage", "--against", large, "testdata/traces/skip.jsonl"},
		{"validate", "--module", large, "--config", "../../testdata/tracespecs/LockTrace.cfg", "testdata/traces/skip.jsonl"},
		{"validate", "--module", "../../testdata/tracespecs/LockTrace.tla", "--config", large, "testdata/traces/skip.jsonl"},
		with(follow, "--map", large),
		with(follow, "--config", large),
		with(follow, "--webhook", "http://127.0.0.1:1/", "--webhook-token-file", large),
		with(follow, "--webhook", "https://127.0.0.1:1/", "--webhook-ca", large),
		with(ofKafka, "--kafka-ca", large),
		with(ofKafka, "--kafka-cert", large, "--kafka-key", large),
		with(ofKafka, "--kafka-sasl", "plain", "--kafka-user", "u", "--kafka-password-file", large),
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		status, _, stderr := tryRun(t.Context(), nil, args...)
		runtime.ReadMemStats(&after)
		if status != statusUsage || !strings.Contains(stderr, "large has 209715200 bytes, and at most ") {
			t.Errorf("%q: exit status %d: %.300s", args, status, stderr)
		}
		if took := after.TotalAlloc - before.TotalAlloc; took > size/4 {
			t.Errorf("%q: %d bytes were taken", args, took)
		}
	}
}
