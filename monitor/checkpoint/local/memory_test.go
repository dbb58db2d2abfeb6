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

// A large head, such as one of many pending alerts, is not written with each of the
// transactions of a checkpoint.
func TestLargeHeadIsWrittenOnce(t *testing.T) {
	const streams, size, head = 300, 3000, 1 << 20
	s := openIn(t, filepath.Join(t.TempDir(), "checkpoints"), 32<<10)
	p := goesOn(t, s, "a")
	for n := range 4 {
		before := pagesOf(s)
		save(t, p, &checkpoint.Change{Head: []byte(strings.Repeat("h", head)), Streams: func(yield func(checkpoint.Stream) bool) {
			for i := range streams {
				if !yield(stream(fmt.Sprint(i), fmt.Sprint(n, strings.Repeat("x", size)))) {
					return
				}
			}
		}})
		if got := pagesOf(s) - before; got > 6*(head+streams*size) {
			t.Errorf("checkpoint %d, of %d kB, writes %d kB", n, (head+streams*size)>>10, got>>10)
		}
	}
}

// pagesOf is how much of the files transactions have written, in bytes.
func pagesOf(s *Store) (bytes int64) {
	for i := range s.halves {
		stats := s.halves[i].db.Stats().TxStats
		bytes += stats.GetPageAlloc()
	}
	return bytes
}
