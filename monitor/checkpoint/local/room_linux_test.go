package local

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"tracecheck/monitor/checkpoint"
)

// A file that cannot grow is not damaged. It keeps its checkpoint, and takes the next one when
// there is room.
func TestNoRoom(t *testing.T) {
	path := filepath.Join(t.TempDir(), "checkpoints")
	p := goesOn(t, openAt(t, path), "a")
	small := checkpoint.Change{Head: []byte("1"), Whole: true}
	save(t, p, &small)
	save(t, p, &small)
	large := checkpoint.Change{Head: []byte(strings.Repeat("2", 1<<20)), Whole: true}

	var was syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &was); err != nil {
		t.Fatal(err)
	}
	refuses := func() {
		t.Helper()
		limited := was
		limited.Cur = 64 << 10
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limited); err != nil {
			t.Fatal(err)
		}
		defer func() {
			if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &was); err != nil {
				t.Error(err)
			}
		}()
		for range 2 {
			if err := p.Save(t.Context(), &large); err == nil || !strings.Contains(err.Error(), "check the disk and its limits") {
				t.Errorf("got %v", err)
			}
		}
		for _, suffix := range []string{"", OtherSuffix} {
			if _, err := os.Stat(path + suffix + damagedSuffix); err == nil {
				t.Errorf("the file with the suffix %q was renamed", suffix)
			}
		}
	}
	refuses()
	expect(t, p, "1", nil)
	for range 6 { // the files have room for the next one, beyond the limit
		save(t, p, &large)
	}
	refuses()
	expect(t, p, string(large.Head), nil)
}
