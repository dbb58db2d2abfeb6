package local

import (
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"tracecheck/monitor/checkpoint"
)

// A checkpoint takes little memory while it is written, however large it is: of
// one that is all new, of one of a few streams, and of one that is a copy.
func TestCheckpointTakesLittleMemory(t *testing.T) {
	const streams, size = 10_000, 3000
	const most = 6 << 20 // of 30 MB
	begins, peak, looks := int64(0), int64(0), 0
	look := func() {
		if looks++; looks%10 == 0 {
			peak = max(peak, live()-begins)
		}
	}
	s, err := Open(filepath.Join(t.TempDir(), "checkpoints"), Options{noSync: true, share: 256 << 10, ended: look})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	p := goesOn(t, s, "a")
	text := strings.Repeat("x", size)
	for n, every := range []int{1, 5, 5, 5, 1, 1} {
		begins, peak, looks = live(), 0, 0
		save(t, p, &checkpoint.Change{Head: []byte("head"), Streams: func(yield func(checkpoint.Stream) bool) {
			for i := 0; i < streams; i += every {
				if !yield(stream(fmt.Sprintf("s%05d", i), fmt.Sprint(n, text))) {
					return
				}
			}
		}})
		if looks < 20 {
			t.Fatalf("checkpoint %d is %d transactions: the test shows nothing", n, looks)
		}
		if peak > most {
			t.Errorf("checkpoint %d, of each %dth stream, holds %d kB", n, every, peak>>10)
		}
		t.Logf("checkpoint %d: %d transactions, %d kB", n, looks, peak>>10)
	}
}

// live is how much lives, in bytes.
func live() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
