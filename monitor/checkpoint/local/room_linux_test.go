package local

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"tracecheck/monitor/checkpoint"
)

// limitedVariable is set in the process that limits the size of its files.
const limitedVariable = "TRACECHECK_TEST_LIMITED"

// A file that cannot grow is not damaged. It keeps its checkpoint, and takes the next one when
// there is room.
func TestNoRoom(t *testing.T) {
	if os.Getenv(limitedVariable) == "" { // the limit would stop the log that go test keeps of this process
		cmd := exec.Command(os.Args[0], "-test.run=^TestNoRoom$")
		cmd.Env = append(os.Environ(), limitedVariable+"=yes")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return
	}
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
		for range 2 {
			if err := p.Save(t.Context(), &large); err == nil || !strings.Contains(err.Error(), "check the disk and its limits") {
				t.Errorf("got %v", err)
			}
		}
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &was); err != nil {
			t.Fatal(err)
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
