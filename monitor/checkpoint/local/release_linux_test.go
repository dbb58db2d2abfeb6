package local

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tracecheck/monitor/checkpoint"
)

// What a checkpoint has read and written of the files takes no memory once it is
// saved, nor what was loaded.
func TestFilesTakeNoMemory(t *testing.T) {
	path := filepath.Join(t.TempDir(), "checkpoints")
	p := partOf(t, openAt(t, path), "a")
	c := checkpoint.Change{Head: []byte("head"), Whole: true}
	var list []checkpoint.Stream
	for i := range 4000 {
		list = append(list, stream(fmt.Sprintf("s%04d", i), strings.Repeat("x", 2000)))
	}
	c.Streams = slices.Values(list)
	save(t, p, &c)
	c.Whole = false
	for range 2 {
		if _, err := load(p); err != nil {
			t.Fatal(err)
		}
		save(t, p, &c) // which reads all of it
	}
	const most = 1 << 20
	if n := mapped(t, path); n > most {
		t.Errorf("%d kB of the files are in memory", n>>10)
	}
}

// mapped is how much of the files whose names begin so the process has in memory.
func mapped(t *testing.T, path string) (bytes int) {
	t.Helper()
	file, err := os.Open("/proc/self/smaps")
	if err != nil {
		t.Skip(err)
	}
	defer file.Close()
	ours, seen := false, false
	for lines := bufio.NewScanner(file); lines.Scan(); {
		kb := 0
		switch f := strings.Fields(lines.Text()); {
		case len(f) > 0 && !strings.HasSuffix(f[0], ":"):
			ours = len(f) > 5 && strings.HasPrefix(f[5], path)
			seen = seen || ours
		case ours && f[0] == "Rss:":
			fmt.Sscan(f[1], &kb)
			bytes += kb << 10
		}
	}
	if !seen {
		t.Fatal("the files are nowhere in memory: the test shows nothing")
	}
	return bytes
}
