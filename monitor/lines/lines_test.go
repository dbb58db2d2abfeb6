package lines

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func open(t *testing.T, path string) *File {
	t.Helper()
	f, err := Open(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

func add(t *testing.T, f *File, lines string) {
	t.Helper()
	if err := f.Append([]byte(lines)); err != nil {
		t.Fatal(err)
	}
}

func content(t *testing.T, path, want string) {
	t.Helper()
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Errorf("%s has %q, want %q", filepath.Base(path), got, want)
	}
}

// What logrotate does: move the file away, and make a new one or not, or cut it
// to nothing.
func TestRotation(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lines")
	f := open(t, path)
	add(t, f, "1\n")
	if info, err := os.Stat(path); err != nil || info.Mode().Perm()&^0o640 != 0 {
		t.Errorf("the file has mode %v (%v), want no more than 0640", info.Mode(), err)
	}
	if err := os.Rename(path, path+".1"); err != nil {
		t.Fatal(err)
	}
	add(t, f, "2\n3\n")
	content(t, path+".1", "1\n")
	content(t, path, "2\n3\n")

	if err := os.Rename(path, path+".2"); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	add(t, f, "4\n")
	content(t, path+".2", "2\n3\n")
	content(t, path, "4\n")

	if err := os.Truncate(path, 0); err != nil {
		t.Fatal(err)
	}
	add(t, f, "5\n")
	content(t, path, "5\n")

	f.Reopen()
	add(t, f, "6\n")
	content(t, path, "5\n6\n")
}

// A line that a crash has left unfinished is one of its own.
func TestTornLine(t *testing.T) {
	for before, want := range map[string]string{
		"":            "new\n",
		"old\n":       "old\nnew\n",
		"old\nto":     "old\nto\nnew\n",
		"\n":          "\nnew\n",
		"{\"torn\":1": "{\"torn\":1\nnew\n",
	} {
		path := filepath.Join(t.TempDir(), "lines")
		if err := os.WriteFile(path, []byte(before), 0o600); err != nil {
			t.Fatal(err)
		}
		f := open(t, path)
		add(t, f, "new\n")
		content(t, path, want)
		add(t, f, "more\n")
		content(t, path, want+"more\n")
	}
}

func TestFileThatCannotBeWritten(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "dir")
	path := filepath.Join(dir, "lines")
	if _, err := Open(path, nil); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("without its folder: %v", err)
	}
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	f := open(t, path)
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if err := f.Append([]byte("1\n")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("its folder was deleted: %v", err)
	}
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	add(t, f, "1\n")
	content(t, path, "1\n")
}

// full takes so many bytes more.
type full struct {
	strings.Builder
	left int
}

func (w *full) Write(b []byte) (int, error) {
	n := min(len(b), w.left)
	w.left -= n
	w.Builder.Write(b[:n])
	if n < len(b) {
		return n, errors.New("no space")
	}
	return n, nil
}

func TestWriterThatIsFull(t *testing.T) {
	w := &full{left: 4}
	f, err := Open(Stdout, w)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Append([]byte("one\ntwo\n")); err != nil && !strings.Contains(err.Error(), "no space") || err == nil {
		t.Errorf("full behind the first line: %v", err)
	}
	w.left = 5
	if err := f.Append([]byte("two\nthree\n")); err == nil {
		t.Error("full within the third line: no error")
	}
	w.left = 100
	add(t, f, "three\n")
	if got, want := w.String(), "one\ntwo\nt\nthree\n"; got != want {
		t.Errorf("written: %q, want %q", got, want)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
}

// Lines may go to what is not a file of a disk, such as /dev/stderr.
func TestDevice(t *testing.T) {
	add(t, open(t, os.DevNull), "1\n")
}
