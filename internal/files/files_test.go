package files

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// As much as the limit is read, and no more, also of what has no size.
func TestRead(t *testing.T) {
	const most = 1000
	for _, n := range []int{0, 1, most, most + 1, 100 * most} {
		text := strings.Repeat("x", n)
		name := filepath.Join(t.TempDir(), "file")
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		go func() {
			w.WriteString(text) // fails where not all is read
			w.Close()
		}()
		names := []string{name}
		if pipe := fmt.Sprint("/dev/fd/", r.Fd()); exists(pipe) {
			names = append(names, pipe)
		}
		for _, name := range names {
			data, err := Read(name, most)
			if n <= most && (err != nil || string(data) != text) {
				t.Errorf("%s of %d bytes: %d are read, %v", name, n, len(data), err)
			}
			if n > most && (err == nil || !strings.Contains(err.Error(), fmt.Sprint(most)) || !strings.Contains(err.Error(), name)) {
				t.Errorf("%s of %d bytes: %v", name, n, err)
			}
		}
		r.Close()
	}
}

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}
